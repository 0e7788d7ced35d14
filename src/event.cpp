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

// Handles of one place of one platform.
struct shelf {
  static constexpr std::size_t room = 64;

  const backend* engine;
  event_place place;
  std::vector<event_handle> handles;
};

class event_pool {
 public:
  // Null where there is none.
  event_handle take(const backend& engine, event_place place) noexcept {
    const std::scoped_lock lock(mutex_);
    shelf* const found = find(engine, place);
    if (found == nullptr || found->handles.empty()) return nullptr;
    const event_handle last = found->handles.back();
    found->handles.pop_back();
    return last;
  }

  // False: there is no room. cleared: what had to go for it, for the caller to destroy.
  bool keep(const backend& engine, event_place place, event_handle handle,
            shelf& cleared) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      shelf& there = shelf_of(engine, place, cleared);
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

  shelf* find(const backend& engine, event_place place) noexcept {
    for (shelf& each : shelves_) {
      if (each.engine == &engine && each.place == place) return &each;
    }
    return nullptr;
  }

  // Machines have fewer devices, and programs fewer contexts, than there may be shelves; tests make
  // ever new simulated ones, each of which then takes the shelf of an earlier one.
  shelf& shelf_of(const backend& engine, event_place place, shelf& cleared) {
    shelf* const found = find(engine, place);
    if (found != nullptr) return *found;
    shelf made{&engine, place, {}};
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

// The work of a stream, or all that of the place of one that may be gone.
struct recording {
  const backend& engine;
  const stream& on;
  bool all = false;
  stream_handle home = nullptr;

  event_place place() const {
    return all ? engine.place_of_all(on.handle) : engine.place_of_stream(on.device, on.handle);
  }
  bool again(event_handle known) const {
    return all ? engine.record_all_again(known, on.handle, home)
               : engine.record_again(known, on.handle);
  }
  event_handle anew() const {
    return all ? engine.record_all(on.handle, home) : engine.record(on.handle);
  }
};

// A handle that could not be recorded is not used again. False: nor can it ever be.
bool record_again(const recording& wanted, event_handle known) {
  try {
    if (wanted.again(known)) return true;
  } catch (...) {
    wanted.engine.destroy_event(known);
    throw;
  }
  wanted.engine.destroy_event(known);
  return false;
}

event_handle record_handle(const recording& wanted) {
  const backend& engine = wanted.engine;
  const event_place place = wanted.place();
  event_handle known = place != 0 ? pool.get().take(engine, place) : nullptr;
  for (; known != nullptr; known = pool.get().take(engine, place)) {
    if (record_again(wanted, known)) return known;
  }
  const event_handle made = wanted.anew();
  created.fetch_add(1, std::memory_order_relaxed);
  return made;
}

}  // namespace

event_ref record_event(const stream& stream) {
  const backend& engine = require_backend(*stream.platform, stream.device);
  // The memory first: from here on the event cleans up.
  auto made = std::make_unique<event>(*stream.platform, stream.device, nullptr);
  made->handle = record_handle({engine, stream});
  return made;
}

event_ref record_end(const stream& ended, const stream& home) {
  const backend& engine = require_backend(*ended.platform, ended.device);
  if (!engine.may_be_gone(ended.handle)) return record_event(ended);
  auto made = std::make_unique<event>(*ended.platform, ended.device, nullptr);
  const bool one_platform = same_platform(*ended.platform, *home.platform);
  made->handle = record_handle({engine, ended, true, one_platform ? home.handle : nullptr});
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
  const event_place place = engine.place_of_event(device, handle);
  shelf cleared{&engine, place, {}};
  const bool kept = place != 0 && pool.get().keep(engine, place, handle, cleared);
  destroy(cleared);
  if (!kept) engine.destroy_event(handle);
}

std::uint64_t events_created() noexcept { return created.load(std::memory_order_relaxed); }

}  // namespace anystream::core

anystream_event::~anystream_event() {
  if (handle != nullptr) anystream::core::give_back(*platform->engine, device, handle);
}
