// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream: what is put into it runs in that order. Its timeline semaphore counts what has run.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device.hpp"

namespace vulkan_example {

// A timeline semaphore that is destroyed when nobody waits for it any more.
struct timeline {
  explicit timeline(std::shared_ptr<device> on) : place(std::move(on)) {
    semaphore = place->make_timeline();
  }
  ~timeline() { place->destroy(semaphore); }
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  std::shared_ptr<device> place;
  VkSemaphore semaphore = VK_NULL_HANDLE;
};

// A point in a queue's work; it may outlive the queue.
struct point {
  std::shared_ptr<timeline> of;
  std::uint64_t value = 0;

  bool reached() const { return of->place->reached(of->semaphore) >= value; }
  void wait() const { of->place->wait(of->semaphore, value); }
};

class queue : public std::enable_shared_from_this<queue> {
 public:
  using commands = std::function<void(VkCommandBuffer)>;
  using kept = std::vector<std::shared_ptr<void>>;

  static std::shared_ptr<queue> make(std::shared_ptr<device> on, int index);
  ~queue();  // waits for nothing: the device's thread lets go what pending work needs
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  const std::shared_ptr<device>& place() const { return place_; }
  locked_queue& shared() const { return queue_; }

  // Puts work into the queue, after all that is there; `keep` lives until it has run. Any thread,
  // as all of these.
  point submit(const commands& record, kept keep);
  point end();                        // after the work so far, also what others have put in
  void wait_for(const point& other);  // later work waits, on the device; the caller does not
  // Calls on the device's thread when the work so far is done; later work waits for the call.
  void call(std::function<void()> function, kept keep);

  void hold();  // later work waits until let_go
  void let_go();
  bool is_held();

  // A queue that is alive, by its address; null for any other number.
  static std::shared_ptr<queue> find(const void* address);

 private:
  struct pending {
    std::uint64_t value;
    VkCommandBuffer buffer;
    kept keep;
  };

  queue(std::shared_ptr<device> on, int index);
  point submit_locked(const commands& record, kept keep, const point* other);
  VkCommandBuffer record_commands(const commands& record);
  void free_commands(VkCommandBuffer buffer);
  void retire();
  void lose(VkResult result);

  std::shared_ptr<device> place_;
  locked_queue& queue_;
  std::shared_ptr<timeline> timeline_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::mutex lock_;
  std::uint64_t last_ = 0;  // guarded by it, as what follows
  std::deque<pending> pending_;
  std::shared_ptr<timeline> gate_;
  VkResult lost_ = VK_SUCCESS;
};

}  // namespace vulkan_example
