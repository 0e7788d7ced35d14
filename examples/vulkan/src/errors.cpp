// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of the results that the functions here can give.
#include "errors.hpp"

#include <mutex>

namespace vulkan_example {
namespace {

std::mutex failing_lock;
std::string failing;  // guarded by it

}  // namespace

vulkan_error::vulkan_error(const char* what, VkResult result)
    : std::runtime_error(std::string(what) + " failed: " + name_of(result) + " (" +
                         std::to_string(result) + ")"),
      code(result),
      function(what) {}

const char* name_of(VkResult code) noexcept {
  switch (code) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
      return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
    default:
      return code < 0 ? "a VkResult below zero" : "a VkResult";
  }
}

void check(VkResult code, const char* function) {
  if (code < 0) throw vulkan_error(function, code);
}

void fail_next(const std::string& function) {
  const std::lock_guard guard(failing_lock);
  failing = function;
}

bool fails(const char* function) {
  const std::lock_guard guard(failing_lock);
  if (failing != function) return false;
  failing.clear();
  return true;
}

}  // namespace vulkan_example
