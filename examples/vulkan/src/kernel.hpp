// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The one kernel: target[i] = source[i] + amount, of floats, as slow as is asked (add.comp).
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "buffer.hpp"
#include "queue.hpp"

namespace vulkan_example {

// Floats in a buffer.
struct elements {
  std::shared_ptr<buffer> memory;
  std::uint32_t first = 0;
};

class adder {
 public:
  explicit adder(VkDevice on);
  ~adder();
  adder(const adder&) = delete;
  adder& operator=(const adder&) = delete;

  // Puts it into the queue of the device.
  point run(queue& stream, const elements& target, const elements& source, std::uint32_t count,
            std::uint32_t rounds, float amount);

 private:
  struct bound;
  std::shared_ptr<bound> bind(queue& stream, const elements& target, const elements& source);

  VkDevice device_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace vulkan_example
