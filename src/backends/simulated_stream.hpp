// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream of the simulated accelerator: a thread, its queue, and the events recorded on it. On an
// exploring device it has no thread: a scheduler runs what is queued.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace anystream::core::simulated {

class journal;
class scheduler;
class stream;

// A point in a stream's work. Complete once, for good.
class event {
 public:
  event() = default;
  event(std::shared_ptr<scheduler> explorer, std::string name)
      : explorer_{std::move(explorer)}, name_{std::move(name)} {}

  scheduler* explorer() const noexcept { return explorer_.get(); }  // null: a thread completes it
  const std::string& name() const noexcept { return name_; }        // "event 1" where it explores

  bool complete() const noexcept { return complete_.load(std::memory_order_acquire); }
  void synchronize();       // waits
  void check_wait() const;  // value_error: this thread must not

  // The stream has an operation that this event holds back: wake it on completion.
  void wakes(std::weak_ptr<stream> waiting);
  // Gives the streams to wake, which the caller does when it holds no lock.
  std::vector<std::weak_ptr<stream>> finish();

 private:
  const std::shared_ptr<scheduler> explorer_;
  const std::string name_;
  std::atomic<bool> complete_ = false;
  std::mutex lock_;
  std::condition_variable completed_;
  std::vector<std::weak_ptr<stream>> waiting_;
};

struct operation {
  std::function<void()> run = nullptr;         // may be null
  std::shared_ptr<event> after = nullptr;      // not started before this is complete; may be null
  std::shared_ptr<event> completes = nullptr;  // complete when this has run; may be null
  bool covers_earlier = false;  // out of order: starts when all earlier operations have ended
  bool holds_later = false;     // out of order: later operations start when this has ended
  std::uint64_t index = 0;      // of the stream, in the order of submission
  bool delayed = false;         // has had its delay
  // What a schedule calls it. g++ warns where a member without an initializer is left out.
  std::string label = {};  // NOLINT(readability-redundant-member-init)
};

struct stream_traits {
  std::int32_t device;
  std::uint64_t number;  // on its device
  std::string name;
  bool in_order;
  std::uint64_t seed;
  std::uint32_t max_delay_us;
};

// In microseconds, 0 to max: a pure function, so that a run can be repeated.
std::uint32_t delay_before(std::uint64_t seed, std::uint64_t stream_number, std::uint64_t operation,
                           std::uint32_t max) noexcept;

class stream : public std::enable_shared_from_this<stream> {
 public:
  // With its thread, or the scheduler, which keeps it alive until it was retired and its queue has
  // run dry.
  static std::shared_ptr<stream> start(stream_traits traits,
                                       std::shared_ptr<scheduler> explorer = nullptr);

  const stream_traits& traits() const noexcept { return traits_; }
  scheduler* explorer() const noexcept { return explorer_.get(); }  // null: it has a thread

  void submit(operation next);  // value_error once retired, or abandoned
  void wait(std::shared_ptr<event> earlier);
  std::shared_ptr<event> record();
  void barrier();

  // For faults: ahead of the operation that was queued last; or of that one if it is a wait.
  void submit_before_last(operation next);
  void submit_before_wait(operation next);
  std::shared_ptr<event> new_event() const;

  // For the scheduler.
  void point() const;  // the host has called
  std::uint64_t startable_operations();
  void run_startable(std::uint64_t which, journal& told);
  std::string describe_pending() const;
  void abandon();  // drops what is queued, as if it had ended, and takes nothing more

  void hold();
  void resume();
  void retire();  // no one has a handle any more: ends any hold
  void wake();

  bool retired() const;
  std::uint64_t pending() const;
  void synchronize();       // waits, for what was submitted before the call
  void check_wait() const;  // value_error: this thread must not

 private:
  stream(stream_traits traits, std::shared_ptr<scheduler> explorer)
      : traits_{std::move(traits)}, explorer_{std::move(explorer)} {}

  using queue = std::deque<operation>;

  // All with lock_ held.
  template <class Visit>
  void visit_startable(Visit visit);
  queue::iterator startable();
  void check_taking() const;  // value_error once retired, or abandoned
  void put_before_last(operation next);
  operation taken(const queue::iterator& next);
  std::optional<operation> take(std::unique_lock<std::mutex>& lock);
  std::uint64_t oldest_pending() const;

  void work();
  void run(operation& next, std::unique_lock<std::mutex>& lock);
  void finish(operation& done, std::unique_lock<std::mutex>& lock);
  void set_held(bool held);

  const stream_traits traits_;
  const std::shared_ptr<scheduler> explorer_;
  mutable std::mutex lock_;  // of the members below; held while nothing waits and nothing runs
  std::condition_variable changed_;
  queue queue_;
  std::optional<std::uint64_t> running_;
  std::uint64_t submitted_ = 0;
  bool held_ = false;
  bool retired_ = false;
  bool abandoned_ = false;
};

}  // namespace anystream::core::simulated
