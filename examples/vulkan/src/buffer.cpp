// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the host, imported on a device when that first uses it.
#include "buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>
#include <utility>

#include "errors.hpp"

namespace vulkan_example {
namespace {

constexpr std::size_t alignment = 65536;  // of every import, by the specification's limit

struct live_buffers {
  std::mutex lock;
  std::unordered_map<const void*, std::weak_ptr<buffer>> by_handle;
};
live_buffers& live() {
  static auto* const made = new live_buffers;
  return *made;
}

}  // namespace

std::shared_ptr<buffer> buffer::make(std::shared_ptr<device> on, std::size_t bytes) {
  const std::shared_ptr<buffer> made(new buffer);
  made->size_ = bytes;
  made->allocated_ = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (made->allocated_ < bytes) throw std::bad_alloc();
  made->memory_ = static_cast<std::byte*>(std::aligned_alloc(alignment, made->allocated_));
  if (made->memory_ == nullptr) throw std::bad_alloc();
  std::memset(made->memory_, 0, made->allocated_);
  made->on(on);
  const std::lock_guard guard(live().lock);
  live().by_handle[made.get()] = made;
  return made;
}

std::shared_ptr<buffer> buffer::find(const void* handle) {
  const std::lock_guard guard(live().lock);
  const auto found = live().by_handle.find(handle);
  return found == live().by_handle.end() ? nullptr : found->second.lock();
}

buffer::~buffer() {
  {
    const std::lock_guard guard(live().lock);
    live().by_handle.erase(this);
  }
  places_.clear();
  std::free(memory_);
}

buffer::imported::~imported() {
  vkDestroyBuffer(place->get(), buffer, nullptr);
  vkFreeMemory(place->get(), memory, nullptr);
}

VkBuffer buffer::on(const std::shared_ptr<device>& place) {
  const std::lock_guard guard(lock_);
  std::unique_ptr<imported>& found = places_[place.get()];
  if (found == nullptr) found = import_on(place);
  return found->buffer;
}

std::unique_ptr<buffer::imported> buffer::import_on(const std::shared_ptr<device>& place) const {
  auto made = std::make_unique<imported>();
  made->place = place;
  const VkDevice device = place->get();
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkBufferCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  wanted.pNext = &external;
  wanted.size = allocated_;
  wanted.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VULKAN(vkCreateBuffer, device, &wanted, nullptr, &made->buffer);
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device, made->buffer, &needs);
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  import.pHostPointer = memory_;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &import;
  allocation.allocationSize = allocated_;
  allocation.memoryTypeIndex = place->memory_type(needs.memoryTypeBits);
  VULKAN(vkAllocateMemory, device, &allocation, nullptr, &made->memory);
  VULKAN(vkBindBufferMemory, device, made->buffer, made->memory, 0);
  return made;
}

}  // namespace vulkan_example
