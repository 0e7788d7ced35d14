// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A VkDevice with the one queue family that this package uses, and its number as DLPack has it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vulkan_example {

class adder;
class waiter;

// Vulkan leaves it to its callers that a VkQueue is used by one thread at a time.
struct locked_queue {
  VkQueue queue = VK_NULL_HANDLE;
  std::recursive_mutex lock;  // whoever holds it may use this package's queues, too
};

// A shared_ptr of it that comes from Python is one of C++ for that: no thread here needs the GIL.
class device : public std::enable_shared_from_this<device> {
 public:
  // `physical` counts the machine's devices; `family` is a queue family of it, or -1 for the first
  // that computes. Throws std::invalid_argument for what is not there or cannot compute, and
  // vulkan_error.
  static std::shared_ptr<device> open(int physical, int family);
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  std::int32_t number() const { return number_; }  // each VkDevice has its own
  const std::string& name() const { return name_; }
  bool is_processor() const { return is_processor_; }  // memory and all of the CPU
  std::uint32_t family() const { return family_; }
  VkDevice get() const { return device_; }
  VkDeviceSize import_alignment() const { return import_alignment_; }
  locked_queue& queue(int index);  // std::invalid_argument past the family's last
  waiter& bridge() { return *bridge_; }
  adder& kernel() { return *kernel_; }

  VkSemaphore make_timeline();  // at 0
  void destroy(VkSemaphore semaphore) noexcept;
  std::uint64_t reached(VkSemaphore semaphore);
  void wait(VkSemaphore semaphore, std::uint64_t value);  // without a limit
  void signal(VkSemaphore semaphore, std::uint64_t value);
  std::uint32_t memory_type(std::uint32_t allowed);  // that the host sees, without flushes

 private:
  device() = default;
  void choose(int physical, int family);
  void create();

  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  std::int32_t number_ = 0;
  std::string name_;
  bool is_processor_ = false;
  std::uint32_t family_ = 0;
  std::uint32_t queue_count_ = 0;
  VkDeviceSize import_alignment_ = 0;
  std::vector<std::unique_ptr<locked_queue>> queues_;
  std::unique_ptr<adder> kernel_;
  std::unique_ptr<waiter> bridge_;
};

// The VkDevices that are open, in the order of their numbers.
std::vector<std::shared_ptr<device>> open_devices();

}  // namespace vulkan_example
