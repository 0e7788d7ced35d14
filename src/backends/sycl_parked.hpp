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

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "driver/sycl.hpp"

namespace anystream::core {

class parked_queues {
 public:
  using time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds stay{1};

  // Lets go of those that have stayed long enough, and keeps this one.
  void park(const sycl_driver& sycl, sycl_queue queue, time now) noexcept;
  // Lets go of those that have stayed long enough. Costs a load where there are none.
  void release(const sycl_driver& sycl, time now) noexcept;
  void release_all(const sycl_driver& sycl) noexcept { release(sycl, time::max()); }

 private:
  struct entry {
    sycl_queue queue;
    time since;
  };
  std::vector<entry> take_those_before(time limit);

  std::mutex mutex_;  // guards the list; nothing is let go under it
  std::vector<entry> entries_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace anystream::core
