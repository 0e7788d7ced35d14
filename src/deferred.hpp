// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Releases that wait for the device: the one list of the process, and who works it off.
//
// What holds of all of it:
//
// - An entry is let go of when its events are complete: by one thread, started on demand, and at
//   calls of the library; never from within an array's release, which only adds.
// - No foreign code (an owner's release, a backend) runs under a lock, and an entry is in one
//   thread's hands while it does. It counts as pending for so long.
// - An event that cannot be asked is told of, and its entry's memory kept for good: never freed
//   early. The same holds of what is left when the list is stopped, and of what a forked child
//   finds: it has a list of its own, since its parent's may be locked, and no thread.
// - The list is never destroyed. At the end of the process its thread is ended first, so that it
//   asks no driver that is going away.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "event.hpp"
#include "owner.hpp"

namespace anystream::core {

struct deferred_release {
  owner memory;                                     // let go of when …
  std::vector<std::shared_ptr<const event>> after;  // … all of these are complete
  std::uint64_t bytes = 0;
  bool told = false;  // that something failed: once is enough
};

// A list of one is what is given, so that taking it needs no memory.
using deferred_releases = std::list<deferred_release>;

// Lets go now if the events are complete, else puts it off. Never waits. Any thread, also in a
// deleter that a peer is running.
void release_when_complete(deferred_releases one) noexcept;

// Puts it off even where nothing is to be waited for: another thread lets go. Any thread.
void release_soon(deferred_releases one) noexcept;

// As if its events never came: what holds it is told once, by whoever calls this.
void keep_for_good(deferred_releases one) noexcept;

// Of the process, and of the parent that it was forked from: where nothing is, that is all to ask.
inline constinit std::atomic<std::int64_t> any_release_pending{0};

// While an owner's release runs: what it calls lets go of nothing else and waits for nothing, as
// that could be what this very thread has in hand.
class release_in_progress {
 public:
  release_in_progress() noexcept;
  ~release_in_progress();
  release_in_progress(const release_in_progress&) = delete;
  release_in_progress& operator=(const release_in_progress&) = delete;
};

bool release_is_in_progress() noexcept;  // in the calling thread

// While an owner's release runs that nothing was ordered for. The same holds in there; but a
// runtime may be the one that runs it, whose threads are still told from ours.
class deleter_in_progress {
 public:
  deleter_in_progress() noexcept;
  ~deleter_in_progress();
  deleter_in_progress(const deleter_in_progress&) = delete;
  deleter_in_progress& operator=(const deleter_in_progress&) = delete;
};

// Nonzero: the calling thread is in a deleter that is run outside of the core. Null: no one is.
void ask_deleters(std::int32_t (*is_in_deleter)()) noexcept;

// Lets go of what is due. Never waits for a device. Runs foreign code: never under a lock, and not
// in a deleter that a peer is running.
void run_pending_releases() noexcept;
inline void run_finished_releases() noexcept {
  if (any_release_pending.load(std::memory_order_relaxed) != 0) run_pending_releases();
}

struct pending_releases {
  std::int64_t number;
  std::uint64_t bytes;
};
pending_releases count_pending_releases() noexcept;
std::size_t count_kept_for_good() noexcept;  // for tests

// What wait_for_room keeps to; 0 is no limit. Throws value_error for a negative number.
void set_release_limit(const pending_releases& most);

// These wait on the host, the first for the oldest entries until no more is pending than the limit.
// Never in a destructor, and with no lock of anybody's held (the GIL included).
using wait_limit = std::optional<std::chrono::duration<double>>;  // empty: none
void wait_for_room();
bool flush_releases(wait_limit longest);  // whether nothing is pending any more
void stop_releases(wait_limit longest);   // then there is no thread, and the rest is kept for good

// False ends the thread (without waiting for what it is doing), and lets no other start.
void use_release_thread(bool use) noexcept;

}  // namespace anystream::core
