// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording events and waiting for them, and the pool of those that can be recorded again.
#include "event.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "driver/fork.hpp"

namespace anystream::core {
namespace {

std::atomic<std::uint64_t> created{0};

// Handles of one device of one platform: vendors bind events to a device, or to its context.
struct shelf {
  static constexpr std::size_t room = 64;

  const backend* engine;
  std::int32_t device;
  std::vector<event_handle> handles;
};

class event_pool {
 public:
  // Null where there is none.
  event_handle take(const backend& engine, std::int32_t device) noexcept {
    const std::scoped_lock lock(mutex_);
    shelf* const found = find(engine, device);
    if (found == nullptr || found->handles.empty()) return nullptr;
    const event_handle last = found->handles.back();
    found->handles.pop_back();
    return last;
  }

  // False: there is no room. cleared: what had to go for it, for the caller to destroy.
  bool keep(const backend& engine, std::int32_t device, event_handle handle,
            shelf& cleared) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      shelf& there = shelf_of(engine, device, cleared);
      if (there.handles.size() == shelf::room) return false;
      there.handles.push_back(handle);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::vector<shelf> take_all() noexcept {
    const std::scoped_lock lock(mutex_);
    return std::exchange(shelves_, {});
  }

 private:
  static constexpr std::size_t most_shelves = 64;

  shelf* find(const backend& engine, std::int32_t device) noexcept {
    for (shelf& each : shelves_) {
      if (each.engine == &engine && each.device == device) return &each;
    }
    return nullptr;
  }

  // Machines have fewer devices than there may be shelves; tests make ever new simulated ones, each
  // of which then takes the shelf of an earlier one.
  shelf& shelf_of(const backend& engine, std::int32_t device, shelf& cleared) {
    shelf* const found = find(engine, device);
    if (found != nullptr) return *found;
    shelf made{&engine, device, {}};
    if (shelves_.size() < most_shelves) return shelves_.emplace_back(std::move(made));
    shelf& taken = shelves_[next_++ % most_shelves];
    cleared = std::exchange(taken, std::move(made));
    return taken;
  }

  std::mutex mutex_;  // guards the shelves; no backend is called under it
  std::vector<shelf> shelves_;
  std::size_t next_ = 0;  // to be taken
};

one_a_process<event_pool> pool;

void destroy(const shelf& cleared) noexcept {
  for (const event_handle handle : cleared.handles) cleared.engine->destroy_event(handle);
}

// A handle that could not be recorded is not used again.
event_handle record_again(const backend& engine, event_handle known, stream_handle stream) {
  try {
    engine.record_again(known, stream);
    return known;
  } catch (...) {
    engine.destroy_event(known);
    throw;
  }
}

event_handle record_handle(const backend& engine, const stream& stream) {
  if (engine.reuses_events(stream.device)) {
    const event_handle known = pool.get().take(engine, stream.device.device_id);
    if (known != nullptr) return record_again(engine, known, stream.handle);
  }
  const event_handle made = engine.record(stream.handle);
  created.fetch_add(1, std::memory_order_relaxed);
  return made;
}

}  // namespace

event_ref record_event(const stream& stream) {
  const backend& engine = require_backend(*stream.platform, stream.device);
  // The memory first: from here on the event cleans up.
  auto made = std::make_unique<event>(*stream.platform, stream.device, nullptr);
  made->handle = record_handle(engine, stream);
  return made;
}

std::int32_t wait_event(const stream& stream, const event& event) {
  const backend& engine = *event.platform->engine;
  const bool on_device =
      same_platform(*stream.platform, *event.platform) && engine.wait(stream.handle, event.handle);
  if (on_device) return ANYSTREAM_ORDERED_EVENT;
  if (engine.complete(event.handle)) return ANYSTREAM_ORDERED_IDLE;
  synchronize_event(event);
  return ANYSTREAM_ORDERED_HOST_WAIT;
}

void synchronize_event(const event& event) {
  const backend& engine = *event.platform->engine;
  engine.check_wait(event.handle);
  engine.synchronize_event(event.handle);
}

void empty_event_pool() noexcept {
  for (const shelf& each : pool.get().take_all()) destroy(each);
}

void give_back(const backend& engine, DLDevice device, event_handle handle) noexcept {
  shelf cleared{&engine, device.device_id, {}};
  const bool kept =
      engine.reuses_events(device) && pool.get().keep(engine, device.device_id, handle, cleared);
  destroy(cleared);
  if (!kept) engine.destroy_event(handle);
}

std::uint64_t events_created() noexcept { return created.load(std::memory_order_relaxed); }

}  // namespace anystream::core

anystream_event::~anystream_event() {
  if (handle != nullptr) anystream::core::give_back(*platform->engine, device, handle);
}
