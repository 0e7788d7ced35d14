// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that waits for contexts and devices.
#include "backends/cuda_like_waiter.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <anystream/error.hpp>

#include "backends/cuda_like_calls.hpp"
#include "driver/fork.hpp"

namespace anystream::core::cuda_like {
namespace {

// Between two tries of one that must be tried again: a try may break a capture that none knew of.
constexpr std::chrono::milliseconds shortest_pause{1};
constexpr std::chrono::milliseconds longest_pause{32};

struct request {
  place where;
  std::uint64_t life;
  std::function<bool()> synchronize;
  std::shared_ptr<awaited_place> outcome = std::make_shared<awaited_place>();
  std::chrono::milliseconds pause = shortest_pause;
};

class waiter {
 public:
  std::shared_ptr<awaited_place> add(place where, std::uint64_t life,
                                     std::function<bool()> synchronize) {
    std::list<request> made;  // what allocates comes first, and a thread that does not start
    const std::scoped_lock lock(mutex_);
    for (const request& each : waiting_) {
      if (each.where == where && each.life == life) return each.outcome;
    }
    made.push_back({.where = where, .life = life, .synchronize = std::move(synchronize)});
    const auto outcome = made.back().outcome;
    if (!running_) std::thread([this] { work(); }).detach();
    running_ = true;
    waiting_.splice(waiting_.end(), made);
    return outcome;
  }

 private:
  static bool is_over(const request& turn) noexcept {
    awaited_place& outcome = *turn.outcome;
    try {
      if (!turn.synchronize()) return false;
    } catch (const driver_error& error) {
      outcome.failure = {error.api(), error.code(), error.code_name(), error.what()};
    } catch (const std::exception& error) {
      outcome.failure = {"", 0, "", error.what()};
    }
    outcome.done.store(true);
    outcome.done.notify_all();
    return true;
  }

  // What is added from here on has work that this turn may miss: it is taken off the list first.
  // One that is to be tried again goes to the end of the list, so that it holds up no other.
  void work() noexcept {
    std::unique_lock lock(mutex_);
    for (; !waiting_.empty(); lock.lock()) {
      std::list<request> turn;
      turn.splice(turn.begin(), waiting_, waiting_.begin());
      lock.unlock();
      if (is_over(turn.front())) continue;
      request& next = turn.front();
      std::this_thread::sleep_for(next.pause);
      next.pause = std::min(2 * next.pause, longest_pause);
      const std::scoped_lock again(mutex_);
      waiting_.splice(waiting_.end(), turn);
    }
    running_ = false;
  }

  std::mutex mutex_;  // guards what follows; nothing is called under it
  std::list<request> waiting_;
  bool running_ = false;
};

one_a_process<waiter> only;

}  // namespace

std::uint64_t this_thread() noexcept {
  static std::atomic<std::uint64_t> count{0};
  thread_local const std::uint64_t mine = ++count;
  return mine;
}

std::shared_ptr<awaited_place> await_all(place where, std::uint64_t life,
                                         std::function<bool()> synchronize) {
  return only.get().add(where, life, std::move(synchronize));
}

std::shared_ptr<awaited_place> nothing_to_await() {
  auto none = std::make_shared<awaited_place>();
  none->done.store(true);
  return none;
}

bool is_done(const awaited_place& awaited) {
  if (!awaited.done.load()) return false;
  if (!awaited.failure) return true;
  const auto& [api, code, name, text] = *awaited.failure;
  throw driver_error(api, code, name, text);
}

}  // namespace anystream::core::cuda_like
