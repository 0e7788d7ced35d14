// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that waits for contexts and devices.
#include "backends/cuda_like_waiter.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <anystream/error.hpp>

#include "backends/cuda_like_calls.hpp"
#include "driver/fork.hpp"

namespace anystream::core::cuda_like {
namespace {

constexpr std::chrono::milliseconds between_tries{1};

struct request {
  place where;
  std::function<int()> synchronize;
  std::shared_ptr<awaited_place> outcome;
};

class waiter {
 public:
  std::shared_ptr<awaited_place> add(place where, std::function<int()> synchronize) {
    const std::scoped_lock lock(mutex_);
    for (const request& each : waiting_) {
      if (each.where == where) return each.outcome;
    }
    waiting_.push_back({where, std::move(synchronize), std::make_shared<awaited_place>()});
    const auto outcome = waiting_.back().outcome;
    if (!running_) {
      std::thread([this] { work(); }).detach();
      running_ = true;
    }
    return outcome;
  }

 private:
  static int result_of(const request& next) noexcept {
    try {
      int result = next.synchronize();
      for (; result == capture_unsupported; result = next.synchronize()) {
        std::this_thread::sleep_for(between_tries);
      }
      return result;
    } catch (const driver_error& error) {
      return static_cast<int>(error.code());
    } catch (const std::exception&) {
      return -1;
    }
  }

  // What is added from here on has work that this turn may miss: it is taken off the list first.
  void work() noexcept {
    for (std::unique_lock lock(mutex_); running_; lock.lock()) {
      if (waiting_.empty()) {
        running_ = false;
        return;
      }
      const request next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next.outcome->failure.store(result_of(next));
      next.outcome->done.store(true);
      next.outcome->done.notify_all();
    }
  }

  std::mutex mutex_;  // guards what follows; nothing is called under it
  std::deque<request> waiting_;
  bool running_ = false;
};

one_a_process<waiter> only;

}  // namespace

std::uint64_t this_thread() noexcept {
  static std::atomic<std::uint64_t> count{0};
  thread_local const std::uint64_t mine = ++count;
  return mine;
}

std::shared_ptr<awaited_place> await_all(place where, std::function<int()> synchronize) {
  return only.get().add(where, std::move(synchronize));
}

std::shared_ptr<awaited_place> nothing_to_await() {
  auto none = std::make_shared<awaited_place>();
  none->done.store(true);
  return none;
}

bool is_done(const awaited_place& awaited, const char* title) {
  if (!awaited.done.load()) return false;
  const int failure = awaited.failure.load();
  if (failure == success) return true;
  throw driver_error("", failure, "",
                     std::string("all work of a ") + title +
                         " device could not be waited for: the driver failed with " +
                         std::to_string(failure) + ".");
}

}  // namespace anystream::core::cuda_like
