// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Parking queues, and letting them go.
#include "backends/sycl_parked.hpp"

#include <algorithm>

namespace anystream::core {

std::vector<parked_queues::entry> parked_queues::take_those_before(time limit) {
  const std::scoped_lock lock(mutex_);
  const auto stays = [&](const entry& parked) { return parked.since > limit; };
  const auto due = std::ranges::partition(entries_, stays);
  std::vector<entry> taken(due.begin(), due.end());
  entries_.erase(due.begin(), due.end());
  count_ = entries_.size();
  return taken;
}

void parked_queues::release(const sycl_driver& sycl, time now) noexcept {
  if (count_ == 0) return;
  for (const auto& [queue, since] : take_those_before(now - stay)) sycl.DPCTLQueue_Delete(queue);
}

void parked_queues::park(const sycl_driver& sycl, sycl_queue queue, time now) noexcept {
  release(sycl, now);
  const std::scoped_lock lock(mutex_);
  entries_.push_back({.queue = queue, .since = now});
  count_ = entries_.size();
}

}  // namespace anystream::core
