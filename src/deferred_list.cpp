// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Working off the list.
#include "deferred_list.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "driver/fork.hpp"
#include "release_error.hpp"

namespace anystream::core {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// How long the thread, and who waits for a limited time, sleeps between two looks.
constexpr clock::duration shortest_pause = 50us;
constexpr clock::duration longest_pause = 5ms;
constexpr int rest = 8;                    // the thread sleeps so many times as long as it asks
constexpr auto longest_wait_at_exit = 1s;  // for a release that the thread is in

thread_local int releases_in_progress = 0;
thread_local int deleters_in_progress = 0;
std::atomic<std::int32_t (*)()> deleter_outside{nullptr};

// Where nothing may be let go of, nor waited for.
bool is_in_deleter() noexcept {
  if (releases_in_progress != 0 || deleters_in_progress != 0) return true;
  const auto outside = deleter_outside.load();
  return outside != nullptr && outside() != 0;
}

std::atomic<bool> thread_wanted{true};  // by the process: a forked child's list too

progress wait_for(deferred_release& entry) noexcept {
  try {
    for (; !entry.after.empty(); entry.after.pop_back()) {
      const event& last = *entry.after.back();
      last.platform->engine->synchronize_event(last.handle);
    }
    return progress::complete;
  } catch (const std::exception& error) {
    if (!entry.told) report_failed_release("an event could not be waited for", error);
    return progress::failed;
  }
}

void end_at_exit() { all_releases().end_thread(clock::now() + longest_wait_at_exit); }

}  // namespace

release_in_progress::release_in_progress() noexcept { ++releases_in_progress; }
release_in_progress::~release_in_progress() { --releases_in_progress; }
bool release_is_in_progress() noexcept { return releases_in_progress != 0; }

deleter_in_progress::deleter_in_progress() noexcept { ++deleters_in_progress; }
deleter_in_progress::~deleter_in_progress() { --deleters_in_progress; }
void ask_deleters(std::int32_t (*is_in_deleter)()) noexcept { deleter_outside = is_in_deleter; }

progress ask(deferred_release& entry) noexcept {
  try {
    while (!entry.after.empty()) {
      const event& last = *entry.after.back();
      if (!last.platform->engine->complete(last.handle)) return progress::pending;
      entry.after.pop_back();
    }
    return progress::complete;
  } catch (const std::exception& error) {
    if (!entry.told) report_failed_release("an event could not be asked for its state", error);
    return progress::failed;
  }
}

release_list& all_releases() {
  static one_a_process<release_list> list;
  return list.get();
}

// ---- entries ------------------------------------------------------------------------------------

void release_list::add(deferred_releases one) {
  ++number_;
  ++any_release_pending;
  bytes_ += one.front().bytes;
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty()) wake_.notify_all();
    waiting_.splice(waiting_.end(), one);
  }
  start_thread_if_needed();
}

void release_list::keep(deferred_releases one) noexcept {
  for (deferred_release& each : one) each.memory.forget();
  const std::scoped_lock lock(mutex_);
  kept_.splice(kept_.end(), one);
}

deferred_releases release_list::take_all() noexcept {
  const std::scoped_lock lock(mutex_);
  return std::exchange(waiting_, {});
}

deferred_releases release_list::take_oldest() noexcept {
  deferred_releases taken;
  const std::scoped_lock lock(mutex_);
  if (!waiting_.empty()) taken.splice(taken.end(), waiting_, waiting_.begin());
  return taken;
}

// Whoever looked for work meanwhile saw an empty list: the thread, and who would have started it.
void release_list::put_back(deferred_releases& pending) noexcept {
  if (pending.empty()) return;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.splice(waiting_.begin(), pending);
    wake_.notify_all();
  }
  start_thread_if_needed();
}

// It counts until it has gone: who waits for room, or for the end, waits for that.
void release_list::settle(deferred_releases gone, progress how) noexcept {
  const std::uint64_t bytes = gone.front().bytes;
  if (how == progress::failed) {
    keep(std::move(gone));
  } else {
    const release_in_progress here;
    gone.clear();
  }
  const std::scoped_lock lock(mutex_);
  --number_;
  --any_release_pending;
  bytes_ -= bytes;
  changed_.notify_all();
}

// All are asked before one is let go of: an owner's release may take its time, and the others are
// in nobody else's hands meanwhile.
bool release_list::run() noexcept {
  if (number_ == 0 || is_in_deleter()) return false;
  deferred_releases asked = take_all();
  deferred_releases complete;
  deferred_releases failed;
  for (auto next = asked.begin(); next != asked.end();) {
    const auto entry = next++;
    const progress now = ask(*entry);
    if (now == progress::pending) continue;
    deferred_releases& to = now == progress::complete ? complete : failed;
    to.splice(to.end(), asked, entry);
  }
  put_back(asked);
  const bool some = !complete.empty() || !failed.empty();
  const auto settle_all = [&](deferred_releases& all, progress how) {
    while (!all.empty()) {
      deferred_releases one;
      one.splice(one.end(), all, all.begin());
      settle(std::move(one), how);
    }
  };
  settle_all(complete, progress::complete);
  settle_all(failed, progress::failed);
  return some;
}

void release_list::keep_the_rest() noexcept {
  for (deferred_releases one = take_oldest(); !one.empty(); one = take_oldest()) {
    settle(std::move(one), progress::failed);
  }
}

// ---- waiting ------------------------------------------------------------------------------------

// An entry in another thread's hands is all that there is to wait for: until that is done with it,
// or has put it back.
bool release_list::wait_for_change(std::unique_lock<std::mutex>& lock, const time_limit& end) {
  const auto until = clock::now() + longest_pause;
  changed_.wait_until(lock, end ? std::min(until, *end) : until);
  return !end || clock::now() < *end;
}

void release_list::wait_until(const std::function<bool()>& enough) {
  while (!enough() && !is_in_deleter()) {
    if (run()) continue;
    deferred_releases oldest = take_oldest();
    if (!oldest.empty()) {
      const progress how = wait_for(oldest.front());
      settle(std::move(oldest), how);
      continue;
    }
    std::unique_lock lock(mutex_);
    if (waiting_.empty() && !enough()) wait_for_change(lock, {});
  }
}

bool release_list::flush(const time_limit& end) {
  const auto none = [this] { return number_ == 0; };
  if (none() || is_in_deleter()) return none();
  if (!end) return wait_until(none), true;
  for (auto pause = shortest_pause; !none(); pause = std::min(2 * pause, longest_pause)) {
    if (run()) pause = shortest_pause;
    if (none()) break;
    const auto now = clock::now();
    if (now >= *end) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, std::min(*end, now + pause));
  }
  return true;
}

// ---- the thread ---------------------------------------------------------------------------------

void release_list::work() noexcept {
  auto pause = shortest_pause;
  std::unique_lock lock(mutex_);
  while (thread_wanted) {
    if (waiting_.empty()) {
      wake_.wait(lock, [this] { return !waiting_.empty() || !thread_wanted; });
      pause = shortest_pause;
      continue;
    }
    lock.unlock();
    const auto before = clock::now();
    const bool some = run();
    pause = some ? shortest_pause : std::min(2 * pause, longest_pause);
    pause = std::clamp(rest * (clock::now() - before), pause, longest_pause);
    lock.lock();
    wake_.wait_for(lock, pause, [] { return !thread_wanted; });
  }
  thread_runs_ = false;
  changed_.notify_all();
}

void release_list::want_thread(bool wanted) noexcept {
  thread_wanted = wanted;
  {
    const std::scoped_lock lock(mutex_);
    wake_.notify_all();
  }
  start_thread_if_needed();
}

// False: it runs, or there is nothing for it to do.
bool release_list::claim_thread() noexcept {
  const std::scoped_lock lock(mutex_);
  if (thread_runs_ || waiting_.empty()) return false;
  return thread_runs_ = true;
}

// Without a thread, calls of the library do its work.
void release_list::start_thread_if_needed() noexcept {
  if (!thread_wanted || !claim_thread()) return;
  try {
    [[maybe_unused]] static const int registered = std::atexit(end_at_exit);
    std::thread([this] { work(); }).detach();
  } catch (const std::exception&) {
    const std::scoped_lock lock(mutex_);
    thread_runs_ = false;
  }
}

// Somebody may want it again meanwhile: then it does not end.
void release_list::end_thread(const time_limit& end) {
  thread_wanted = false;
  std::unique_lock lock(mutex_);
  wake_.notify_all();
  const auto is_ending = [this] { return thread_runs_ && !thread_wanted; };
  while (is_ending() && !is_in_deleter() && wait_for_change(lock, end)) {
  }
}

}  // namespace anystream::core
