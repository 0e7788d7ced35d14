// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Events and memory of a backend of the CUDA kind: member functions of the template.
#pragma once

#include <algorithm>

#include "backends/cuda_like_captures.hpp"
#include "backends/cuda_like_waiter.hpp"
#include "release_error.hpp"

namespace anystream::core {

// ---- events -------------------------------------------------------------------------------------

template <class Traits>
void cuda_like_backend<Traits>::record_into(const calls& api, known_event& event,
                                            const known_stream& stream,
                                            const capture_state& state) const {
  api.template call<&driver::event_record>(reinterpret_cast<typename Traits::event>(event.handle),
                                           cuda_like::native_of<Traits>(stream));
  event.capture = state;
}

template <class Traits>
event_handle cuda_like_backend<Traits>::record(stream_handle handle) const {
  using namespace cuda_like;
  const known_stream& stream = stream_at(handle);
  if (stream.is_of_other_thread()) return record_all(handle, nullptr);
  const calls api = ready();
  const current_place here(api, require_place(api, stream));
  const capture_state state = capture_of(api, stream);
  refuse_broken(stream, state);
  auto made = std::make_unique<known_event>();
  if (state.status == capture_state::active && !stream.may_be_gone()) {
    made->captured = pointer_at(handle);
  }
  typename Traits::event event = nullptr;
  api.template call<&driver::event_create>(&event, without_timing);
  made->handle = reinterpret_cast<std::uintptr_t>(event);
  made->where = stream.where.load();
  made->life = stream.life.load();
  try {
    record_into(api, *made, stream, state);
  } catch (...) {
    api->event_destroy(event);
    throw;
  }
  return made.release();
}

template <class Traits>
std::shared_ptr<cuda_like::awaited_place> cuda_like_backend<Traits>::await_place(
    place where, std::uint64_t life) const {
  return cuda_like::await_all(where, life, [this, where, life] {
    const calls api = ready();
    if (is_gone(api, where, life)) return true;
    const current_place here(api, where);
    if (shows_capture(api, where)) return false;
    const relaxed mode(api);
    return api.template call_unless<&driver::synchronize_current>(cuda_like::capture_unsupported);
  });
}

template <class Traits>
auto cuda_like_backend<Traits>::whole_of(const calls& api, const known_stream& stream) const
    -> whole {
  const place known = stream.where.load(std::memory_order_acquire);
  const place where = known != 0 ? known : default_place(api, stream.device.device_id);
  const std::uint64_t life = Traits::life(api, where);
  return {where, life, known == 0 || life == stream.life.load()};
}

// False: there is no such event, or none while a stream of the context is being captured.
template <class Traits>
bool cuda_like_backend<Traits>::record_context(const calls& api, known_event& event,
                                               stream_handle home) const {
  if (shows_capture(api, event.where, home) || !Traits::has_event_of_all(api)) return false;
  auto native = reinterpret_cast<typename Traits::event>(event.handle);
  if (native == nullptr)
    api.template call<&driver::event_create>(&native, cuda_like::without_timing);
  event.handle = reinterpret_cast<std::uintptr_t>(native);
  return Traits::record_all(api, event.where, native);
}

// Work that is captured is known by the end of the capture alone. Else it is an event of the whole
// context, where that can be, or a thread waits.
template <class Traits>
void cuda_like_backend<Traits>::record_whole(const calls& api, known_event& event,
                                             const known_stream& stream, stream_handle home) const {
  known_capture joined = joined_by(api, stream);
  const current_place here(api, event.where);
  if (joined.of == nullptr) {
    if (record_context(api, event, home)) return;
    event.awaited = await_place(event.where, event.life);
    if (home != nullptr) event.captured = cuda_like::pointer_at(home);  // it can be asked so long
  }
  const auto native = reinterpret_cast<typename Traits::event>(event.handle);
  if (native != nullptr) api->event_destroy(native);
  event.handle = 0;
  if (joined.of == nullptr) return;
  event.where = joined.of->where.load();
  event.life = joined.of->life.load();
  event.capture = joined.state;
  event.captured = std::move(joined.of);
}

template <class Traits>
event_handle cuda_like_backend<Traits>::record_all(stream_handle handle, stream_handle home) const {
  using namespace cuda_like;
  const calls api = ready();
  const known_stream& stream = stream_at(handle);
  const auto [where, life, is_there] = whole_of(api, stream);
  auto made = std::make_unique<known_event>();
  made->where = where;
  made->life = life;
  if (!is_there) return made->awaited = nothing_to_await(), made.release();
  try {
    record_whole(api, *made, stream, home);
  } catch (...) {
    destroy_event(made.release());
    throw;
  }
  return made.release();
}

template <class Traits>
bool cuda_like_backend<Traits>::wait(stream_handle handle, event_handle awaited) const {
  using namespace cuda_like;
  const known_stream& stream = stream_at(handle);
  const known_event& event = event_at(awaited);
  if (stream.is_of_other_thread() || (event.awaited && event.awaited->done)) return false;
  const calls api = ready();
  const place where = require_place(api, stream);
  if (is_gone(api, event.where, event.life)) return true;
  const current_place here(api, where, stream.is_default());
  const capture_state state = capture_of(api, stream);
  if (event.handle == 0) {
    if (state.status == capture_state::active) check_join(stream, event.capture, state);
    return !event.awaited && wait_for_capture(api, stream, event.capture);
  }
  check_join(stream, event.capture, state);
  api.template call<&driver::stream_wait>(
      native_of<Traits>(stream), reinterpret_cast<typename Traits::event>(event.handle), 0U);
  if (event.captured != nullptr) stream.join({event.captured, event.capture});
  return true;
}

// Where the place of an event is gone, so is the work.
template <class Traits>
bool cuda_like_backend<Traits>::is_gone(const calls& api, place where,
                                        std::uint64_t life) const noexcept {
  try {
    return Traits::life(api, where) != life;
  } catch (const std::exception&) {
    return false;
  }
}

// A capture's end is told by a stream in it; the event must not be asked while it goes on.
template <class Traits>
bool cuda_like_backend<Traits>::complete(event_handle handle) const {
  const known_event& event = cuda_like::event_at(handle);
  if (event.awaited) return cuda_like::is_done(*event.awaited);
  const calls api = ready();
  if (is_gone(api, event.where, event.life)) return true;
  if (event.capture.status == capture_state::active) {
    return !goes_on(api, event.where, {event.captured, event.capture});
  }
  const relaxed mode(api);
  return api.template call_unless<&driver::event_query>(
      cuda_like::not_ready, reinterpret_cast<typename Traits::event>(event.handle));
}

template <class Traits>
void cuda_like_backend<Traits>::synchronize_event(event_handle handle) const {
  const known_event& event = cuda_like::event_at(handle);
  if (event.awaited) {
    event.awaited->done.wait(false);
    static_cast<void>(cuda_like::is_done(*event.awaited));
    return;
  }
  const calls api = ready();
  if (is_gone(api, event.where, event.life)) return;
  if (event.capture.status == capture_state::active) {
    if (goes_on(api, event.where, {event.captured, event.capture})) Traits::refuse_wait();
    return;
  }
  const current_place here(api, event.where, false);
  const relaxed mode(api);
  api.template call<&driver::event_synchronize>(
      reinterpret_cast<typename Traits::event>(event.handle));
}

template <class Traits>
void cuda_like_backend<Traits>::destroy_event(event_handle handle) const noexcept {
  const std::unique_ptr<known_event> last(&cuda_like::event_at(handle));
  const driver* there = known_driver();
  if (there == nullptr || last->handle == 0) return;
  const calls api(*there, Traits::symbols());
  if (is_gone(api, last->where, last->life)) return;
  api->event_destroy(reinterpret_cast<typename Traits::event>(last->handle));
}

template <class Traits>
event_place cuda_like_backend<Traits>::place_of_stream(DLDevice, stream_handle handle) const {
  const known_stream& stream = cuda_like::stream_at(handle);
  return stream.is_of_other_thread() ? 0 : place_of(stream);
}

// One that is part of a graph, or that cannot be recorded, is not used again.
template <class Traits>
event_place cuda_like_backend<Traits>::place_of_event(DLDevice,
                                                      event_handle handle) const noexcept {
  const known_event& event = cuda_like::event_at(handle);
  const bool plain = event.handle != 0 && event.capture.status == capture_state::none;
  return plain && known_driver() != nullptr ? event.where : 0;
}

template <class Traits>
bool cuda_like_backend<Traits>::record_again(event_handle handle, stream_handle stream) const {
  using namespace cuda_like;
  const known_stream& on = stream_at(stream);
  known_event& event = event_at(handle);
  const calls api = ready();
  static_cast<void>(require_place(api, on));
  if (event.life != on.life.load()) return false;
  const current_place here(api, event.where, on.is_default());
  const capture_state state = capture_of(api, on);
  refuse_broken(on, state);
  record_into(api, event, on, state);
  if (state.status == capture_state::active && !on.may_be_gone()) {
    event.captured = pointer_at(stream);
  }
  return true;
}

template <class Traits>
event_place cuda_like_backend<Traits>::place_of_all(stream_handle handle) const {
  const calls api = ready();
  return Traits::has_event_of_all(api) ? whole_of(api, cuda_like::stream_at(handle)).where : 0;
}

template <class Traits>
bool cuda_like_backend<Traits>::record_all_again(event_handle handle, stream_handle stream,
                                                 stream_handle home) const {
  known_event& event = cuda_like::event_at(handle);
  const known_stream& ended = cuda_like::stream_at(stream);
  const calls api = ready();
  const auto [where, life, is_there] = whole_of(api, ended);
  if (!is_there || event.life != life) return false;
  record_whole(api, event, ended, home);
  return true;
}

// ---- memory -------------------------------------------------------------------------------------

template <class Traits>
int cuda_like_backend<Traits>::memory_kind(DLDevice, const void* memory, stream_handle) const {
  return Traits::describe(ready(), memory).kind;
}

// The type of pinned and of managed memory, and the number of the device that it is on.
template <class Traits>
DLDevice cuda_like_backend<Traits>::locate(DLDevice claimed, const void* memory) const {
  const auto found = Traits::describe(ready(), memory);
  switch (found.kind) {
    case ANYSTREAM_MEMORY_DEVICE:
      return {Traits::device_kind, found.device};
    case ANYSTREAM_MEMORY_HOST:
      return {Traits::host_kind, found.device};
    case ANYSTREAM_MEMORY_SHARED:
      return {Traits::managed_kind, found.device};
    default:
      return claimed;
  }
}

template <class Traits>
bool cuda_like_backend<Traits>::has_pool(DLDevice device) const noexcept {
  const auto number = static_cast<std::size_t>(device.device_id);
  const driver* there = known_driver();
  return device.device_type == Traits::device_kind && there != nullptr &&
         there->allocate_async != nullptr && there->free_async != nullptr &&
         number < most_devices && !without_pools_[number].load();
}

template <class Traits>
bool cuda_like_backend<Traits>::uses_pool(DLDevice device, stream_handle stream) const noexcept {
  if (stream == nullptr || !has_pool(device)) return false;
  return cuda_like::stream_at(stream).device.device_id == device.device_id;
}

// Into a stream that may be gone by then, or of one thread, nothing is put from any other.
template <class Traits>
bool cuda_like_backend<Traits>::frees_in_order(DLDevice device,
                                               stream_handle stream) const noexcept {
  if (!uses_pool(device, stream)) return false;
  const known_stream& on = cuda_like::stream_at(stream);
  return !on.may_be_gone() && on.thread == 0;
}

template <class Traits>
void* cuda_like_backend<Traits>::allocate(DLDevice device, std::size_t bytes,
                                          stream_handle stream) const {
  const calls api = ready();
  void* memory = nullptr;
  if (uses_pool(device, stream)) {
    const known_stream& on = cuda_like::stream_at(stream);
    const current_place here(api, require_place(api, on));
    if (api.template call_unless<&driver::allocate_async>(cuda_like::not_supported, &memory, bytes,
                                                          cuda_like::native_of<Traits>(on))) {
      return memory;
    }
    without_pools_[static_cast<std::size_t>(device.device_id)].store(true);
  }
  const current_place here(api, default_place(api, device.device_id));
  const relaxed mode(api);
  if (device.device_type == Traits::device_kind) {
    api.template call<&driver::allocate>(&memory, bytes);
    return memory;
  }
  return Traits::allocate(api, device.device_type, bytes);
}

template <class Traits>
void cuda_like_backend<Traits>::deallocate(DLDevice device, void* memory,
                                           stream_handle stream) const noexcept {
  if (known_driver() == nullptr || memory == nullptr) return;
  try {
    const calls api = ready();
    const relaxed mode(api);
    if (uses_pool(device, stream) && !may_be_gone(stream)) {
      const known_stream& on = cuda_like::stream_at(stream);
      const current_place here(api, place_of(on));
      return api.template call<&driver::free_async>(memory, cuda_like::native_of<Traits>(on));
    }
    const current_place here(api, default_place(api, device.device_id));
    const bool host = device.device_type == Traits::host_kind;
    host ? api.template call<&driver::free_host>(memory) : api.template call<&driver::free>(memory);
  } catch (const std::exception& error) {
    report_failed_release("memory could not be given back", error);
  }
}

template <class Traits>
void cuda_like_backend<Traits>::copy(stream_handle stream, location target, location source,
                                     std::size_t bytes) const {
  if (bytes == 0) return;
  const known_stream& on = cuda_like::stream_at(stream);
  const calls api = ready();
  const current_place here(api, require_place(api, on));
  Traits::copy(api, target.address(), source.address(), bytes, cuda_like::native_of<Traits>(on));
}

}  // namespace anystream::core
