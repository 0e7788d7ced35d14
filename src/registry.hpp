// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Which platform a device, a name or a pointer belongs to, and which backend serves it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend.hpp"

namespace anystream::core {

// A device type as one platform sees it. Lives for the process.
struct platform {
  device_type type;
  const char* name;  // "sycl"; "" where nothing is built in, and nothing is known
  const stream_rules* rules;
  const backend* engine;  // null where this version has none
  // Of its stream classes, where a registrant named it.
  std::string_view family{};  // NOLINT(readability-redundant-member-init)

  bool is_opaque() const noexcept { return *name == '\0'; }
};

// The platform of that name on the device type; "" is the built-in one, or that which was
// registered as the type's own. Throws value_error, listing the names, if there is no such
// platform. A device type that has none is opaque.
const platform& find_platform_of(device_type type, std::string_view name);

// The platform of a name that is told without a device. Throws value_error, listing the names.
const platform& find_platform_named(std::string_view name);

// Who owns the memory: a platform beside others that says so, else the built-in one.
const platform& owner_of(device_type type, const void* data) noexcept;

// Whether work of one can be ordered with work of the other on the device.
bool same_platform(const platform& a, const platform& b) noexcept;

// The backend. Throws driver_unavailable where there is none, with what is missing and every place
// that was tried, or where its driver is not there.
const backend& require_backend(const platform& where, DLDevice device);

// "a kDLOneAPI array", "a simulated kDLExtDev array", "an array of device type 77": for messages.
std::string describe_array(const platform& where, DLDevice device);

// Devices of every backend whose driver is there.
std::vector<anystream_device_info> all_devices();
anystream_device_info describe_device(DLDevice device, std::string_view platform_name);

int driver_count() noexcept;
anystream_driver_info describe_driver(int index);

}  // namespace anystream::core
