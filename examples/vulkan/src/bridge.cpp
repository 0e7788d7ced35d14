// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// One wait for all that is waited for, and for being told of more.
#include "bridge.hpp"

#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "device.hpp"
#include "errors.hpp"

namespace vulkan_example {
namespace {

struct entry {
  VkSemaphore semaphore;
  std::uint64_t value;
  waiter::function call;
};

void call(const entry& one, VkResult result) {
  try {
    one.call(result);
  } catch (const vulkan_error&) {
    // The device that was to be told is lost: its queues say so where they are used.
  }
}

}  // namespace

struct waiter::state {
  explicit state(device& of) : place(of), wake(of.make_timeline()) {}

  device& place;     // not touched once it is stopping: the device may be gone
  VkSemaphore wake;  // signalled by the host when there is more to wait for
  std::mutex lock;
  std::uint64_t woken = 0;  // guarded, as what follows
  std::vector<entry> entries;
  bool stopping = false;
};

waiter::waiter(device& of)
    : state_(std::make_shared<state>(of)), thread_([shared = state_] { run(shared); }) {}

waiter::~waiter() {
  std::vector<entry> dropped;
  {
    const std::lock_guard guard(state_->lock);
    state_->stopping = true;
    dropped.swap(state_->entries);
    state_->place.signal(state_->wake, ++state_->woken);
  }
  // What a function held may have been the last use of the device: then this is its own thread.
  const bool own = std::this_thread::get_id() == thread_.get_id();
  own ? thread_.detach() : thread_.join();
  state_->place.destroy(state_->wake);
}

void waiter::after(VkSemaphore semaphore, std::uint64_t value, function call) {
  const std::lock_guard guard(state_->lock);
  state_->place.signal(state_->wake, state_->woken + 1);
  ++state_->woken;
  state_->entries.push_back({semaphore, value, std::move(call)});  // the thread takes the lock, too
}

void waiter::run(const std::shared_ptr<state>& shared) {
  const VkDevice device = shared->place.get();
  while (true) {
    std::vector<VkSemaphore> semaphores{shared->wake};
    std::vector<std::uint64_t> values;
    {
      const std::lock_guard guard(shared->lock);
      if (shared->stopping) return;
      values.push_back(shared->woken + 1);
      for (const entry& one : shared->entries) {
        semaphores.push_back(one.semaphore);
        values.push_back(one.value);
      }
    }
    VkSemaphoreWaitInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wanted.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    wanted.semaphoreCount = static_cast<std::uint32_t>(semaphores.size());
    wanted.pSemaphores = semaphores.data();
    wanted.pValues = values.data();
    const VkResult result =
        vkWaitSemaphores(device, &wanted, std::numeric_limits<std::uint64_t>::max());
    std::vector<entry> reached;
    {
      const std::lock_guard guard(shared->lock);
      if (shared->stopping) return;
      std::vector<entry> rest;
      for (entry& one : shared->entries) {
        std::uint64_t now = 0;
        const bool is_there = result < 0 ||
                              vkGetSemaphoreCounterValue(device, one.semaphore, &now) < 0 ||
                              now >= one.value;
        (is_there ? reached : rest).push_back(std::move(one));
      }
      shared->entries.swap(rest);
    }
    for (const entry& one : reached) call(one, result);
    reached.clear();         // here, too, the device may go
    if (result < 0) return;  // it is lost, and will not get anywhere
  }
}

}  // namespace vulkan_example
