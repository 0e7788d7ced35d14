// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// This package's queues as a platform of anystream.
#pragma once

#include <anystream/c_api.h>

namespace vulkan_example {

inline constexpr const char* platform_name = "vulkan_example";

// What it is called, and its functions; nothing in it needs to be kept.
anystream_platform describe_platform();

}  // namespace vulkan_example
