// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream of the simulated accelerator.
//
// Locks: a stream's may be held when an event's is taken, never the other way round, and never two
// of a kind. No operation runs and no one waits under either.
#include "simulated_stream.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <anystream/error.hpp>

#include "simulated_draw.hpp"
#include "simulated_scheduler.hpp"

namespace anystream::core::simulated {
namespace {

void wake_all(const std::vector<std::weak_ptr<stream>>& streams) {
  for (const auto& waiting : streams) {
    if (const auto alive = waiting.lock()) alive->wake();
  }
}

}  // namespace

std::uint32_t delay_before(std::uint64_t seed, std::uint64_t stream_number, std::uint64_t operation,
                           std::uint32_t max) noexcept {
  const std::uint64_t drawn = mix(mix(mix(seed) + stream_number) + operation);
  return static_cast<std::uint32_t>(drawn % (std::uint64_t{max} + 1));
}

void event::synchronize() {
  if (explorer_ && explorer_->drives()) {
    return explorer_->run_until([this] { return complete(); }, name_);
  }
  std::unique_lock lock{lock_};
  completed_.wait(lock, [this] { return complete(); });
}

void event::check_wait() const {
  if (explorer_ && !complete()) explorer_->check_wait();
}

void event::wakes(std::weak_ptr<stream> waiting) {
  const std::scoped_lock guard{lock_};
  if (!complete()) waiting_.push_back(std::move(waiting));
}

std::vector<std::weak_ptr<stream>> event::finish() {
  const std::scoped_lock guard{lock_};
  complete_.store(true, std::memory_order_release);
  completed_.notify_all();
  return std::move(waiting_);
}

std::shared_ptr<stream> stream::start(stream_traits traits, std::shared_ptr<scheduler> explorer) {
  const std::shared_ptr<stream> fresh{new stream{std::move(traits), std::move(explorer)}};
  if (fresh->explorer_) {
    fresh->explorer_->adopt(fresh);
    return fresh;
  }
  // Detached: a held stream must not keep the process from ending, and at its end nothing is torn
  // down that the thread uses.
  std::thread{[fresh] { fresh->work(); }}.detach();
  return fresh;
}

void stream::check_taking() const {
  if (abandoned_) {
    throw value_error("simulated stream \"" + traits_.name +
                      "\": its exploring device was closed; "
                      "use the device's streams within its own schedule.");
  }
  if (!retired_) return;
  throw value_error("simulated stream \"" + traits_.name +
                    "\": its last handle was released while it was used; "
                    "keep a handle for as long as work is submitted.");
}

void stream::submit(operation next) {
  {
    const std::scoped_lock guard{lock_};
    check_taking();
    next.index = submitted_++;
    queue_.push_back(std::move(next));
  }
  changed_.notify_all();
}

void stream::wait(std::shared_ptr<event> earlier) {
  // First: if it completes in between, submitting wakes the thread anyway.
  earlier->wakes(weak_from_this());
  std::string label = "wait for " + earlier->name();
  submit({.after = std::move(earlier), .holds_later = true, .label = std::move(label)});
}

// It covers earlier work and, unlike SYCL's, holds nothing back: a record is no barrier, and who
// takes it for one shall see it.
std::shared_ptr<event> stream::record() {
  auto recorded = new_event();
  submit({.completes = recorded, .covers_earlier = true, .label = "record " + recorded->name()});
  return recorded;
}

std::shared_ptr<event> stream::new_event() const {
  if (!explorer_) return std::make_shared<event>();
  return std::make_shared<event>(explorer_, explorer_->told()->next_event());
}

void stream::barrier() {
  submit({.covers_earlier = true, .holds_later = true, .label = "barrier"});
}

// The two change their indices too, since a queue's first operation is its oldest.
void stream::put_before_last(operation next) {
  check_taking();
  next.index = submitted_++;
  if (!queue_.empty()) std::swap(next.index, queue_.back().index);
  queue_.insert(queue_.empty() ? queue_.end() : std::prev(queue_.end()), std::move(next));
}

void stream::submit_before_last(operation next) {
  const std::scoped_lock guard{lock_};
  put_before_last(std::move(next));
}

void stream::submit_before_wait(operation next) {
  {
    const std::scoped_lock guard{lock_};
    if (!queue_.empty() && queue_.back().after) return put_before_last(std::move(next));
  }
  submit(std::move(next));
}

void stream::point() const {
  if (explorer_) explorer_->point();
}

void stream::set_held(bool held) {
  const std::scoped_lock guard{lock_};
  held_ = held;
  changed_.notify_all();
}

void stream::hold() { set_held(true); }

void stream::resume() { set_held(false); }

void stream::retire() {
  {
    const std::scoped_lock guard{lock_};
    retired_ = true;
    held_ = false;
    changed_.notify_all();
  }
  if (explorer_) explorer_->forget(*this);
}

bool stream::retired() const {
  const std::scoped_lock guard{lock_};
  return retired_;
}

// Whoever still polls an event that was recorded here is told, and need not keep what waits for it.
void stream::abandon() {
  queue dropped;  // let go of after the lock: it may end arrays
  {
    const std::scoped_lock guard{lock_};
    abandoned_ = true;
    dropped.swap(queue_);
    changed_.notify_all();
  }
  for (const operation& one : dropped) {
    if (one.completes) wake_all(one.completes->finish());
  }
}

// The lock makes sure that the thread is either before its look at the events or already asleep.
void stream::wake() {
  const std::scoped_lock guard{lock_};
  changed_.notify_all();
}

std::uint64_t stream::pending() const {
  const std::scoped_lock guard{lock_};
  return queue_.size() + (running_ ? 1 : 0);
}

void stream::synchronize() {
  std::unique_lock lock{lock_};
  const std::uint64_t target = submitted_;
  if (explorer_ && explorer_->drives()) {
    lock.unlock();
    const auto ended = [&] {
      const std::scoped_lock guard{lock_};
      return oldest_pending() >= target;
    };
    return explorer_->run_until(ended, "stream \"" + traits_.name + '"');
  }
  changed_.wait(lock, [&] { return oldest_pending() >= target; });
}

void stream::check_wait() const {
  if (explorer_ && pending() > 0) explorer_->check_wait();
}

std::uint64_t stream::oldest_pending() const {
  const std::uint64_t queued = queue_.empty() ? submitted_ : queue_.front().index;
  return std::min(queued, running_.value_or(submitted_));
}

// In order: the front or nothing. Out of order: all that no fence holds back.
template <class Visit>
void stream::visit_startable(Visit visit) {
  if (held_ || running_) return;
  for (auto next = queue_.begin(); next != queue_.end(); ++next) {
    const bool covered = !next->covers_earlier || next == queue_.begin();
    if (covered && (!next->after || next->after->complete())) visit(next);
    if (traits_.in_order || next->holds_later) break;
  }
}

// The newest.
stream::queue::iterator stream::startable() {
  auto found = queue_.end();
  visit_startable([&](const queue::iterator& next) { found = next; });
  return found;
}

std::uint64_t stream::startable_operations() {
  const std::scoped_lock guard{lock_};
  std::uint64_t count = 0;
  visit_startable([&](const queue::iterator&) { ++count; });
  return count;
}

// There may be none by now: another thread holds a stream whenever it likes.
void stream::run_startable(std::uint64_t which, journal& told) {
  std::unique_lock lock{lock_};
  auto chosen = queue_.end();
  visit_startable([&](const queue::iterator& next) {
    if (which-- == 0) chosen = next;
  });
  if (chosen == queue_.end()) return;
  operation next = taken(chosen);
  told.begin(traits_.name, next.label);
  run(next, lock);
  lock.unlock();
  told.end();
}

std::string stream::describe_pending() const {
  const std::scoped_lock guard{lock_};
  const std::string who = "stream \"" + traits_.name + "\" ";
  if (held_) return who + "is held, with " + std::to_string(queue_.size()) + " pending";
  if (running_) return who + "is in an operation that waits";
  return queue_.empty() ? who + "has nothing pending"
                        : who + "cannot start \"" + queue_.front().label + '"';
}

operation stream::taken(const queue::iterator& next) {
  operation taken{std::move(*next)};
  queue_.erase(next);
  running_ = taken.index;
  return taken;
}

std::optional<operation> stream::take(std::unique_lock<std::mutex>& lock) {
  auto next = queue_.end();
  for (;;) {
    changed_.wait(lock, [&] {
      next = startable();
      return next != queue_.end() || (retired_ && queue_.empty());
    });
    if (next == queue_.end()) return std::nullopt;
    if (next->delayed || traits_.max_delay_us == 0) break;
    next->delayed = true;
    const std::chrono::microseconds delay{
        delay_before(traits_.seed, traits_.number, next->index, traits_.max_delay_us)};
    lock.unlock();
    std::this_thread::sleep_for(delay);
    lock.lock();  // and look again: the stream may have been held meanwhile
  }
  return taken(next);
}

// Not noexcept, and no catch: a host function that belongs to an interpreter which is ending may
// leave by unwinding the thread.
void stream::work() {
  std::unique_lock lock{lock_};
  while (auto next = take(lock)) run(*next, lock);
}

void stream::run(operation& next, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  if (next.run) next.run();
  next.run = nullptr;  // lets go of its memory before anyone is told that it has ended
  lock.lock();
  finish(next, lock);
}

// Both under the lock: who saw the event complete finds the operation gone, and the reverse.
void stream::finish(operation& done, std::unique_lock<std::mutex>& lock) {
  std::vector<std::weak_ptr<stream>> waiting;
  if (done.completes) waiting = done.completes->finish();
  running_.reset();
  changed_.notify_all();
  lock.unlock();
  wake_all(waiting);
  lock.lock();
}

}  // namespace anystream::core::simulated
