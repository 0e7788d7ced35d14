// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that waits for a device's semaphores, so that no caller does: by it the queues of
// another VkDevice wait for this one's, whose semaphores they cannot see, and what pending work
// needs is let go when the work is done.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace vulkan_example {

class device;

class waiter {
 public:
  // Called on the thread; the result is below zero if the device was lost before it got there.
  using function = std::function<void(VkResult)>;

  explicit waiter(device& of);
  ~waiter();  // functions that are still waiting are dropped
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  // Calls when a timeline semaphore of the device reaches a value; what the function holds is let
  // go after it. Any thread.
  void after(VkSemaphore semaphore, std::uint64_t value, function call);

 private:
  struct state;
  static void run(const std::shared_ptr<state>& shared);

  std::shared_ptr<state> state_;
  std::thread thread_;
};

}  // namespace vulkan_example
