// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The platforms that were registered at run time: a list that only grows, read without a lock.
#pragma once

#include <anystream/c_api.h>

#include "owner.hpp"
#include "registry.hpp"

namespace anystream::core {

// Lives for the process, as do the strings that it points to.
struct registered_row {
  platform row;
  bool is_own;  // the device type's own
  anystream_platform_info info;
};

// Checks and adds it; see platform_register of the C table.
void register_platform(const anystream_platform& given, owner keep);

int registered_count() noexcept;
const registered_row& registered_at(int index);  // throws value_error past the end

// Null where there is none. The own one of a device type; the one of a name on it; the first of a
// name on any; the one beside others that says that the memory is its.
const platform* find_own_platform(device_type type) noexcept;
const platform* find_registered(device_type type, std::string_view name) noexcept;
const platform* find_registered(std::string_view name) noexcept;
const platform* find_registered_owner(device_type type, const void* data) noexcept;

}  // namespace anystream::core
