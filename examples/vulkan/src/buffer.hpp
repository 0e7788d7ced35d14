// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that the host sees, as a VkBuffer on each device that uses it. Its handle, which is what
// DLPack calls data, is the address of this object: nothing is ever added to it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "device.hpp"

namespace vulkan_example {

class buffer : public std::enable_shared_from_this<buffer> {
 public:
  // At least one byte, zeroed.
  static std::shared_ptr<buffer> make(std::shared_ptr<device> on, std::size_t bytes);
  ~buffer();
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  std::byte* host() const { return memory_; }
  std::size_t size() const { return size_; }
  // The VkBuffer of it on a device; another one than its own gets to see the same memory.
  VkBuffer on(const std::shared_ptr<device>& place);

  // A buffer that is alive, by its handle; null for any other number.
  static std::shared_ptr<buffer> find(const void* handle);

  std::shared_ptr<buffer> own;  // of itself, for who holds the handle alone

 private:
  struct imported {
    std::shared_ptr<device> place;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    ~imported();
  };

  buffer() = default;
  std::unique_ptr<imported> import_on(const std::shared_ptr<device>& place) const;

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t allocated_ = 0;
  std::mutex lock_;
  std::map<device*, std::unique_ptr<imported>> places_;  // guarded by it
};

}  // namespace vulkan_example
