// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Out-of-order queues that nobody uses any more, kept for a while before they are let go.
//
// Intel's OpenCL runtime for CPUs (2026.2) hangs when the last reference to an out-of-order queue
// goes at the moment in which its last task ends: the worker that ends it is left with the queue,
// and waits for itself. That moment is a likely one: it comes right after an event of the queue was
// seen to be complete.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

namespace anystream::core {

// `release(queue)` is how the platform lets go of one; no lock is held meanwhile.
template <class Queue>
class parked_queues {
 public:
  using time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds stay{1};

  // Lets go of those that have stayed long enough, and keeps this one.
  template <class Release>
  void park(Queue queue, time now, const Release& release) noexcept {
    let_go(now, release);
    const std::scoped_lock lock(mutex_);
    entries_.push_back({.queue = queue, .since = now});
    count_ = entries_.size();
  }
  // Lets go of those that have stayed long enough. Costs a load where there are none.
  template <class Release>
  void let_go(time now, const Release& release) noexcept {
    if (count_ == 0) return;
    for (const auto& [queue, since] : take_those_before(now - stay)) release(queue);
  }
  template <class Release>
  void let_go_of_all(const Release& release) noexcept {
    let_go(time::max(), release);
  }

 private:
  struct entry {
    Queue queue;
    time since;
  };

  std::vector<entry> take_those_before(time limit) {
    const std::scoped_lock lock(mutex_);
    const auto stays = [&](const entry& parked) { return parked.since > limit; };
    const auto due = std::ranges::partition(entries_, stays);
    std::vector<entry> taken(due.begin(), due.end());
    entries_.erase(due.begin(), due.end());
    count_ = entries_.size();
    return taken;
  }

  std::mutex mutex_;  // guards the list; nothing is let go under it
  std::vector<entry> entries_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace anystream::core
