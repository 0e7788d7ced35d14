// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver and the streams of a backend of the CUDA kind: member functions of the template.
#pragma once

#include <cstdio>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "backends/cuda_like.hpp"
#include "driver/fork.hpp"
#include "driver/library.hpp"

namespace anystream::core {

namespace cuda_like {

inline const known_stream& stream_at(stream_handle handle) noexcept {
  return **static_cast<const stream_pointer*>(handle);
}
inline const stream_pointer& pointer_at(stream_handle handle) noexcept {
  return *static_cast<const stream_pointer*>(handle);
}
inline known_event& event_at(event_handle handle) noexcept {
  return *static_cast<known_event*>(handle);
}

// What the driver's functions take: the legacy stream is named by NULL, which both drivers know.
template <class Traits>
typename Traits::stream native_of(const known_stream& stream) noexcept {
  return reinterpret_cast<typename Traits::stream>(stream.handle);
}

}  // namespace cuda_like

// ---- the driver ---------------------------------------------------------------------------------

template <class Traits>
auto cuda_like_backend<Traits>::open() const -> const driver& {
  const driver_state& state = require_driver(Traits::id);
  auto mine = std::make_unique<driver>();
  bind_symbols(state.handle, Traits::symbols(), mine.get());
  generation_.store(process_generation());
  const driver* current = nullptr;
  return *(driver_.compare_exchange_strong(current, mine.get()) ? mine.release() : current);
}

// Null in a forked child of the process that used it.
template <class Traits>
auto cuda_like_backend<Traits>::known_driver() const noexcept -> const driver* {
  const driver* known = driver_.load();
  return known != nullptr && generation_.load() == process_generation() ? known : nullptr;
}

template <class Traits>
auto cuda_like_backend<Traits>::opened() const -> calls {
  const driver* known = known_driver();
  if (known == nullptr && driver_.load() != nullptr) {
    throw driver_unavailable(
        std::string(Traits::title) +
        " cannot be used in a forked child of a process that used it.\n  Start the process by "
        "spawn or forkserver instead, or fork before it is first used.");
  }
  return {known != nullptr ? *known : open(), Traits::symbols()};
}

// Whoever has a stream has initialised the driver; for a default stream it may be us.
template <class Traits>
auto cuda_like_backend<Traits>::ready() const -> calls {
  const calls api = opened();
  if (!initialized_.load(std::memory_order_relaxed)) {
    api.template call<&driver::initialize>(0U);
    initialized_.store(true, std::memory_order_relaxed);
  }
  return api;
}

// Streams are taken where there is no driver, too: a producer may order by itself.
template <class Traits>
auto cuda_like_backend<Traits>::driver_if_there() const noexcept -> const driver* {
  if (driver_.load() != nullptr) return known_driver();
  try {
    return open_driver(Traits::id).available() ? &open() : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

template <class Traits>
std::vector<anystream_device_info> cuda_like_backend<Traits>::devices() const {
  const calls api = opened();
  int count = 0;
  if (api->initialize(0) != cuda_like::success) return {};  // as where the driver finds none
  api.template call<&driver::device_count>(&count);
  std::vector<anystream_device_info> all(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    anystream_device_info& info = all[static_cast<std::size_t>(number)];
    info.device = {Traits::device_kind, number};
    std::snprintf(info.platform, sizeof info.platform, "%s", Traits::name);
    std::snprintf(info.kind, sizeof info.kind, "gpu");
    api.template call<&driver::device_name>(info.name, static_cast<int>(sizeof info.name), number);
  }
  return all;
}

// ---- streams ------------------------------------------------------------------------------------

template <class Traits>
stream_handle cuda_like_backend<Traits>::retain(DLDevice device, stream_handle theirs,
                                                bool kept) const {
  using namespace cuda_like;
  auto handle = reinterpret_cast<std::uintptr_t>(theirs);
  if (handle == Traits::legacy_number) handle = legacy_default;
  const std::uint64_t thread = handle == per_thread_default ? this_thread() : 0;
  auto made = std::make_unique<stream_pointer>(
      std::make_shared<known_stream>(handle, device, kept, thread));
  // Which context a default stream is of depends on when that is asked.
  if ((*made)->is_default()) {
    if (const driver* there = driver_if_there()) {
      const calls api(*there, Traits::symbols());
      const place here = Traits::current(api);
      if (here != 0 && Traits::device_of_current(api) == device.device_id) resolve(api, **made);
    }
  }
  return made.release();
}

template <class Traits>
void cuda_like_backend<Traits>::take_owner(stream_handle ours, owner& keep) const {
  cuda_like::stream_at(ours).keep = std::move(keep);
}

template <class Traits>
void cuda_like_backend<Traits>::drop(stream_handle ours) const noexcept {
  delete static_cast<cuda_like::stream_pointer*>(ours);
}

// Users see CUDA's legacy stream as 1, the number that cannot mean another one.
template <class Traits>
stream_handle cuda_like_backend<Traits>::native(stream_handle ours) const noexcept {
  const std::uintptr_t handle = cuda_like::stream_at(ours).handle;
  const bool legacy = handle == cuda_like::legacy_default;
  return reinterpret_cast<stream_handle>(legacy ? Traits::legacy_number : handle);
}

template <class Traits>
void cuda_like_backend<Traits>::know(stream_handle ours) const {
  const known_stream& stream = cuda_like::stream_at(ours);
  if (!stream.is_of_other_thread()) static_cast<void>(place_of(stream));
}

template <class Traits>
bool cuda_like_backend<Traits>::may_be_gone(stream_handle ours) const noexcept {
  const known_stream& stream = cuda_like::stream_at(ours);
  const driver* there = known_driver();
  if (stream.may_be_gone() || stream.is_default() || there == nullptr) return stream.may_be_gone();
  const place where = stream.where.load(std::memory_order_acquire);
  return where != 0 && is_gone({*there, Traits::symbols()}, where, stream.life.load());
}

template <class Traits>
DLDevice cuda_like_backend<Traits>::device_of(stream_handle stream) const {
  return cuda_like::stream_at(stream).device;
}

template <class Traits>
bool cuda_like_backend<Traits>::same(stream_handle a, stream_handle b) const {
  const known_stream& one = cuda_like::stream_at(a);
  const known_stream& other = cuda_like::stream_at(b);
  if (one.handle != other.handle || one.thread != other.thread) return false;
  const bool one_device = one.device.device_id == other.device.device_id;
  const bool neither = one.where.load() == 0 && other.where.load() == 0;
  if (&one == &other || neither || driver_if_there() == nullptr) return one_device;
  const bool one_place = place_of(one) == place_of(other) && one.life == other.life;
  return one_place && (one.id == 0 || other.id == 0 || one.id == other.id);
}

template <class Traits>
cuda_like::place cuda_like_backend<Traits>::place_of(const known_stream& stream) const {
  if (const place known = stream.where.load(std::memory_order_acquire)) return known;
  resolve(ready(), stream);
  return stream.where.load(std::memory_order_acquire);
}

// The caller's own context of the device, where it is current; else the device's primary one, which
// is what the libraries use.
template <class Traits>
cuda_like::place cuda_like_backend<Traits>::default_place(const calls& api, int device) const {
  const place here = Traits::current(api);
  if (here != 0 && Traits::device_of_current(api) == device) return here;
  const auto number = static_cast<std::size_t>(device);
  if (device < 0 || number >= most_devices) return Traits::primary(api, device);
  place known = primary_[number].load();
  if (known != 0) return known;
  known = Traits::primary(api, device);
  primary_[number].store(known);
  return known;
}

// Of a mere number it is called while the stream is there by its giver's word.
template <class Traits>
void cuda_like_backend<Traits>::resolve(const calls& api, const known_stream& stream) const {
  const auto native = cuda_like::native_of<Traits>(stream);
  const int device = stream.device.device_id;
  const bool named = !stream.is_default();
  const place where =
      named ? Traits::place_of_stream(api, native, device) : default_place(api, device);
  if (named) stream.id.store(Traits::stream_id(api, native));
  stream.life.store(Traits::life(api, where));
  stream.where.store(where, std::memory_order_release);
}

// A default stream outlives a reset of its device; any other went with its context.
template <class Traits>
bool cuda_like_backend<Traits>::is_there(const calls& api, const known_stream& stream) const {
  const std::uint64_t now = Traits::life(api, place_of(stream));
  if (now == stream.life.load()) return true;
  if (!stream.is_default()) return false;
  stream.life.store(now);
  return true;
}

template <class Traits>
cuda_like::place cuda_like_backend<Traits>::require_place(const calls& api,
                                                          const known_stream& stream) const {
  if (is_there(api, stream)) return place_of(stream);
  throw value_error(std::string("a ") + Traits::title + " stream on " +
                    to_string(anystream::device(stream.device)) +
                    " is gone: its context was destroyed, or its device reset.\n  Make a new "
                    "stream.");
}

template <class Traits>
bool cuda_like_backend<Traits>::idle(stream_handle handle) const {
  const known_stream& stream = cuda_like::stream_at(handle);
  if (stream.is_of_other_thread()) return false;
  const calls api = ready();
  if (!is_there(api, stream)) return true;  // its work went with it
  const current_place here(api, place_of(stream));
  if (capture_of(api, stream).status != capture_state::none) return false;
  const relaxed mode(api);
  return api.template call_unless<&driver::stream_query>(cuda_like::not_ready,
                                                         cuda_like::native_of<Traits>(stream));
}

template <class Traits>
bool cuda_like_backend<Traits>::surely_idle(stream_handle stream) const {
  return !may_be_gone(stream) && idle(stream);
}

template <class Traits>
void cuda_like_backend<Traits>::synchronize(stream_handle handle) const {
  const known_stream& stream = cuda_like::stream_at(handle);
  const calls api = ready();
  const current_place here(api, require_place(api, stream));
  if (!stream.is_of_other_thread()) {
    const capture_state state = capture_of(api, stream);
    refuse_broken(stream, state);
    if (state.status != capture_state::none) Traits::refuse_wait();
  }
  if (stream.is_of_other_thread() && shows_capture(api, place_of(stream))) Traits::refuse_wait();
  const relaxed mode(api);
  if (stream.is_of_other_thread()) return api.template call<&driver::synchronize_current>();
  api.template call<&driver::stream_synchronize>(cuda_like::native_of<Traits>(stream));
}

template <class Traits>
std::uintptr_t cuda_like_backend<Traits>::make_current(DLDevice device) const {
  if (driver_if_there() == nullptr) return ANYSTREAM_UNCHANGED;
  const calls api = ready();
  const place before = Traits::current(api);
  const place wanted = default_place(api, device.device_id);
  if (wanted == before) return ANYSTREAM_UNCHANGED;
  Traits::make_current(api, wanted);
  return before;
}

template <class Traits>
void cuda_like_backend<Traits>::restore_current(std::uintptr_t before) const {
  Traits::restore_current(ready(), before);
}

}  // namespace anystream::core
