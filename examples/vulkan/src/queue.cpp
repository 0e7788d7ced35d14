// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Submits, all under the lock of their VkQueue, each after the one before.
#include "queue.hpp"

#include <array>
#include <unordered_map>
#include <utility>

#include "bridge.hpp"
#include "errors.hpp"

namespace vulkan_example {
namespace {

struct live_queues {
  std::mutex lock;
  std::unordered_map<const void*, std::weak_ptr<queue>> by_address;
};
live_queues& live() {
  static auto* const made = new live_queues;
  return *made;
}

// What is written by the device is seen by the host that has waited for the work.
void show_to_host(VkCommandBuffer buffer) {
  VkMemoryBarrier all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
  vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &all, 0, nullptr, 0, nullptr);
}

}  // namespace

std::shared_ptr<queue> queue::make(std::shared_ptr<device> on, int index) {
  const std::shared_ptr<queue> made(new queue(std::move(on), index));
  const std::lock_guard guard(live().lock);
  live().by_address[made.get()] = made;
  return made;
}

std::shared_ptr<queue> queue::find(const void* address) {
  const std::lock_guard guard(live().lock);
  const auto found = live().by_address.find(address);
  return found == live().by_address.end() ? nullptr : found->second.lock();
}

queue::queue(std::shared_ptr<device> on, int index)
    : place_(std::move(on)),
      queue_(place_->queue(index)),
      timeline_(std::make_shared<timeline>(place_)) {
  VkCommandPoolCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  wanted.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  wanted.queueFamilyIndex = place_->family();
  VULKAN(vkCreateCommandPool, place_->get(), &wanted, nullptr, &pool_);
}

queue::~queue() {
  {
    const std::lock_guard guard(live().lock);
    live().by_address.erase(this);
  }
  if (gate_ != nullptr) place_->signal(gate_->semaphore, 1);  // nobody else can any more
  auto rest = std::make_shared<std::deque<pending>>(std::move(pending_));
  const auto clear = [rest, pool = pool_, of = timeline_](VkResult) {
    vkDestroyCommandPool(of->place->get(), pool, nullptr);
    rest->clear();
  };
  if (last_ == 0) {
    clear(VK_SUCCESS);
  } else {
    place_->bridge().after(timeline_->semaphore, last_, clear);
  }
}

point queue::submit(const commands& record, kept keep) {
  const std::lock_guard guard(lock_);
  return submit_locked(record, std::move(keep), nullptr);
}

point queue::end() { return submit(nullptr, {}); }

point queue::submit_locked(const commands& record, kept keep, const point* other) {
  check(lost_, "vkWaitSemaphores");
  retire();
  const VkCommandBuffer buffer = record ? record_commands(record) : VK_NULL_HANDLE;
  // In Vulkan the work of one queue may overlap, so that each waits for the one before.
  const std::array<VkSemaphore, 2> waits{timeline_->semaphore,
                                         other != nullptr ? other->of->semaphore : VK_NULL_HANDLE};
  const std::array<std::uint64_t, 2> values{last_, other != nullptr ? other->value : 0};
  constexpr std::array<VkPipelineStageFlags, 2> stages{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
  const std::uint64_t next = last_ + 1;
  VkTimelineSemaphoreSubmitInfo counts{};
  counts.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  counts.waitSemaphoreValueCount = other != nullptr ? 2 : 1;
  counts.pWaitSemaphoreValues = values.data();
  counts.signalSemaphoreValueCount = 1;
  counts.pSignalSemaphoreValues = &next;
  VkSubmitInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  wanted.pNext = &counts;
  wanted.waitSemaphoreCount = counts.waitSemaphoreValueCount;
  wanted.pWaitSemaphores = waits.data();
  wanted.pWaitDstStageMask = stages.data();
  wanted.commandBufferCount = buffer != VK_NULL_HANDLE ? 1 : 0;
  wanted.pCommandBuffers = &buffer;
  wanted.signalSemaphoreCount = 1;
  wanted.pSignalSemaphores = &timeline_->semaphore;
  try {
    const std::lock_guard guard(queue_.lock);
    VULKAN(vkQueueSubmit, queue_.queue, 1, &wanted, VK_NULL_HANDLE);
  } catch (...) {
    free_commands(buffer);
    throw;
  }
  last_ = next;
  if (other != nullptr) keep.push_back(other->of);
  pending_.push_back({next, buffer, std::move(keep)});
  return {timeline_, next};
}

VkCommandBuffer queue::record_commands(const commands& record) {
  VkCommandBufferAllocateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  wanted.commandPool = pool_;
  wanted.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  wanted.commandBufferCount = 1;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  VULKAN(vkAllocateCommandBuffers, place_->get(), &wanted, &buffer);
  try {
    VkCommandBufferBeginInfo once{};
    once.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    once.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    VULKAN(vkBeginCommandBuffer, buffer, &once);
    record(buffer);
    show_to_host(buffer);
    VULKAN(vkEndCommandBuffer, buffer);
  } catch (...) {
    free_commands(buffer);
    throw;
  }
  return buffer;
}

void queue::free_commands(VkCommandBuffer buffer) {
  if (buffer != VK_NULL_HANDLE) vkFreeCommandBuffers(place_->get(), pool_, 1, &buffer);
}

void queue::retire() {
  if (pending_.empty()) return;
  const std::uint64_t now = place_->reached(timeline_->semaphore);
  while (!pending_.empty() && pending_.front().value <= now) {
    free_commands(pending_.front().buffer);
    pending_.pop_front();
  }
}

void queue::wait_for(const point& other) {
  if (other.of->place == place_) {
    const std::lock_guard guard(lock_);
    submit_locked(nullptr, {}, &other);
    return;
  }
  // A semaphore of its own, since others may get there in another order than they were asked for.
  const auto here = std::make_shared<timeline>(place_);
  const point reached{here, 1};
  // The thread is told first: where that fails, nothing waits for what will not come.
  other.of->place->bridge().after(other.of->semaphore, other.value,
                                  [here, self = weak_from_this(), of = other.of](VkResult result) {
                                    const std::shared_ptr<queue> still = self.lock();
                                    if (still != nullptr && result < 0) still->lose(result);
                                    here->place->signal(here->semaphore, 1);
                                  });
  const std::lock_guard guard(lock_);
  submit_locked(nullptr, {}, &reached);
}

void queue::call(std::function<void()> function, kept keep) {
  const auto done = std::make_shared<timeline>(place_);
  const point called{done, 1};
  const std::lock_guard guard(lock_);
  const point now = submit_locked(nullptr, {}, nullptr);
  place_->bridge().after(now.of->semaphore, now.value,
                         [function = std::move(function), keep = std::move(keep), done](VkResult) {
                           function();
                           done->place->signal(done->semaphore, 1);
                         });
  submit_locked(nullptr, {}, &called);
}

void queue::lose(VkResult result) {
  const std::lock_guard guard(lock_);
  lost_ = result;
}

void queue::hold() {
  const std::lock_guard guard(lock_);
  if (gate_ != nullptr) return;
  auto gate = std::make_shared<timeline>(place_);
  const point opened{gate, 1};
  submit_locked(nullptr, {}, &opened);
  gate_ = std::move(gate);
}

void queue::let_go() {
  const std::lock_guard guard(lock_);
  if (gate_ == nullptr) return;
  place_->signal(gate_->semaphore, 1);
  gate_.reset();
}

bool queue::is_held() {
  const std::lock_guard guard(lock_);
  return gate_ != nullptr;
}

}  // namespace vulkan_example
