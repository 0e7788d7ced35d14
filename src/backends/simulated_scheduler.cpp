// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler of an exploring device.
//
// Schedules differ in kind, not only in detail, since a mistake may show only where one stream is
// far ahead of another: how much runs at a call of the host, and how much the streams differ in
// weight, is drawn for each schedule; and weights are drawn anew now and then.
#include "simulated_scheduler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <anystream/error.hpp>

#include "simulated_stream.hpp"

namespace anystream::core::simulated {
namespace {

// How much runs at a call, in 64ths: never nothing, since a program may ask until it is told yes.
constexpr std::uint64_t eagernesses[] = {1, 4, 8, 16, 32, 48, 56, 60};
constexpr std::uint64_t all_of_it = 64;
constexpr std::uint64_t shift_in = 16;  // weights are drawn anew at one operation of so many

class depth_guard {
 public:
  explicit depth_guard(int& depth) noexcept : depth_{depth} { ++depth_; }
  depth_guard(const depth_guard&) = delete;
  depth_guard& operator=(const depth_guard&) = delete;
  ~depth_guard() { --depth_; }

 private:
  int& depth_;
};

}  // namespace

scheduler::scheduler(std::uint64_t seed, fault which)
    : faults_{which},
      draws_{seed},
      eagerness_{eagernesses[draws_.below(std::size(eagernesses))]},
      bias_{draws_.below(3)} {}

std::uint64_t scheduler::draw_weight() { return std::uint64_t{1} << (bias_ * draws_.below(5)); }

void scheduler::adopt(std::shared_ptr<stream> made) {
  const std::uint64_t weight = drives() ? draw_weight() : 1;
  const std::scoped_lock guard{lock_};
  lanes_.push_back({std::move(made), weight});
}

void scheduler::forget(const stream& retired) {
  if (retired.pending() > 0) return;
  const std::scoped_lock guard{lock_};
  std::erase_if(lanes_, [&](const lane& one) { return one.on.get() == &retired; });
}

stream& scheduler::after(stream& other) const {
  std::vector<lane> all = lanes();
  std::erase_if(all, [&](const lane& one) { return one.on.get() != &other && one.on->retired(); });
  auto found = std::ranges::find_if(all, [&](const lane& one) { return one.on.get() == &other; });
  if (found == all.end()) return other;
  return ++found == all.end() ? *all.front().on : *found->on;
}

void scheduler::close() {
  closed_ = true;
  faults_.forget();
  std::vector<lane> dropped;  // after the lock: it may end arrays
  {
    const std::scoped_lock guard{lock_};
    dropped.swap(lanes_);
  }
  for (const lane& one : dropped) one.on->abandon();
}

std::vector<scheduler::lane> scheduler::lanes() const {
  const std::scoped_lock guard{lock_};
  return lanes_;
}

void scheduler::drop_dead_lanes() {
  for (const lane& one : lanes()) {
    if (one.on->retired()) forget(*one.on);
  }
}

void scheduler::shift_weights() {
  const std::scoped_lock guard{lock_};
  for (lane& one : lanes_) one.weight = draw_weight();
}

void scheduler::point() {
  if (!drives() || depth_ > 0 || closed_) return;
  while (draws_.chance(eagerness_, all_of_it) && run_one()) {
  }
}

bool scheduler::run_one() {
  if (draws_.chance(1, shift_in)) shift_weights();
  const std::vector<lane> all = lanes();
  std::vector<std::uint64_t> startable;
  std::uint64_t total = 0;
  for (const lane& one : all) {
    startable.push_back(one.on->startable_operations());
    if (startable.back() > 0) total += one.weight;
  }
  if (total == 0) return false;
  std::uint64_t drawn = draws_.below(total);
  std::size_t chosen = 0;
  for (; startable[chosen] == 0 || drawn >= all[chosen].weight; ++chosen) {
    if (startable[chosen] > 0) drawn -= all[chosen].weight;
  }
  const depth_guard inside{depth_};
  all[chosen].on->run_startable(draws_.below(startable[chosen]), *journal_);
  return true;
}

void scheduler::run_until(const std::function<bool()>& ended, const std::string& awaited) {
  while (!ended()) {
    if (!run_one()) give_up(awaited);
  }
  point();
}

void scheduler::give_up(const std::string& awaited) const {
  journal_->found("waited for what can never be complete", awaited);
  throw driver_error("simulated", 0, "DEADLOCK",
                     "the host waits for " + awaited +
                         ", which can never be complete: no operation can start.\n  " + pending() +
                         "\n  A held stream is to be released, and an event to be recorded where "
                         "it can be reached, before the host waits.");
}

std::string scheduler::pending() const {
  std::string all;
  for (const lane& one : lanes()) {
    if (one.on->pending() == 0) continue;
    if (!all.empty()) all += "; ";
    all += one.on->describe_pending();
  }
  return all.empty() ? "nothing is pending" : all;
}

void scheduler::check_wait() const {
  if (drives() || closed_) return;
  throw value_error(
      "an exploring device belongs to the thread that made it, and its operations run there only: "
      "another thread would wait for ever while that one waits for it.\n"
      "  Wait in the device's own thread; the streams of a SimulatedDevice are for all threads.");
}

void scheduler::finish() {
  if (!drives() || depth_ > 0) {
    throw value_error(
        "an exploring device is finished by the thread that made it, outside of its operations.");
  }
  for (const lane& one : lanes()) one.on->resume();
  while (run_one()) {
  }
  drop_dead_lanes();
  const auto left = lanes();
  const bool stuck = std::ranges::any_of(left, [](const lane& one) { return one.on->pending(); });
  if (stuck) journal_->found("left operations that can never start", pending());
}

}  // namespace anystream::core::simulated
