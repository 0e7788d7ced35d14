// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the operations of an exploring device in the thread that made it, in an order drawn from a
// seed, at the calls that this thread makes: one program and one seed give one order.
//
// Calls of other threads are served too, but nothing runs at them: so a caller there must not wait,
// and the thread that does deferred releases waits until the device's own has come that far. No
// lock is held while an operation runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simulated_draw.hpp"
#include "simulated_faults.hpp"
#include "simulated_journal.hpp"

namespace anystream::core::simulated {

class stream;

class scheduler {
 public:
  scheduler(std::uint64_t seed, fault which);

  void adopt(std::shared_ptr<stream> made);
  void forget(const stream& retired);  // if nothing is pending on it
  stream& after(stream& other) const;  // the live stream that was made next; the first after all

  // The host has queued or asked something: runs as many operations as are drawn, perhaps none.
  void point();
  // Runs operations until it has ended. driver_error, and a finding, where nothing more can start.
  void run_until(const std::function<bool()>& ended, const std::string& awaited);
  // Lifts holds and runs all that is left; a finding if something cannot start. value_error: not
  // the device's thread, or within an operation.
  void finish();

  // value_error: another thread, which would wait for the device's own, perhaps for ever.
  void check_wait() const;

  bool drives() const noexcept { return std::this_thread::get_id() == thread_; }
  bool closed() const noexcept { return closed_; }
  // For good: what is still queued is dropped, who waits for it goes on, and nothing more is taken.
  void close();

  const std::shared_ptr<journal>& told() const noexcept { return journal_; }
  faulty_device& faults() noexcept { return faults_; }

 private:
  struct lane {
    std::shared_ptr<stream> on;
    std::uint64_t weight;
  };

  std::vector<lane> lanes() const;
  void drop_dead_lanes();
  std::uint64_t draw_weight();
  void shift_weights();
  bool run_one();  // false: nothing can start
  [[noreturn]] void give_up(const std::string& awaited) const;
  std::string pending() const;

  const std::thread::id thread_ = std::this_thread::get_id();
  const std::shared_ptr<journal> journal_ = std::make_shared<journal>();
  faulty_device faults_;

  // Of the device's thread.
  draws draws_;
  const std::uint64_t eagerness_;
  const std::uint64_t bias_;
  int depth_ = 0;  // of operations that are running

  std::atomic<bool> closed_ = false;
  mutable std::mutex lock_;  // of lanes_; nothing runs under it
  std::vector<lane> lanes_;
};

}  // namespace anystream::core::simulated
