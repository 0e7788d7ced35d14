// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Choosing a physical device and a queue family of it, and what a VkDevice is asked for.
#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "bridge.hpp"
#include "errors.hpp"
#include "kernel.hpp"

namespace vulkan_example {
namespace {

constexpr std::uint32_t version = VK_API_VERSION_1_2;  // the first with timeline semaphores
constexpr const char* host_memory = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;

// One for the process, and never destroyed: work may be pending as long as it lives.
VkInstance instance() {
  static VkInstance made = [] {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "anystream's Vulkan example";
    application.apiVersion = version;
    VkInstanceCreateInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    wanted.pApplicationInfo = &application;
    VkInstance out = VK_NULL_HANDLE;
    VULKAN(vkCreateInstance, &wanted, nullptr, &out);
    return out;
  }();
  return made;
}

struct opened_list {
  std::mutex lock;
  std::vector<std::weak_ptr<device>> devices;
};
opened_list& opened() {
  static auto* const list = new opened_list;
  return *list;
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::vector<VkPhysicalDevice> physical_devices() {
  std::uint32_t count = 0;
  VULKAN(vkEnumeratePhysicalDevices, instance(), &count, nullptr);
  std::vector<VkPhysicalDevice> found(count);
  VULKAN(vkEnumeratePhysicalDevices, instance(), &count, found.data());
  return found;
}

void need_features(VkPhysicalDevice physical, const std::string& name) {
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{};
  timelines.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &timelines;
  vkGetPhysicalDeviceFeatures2(physical, &features);
  if (timelines.timelineSemaphore == VK_FALSE) {
    throw std::invalid_argument(name + " has no timeline semaphores, which order its streams");
  }
  std::uint32_t count = 0;
  VULKAN(vkEnumerateDeviceExtensionProperties, physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  VULKAN(vkEnumerateDeviceExtensionProperties, physical, nullptr, &count, extensions.data());
  const bool imports = std::any_of(extensions.begin(), extensions.end(), [](const auto& one) {
    return std::strcmp(one.extensionName, host_memory) == 0;
  });
  if (!imports) {
    throw std::invalid_argument(name + " has no " + host_memory +
                                ", by which its arrays are memory of the host");
  }
}

}  // namespace

std::shared_ptr<device> device::open(int physical, int family) {
  const std::shared_ptr<device> made(new device);
  made->choose(physical, family);
  made->create();
  made->kernel_ = std::make_unique<adder>(made->device_);
  made->bridge_ = std::make_unique<waiter>(*made);
  opened_list& list = opened();
  const std::lock_guard guard(list.lock);
  made->number_ = static_cast<std::int32_t>(list.devices.size());
  list.devices.push_back(made);
  return made;
}

std::vector<std::shared_ptr<device>> open_devices() {
  opened_list& list = opened();
  const std::lock_guard guard(list.lock);
  std::vector<std::shared_ptr<device>> found;
  for (const std::weak_ptr<device>& one : list.devices) {
    if (std::shared_ptr<device> alive = one.lock()) found.push_back(std::move(alive));
  }
  return found;
}

void device::choose(int physical, int family) {
  const std::vector<VkPhysicalDevice> found = physical_devices();
  if (physical < 0 || static_cast<std::size_t>(physical) >= found.size()) {
    throw std::invalid_argument("Device(physical) takes the number of one of " +
                                counted(found.size(), "device") + ", from 0; got " +
                                std::to_string(physical));
  }
  physical_ = found[static_cast<std::size_t>(physical)];
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT importing{};
  importing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 facts{};
  facts.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  facts.pNext = &importing;
  vkGetPhysicalDeviceProperties2(physical_, &facts);
  name_ = facts.properties.deviceName;
  is_processor_ = facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  import_alignment_ = importing.minImportedHostPointerAlignment;
  need_features(physical_, name_);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  const auto computes = [](const VkQueueFamilyProperties& one) {
    return (one.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  };
  if (family < 0) {
    const auto first = std::find_if(families.begin(), families.end(), computes);
    if (first == families.end()) throw std::invalid_argument(name_ + " cannot compute");
    family = static_cast<int>(first - families.begin());
  }
  if (static_cast<std::uint32_t>(family) >= count ||
      !computes(families[static_cast<std::size_t>(family)])) {
    throw std::invalid_argument("Device(family) takes a queue family of " + name_ +
                                " that computes, of " + counted(count, "queue family") +
                                ", from 0; got " + std::to_string(family));
  }
  family_ = static_cast<std::uint32_t>(family);
  queue_count_ = families[family_].queueCount;
}

void device::create() {
  const std::vector<float> priorities(queue_count_, 1.0F);
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = family_;
  queues.queueCount = queue_count_;
  queues.pQueuePriorities = priorities.data();
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{};
  timelines.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timelines.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  wanted.pNext = &timelines;
  wanted.queueCreateInfoCount = 1;
  wanted.pQueueCreateInfos = &queues;
  wanted.enabledExtensionCount = 1;
  wanted.ppEnabledExtensionNames = &host_memory;
  VULKAN(vkCreateDevice, physical_, &wanted, nullptr, &device_);
  for (std::uint32_t i = 0; i < queue_count_; ++i) {
    queues_.push_back(std::make_unique<locked_queue>());
    vkGetDeviceQueue(device_, family_, i, &queues_.back()->queue);
  }
}

device::~device() {
  bridge_.reset();
  kernel_.reset();
  if (device_ == VK_NULL_HANDLE) return;
  vkDeviceWaitIdle(device_);
  vkDestroyDevice(device_, nullptr);
}

locked_queue& device::queue(int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= queues_.size()) {
    throw std::invalid_argument("Queue(index) takes the number of one of " +
                                counted(queues_.size(), "queue") + " of " + name_ +
                                ", from 0; got " + std::to_string(index));
  }
  return *queues_[static_cast<std::size_t>(index)];
}

VkSemaphore device::make_timeline() {
  VkSemaphoreTypeCreateInfo kind{};
  kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  kind.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  wanted.pNext = &kind;
  VkSemaphore made = VK_NULL_HANDLE;
  VULKAN(vkCreateSemaphore, device_, &wanted, nullptr, &made);
  return made;
}

void device::destroy(VkSemaphore semaphore) noexcept {
  vkDestroySemaphore(device_, semaphore, nullptr);
}

std::uint64_t device::reached(VkSemaphore semaphore) {
  std::uint64_t value = 0;
  VULKAN(vkGetSemaphoreCounterValue, device_, semaphore, &value);
  return value;
}

void device::wait(VkSemaphore semaphore, std::uint64_t value) {
  VkSemaphoreWaitInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wanted.semaphoreCount = 1;
  wanted.pSemaphores = &semaphore;
  wanted.pValues = &value;
  VULKAN(vkWaitSemaphores, device_, &wanted, std::numeric_limits<std::uint64_t>::max());
}

void device::signal(VkSemaphore semaphore, std::uint64_t value) {
  VkSemaphoreSignalInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  wanted.semaphore = semaphore;
  wanted.value = value;
  VULKAN(vkSignalSemaphore, device_, &wanted);
}

std::uint32_t device::memory_type(std::uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  constexpr VkMemoryPropertyFlags seen =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const bool fits = (memory.memoryTypes[i].propertyFlags & seen) == seen;
    if (fits && (allowed & (1U << i)) != 0) return i;
  }
  throw std::invalid_argument(name_ + " has no memory that the host sees and may bring along");
}

}  // namespace vulkan_example
