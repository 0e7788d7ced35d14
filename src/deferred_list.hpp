// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The one list of the process: its entries, its thread, and who waits for them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "deferred.hpp"

namespace anystream::core {

using time_limit = std::optional<std::chrono::steady_clock::time_point>;  // empty: none

enum class progress { pending, complete, failed };

// How far the device is; a failure is told. Events that are complete are dropped, so that none is
// asked twice.
progress ask(deferred_release& entry) noexcept;

class release_list {
 public:
  void add(deferred_releases one);
  void keep(deferred_releases one) noexcept;
  bool run() noexcept;  // whether an entry has gone

  pending_releases pending() const noexcept { return {number_, bytes_}; }
  std::size_t kept() noexcept {
    const std::scoped_lock lock(mutex_);
    return kept_.size();
  }

  // Waits for the oldest entries until it is enough.
  void wait_until(const std::function<bool()>& enough);
  bool flush(const time_limit& end);  // whether nothing is pending any more
  void keep_the_rest() noexcept;

  void want_thread(bool wanted) noexcept;
  void end_thread(const time_limit& end);  // waits for that

 private:
  deferred_releases take_all() noexcept;
  deferred_releases take_oldest() noexcept;
  void put_back(deferred_releases& pending) noexcept;
  void settle(deferred_releases gone, progress how) noexcept;
  bool wait_for_change(std::unique_lock<std::mutex>& lock, const time_limit& end);
  void start_thread_if_needed() noexcept;
  bool claim_thread() noexcept;
  void work() noexcept;

  std::mutex mutex_;                 // of the members below; no foreign code runs under it
  std::condition_variable wake_;     // of the thread: there is something, or it is to end
  std::condition_variable changed_;  // of who waits: an entry has gone, or the thread has ended
  deferred_releases waiting_;        // the oldest first
  deferred_releases kept_;           // for good
  bool thread_runs_ = false;
  std::atomic<std::int64_t> number_{0};  // with those in somebody's hands
  std::atomic<std::uint64_t> bytes_{0};
};

release_list& all_releases();

}  // namespace anystream::core
