// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What Vulkan said, and which function it was that said so.
#pragma once

#include <vulkan/vulkan.h>

#include <stdexcept>
#include <string>

namespace vulkan_example {

class vulkan_error : public std::runtime_error {
 public:
  vulkan_error(const char* function, VkResult code);

  VkResult code;
  const char* function;
};

const char* name_of(VkResult code) noexcept;

// Throws for what is below zero; what is above tells more than success (VK_TIMEOUT).
void check(VkResult code, const char* function);

// For tests: the next call of the function fails, without being made. "" for none.
void fail_next(const std::string& function);
bool fails(const char* function);

}  // namespace vulkan_example

// Calls a function of Vulkan, and checks its answer.
#define VULKAN(function, ...)                                                            \
  ::vulkan_example::check(                                                               \
      ::vulkan_example::fails(#function) ? VK_ERROR_DEVICE_LOST : function(__VA_ARGS__), \
      #function)
