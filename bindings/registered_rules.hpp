// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What holds of a device as the bindings see it: the rows of the tables, and those of platforms
// that were registered at run time.
#pragma once

#include <optional>
#include <string_view>

#include <anystream/c_api.h>
#include <anystream/device.hpp>

#include "core.hpp"

namespace anystream::python {

// The rules of one that was registered; its strings live for the process.
stream_rules rules_of_registered(const anystream_platform_info& info) noexcept;

// Whether it has a callback of that name.
bool has_callback(const anystream_platform_info& info, std::string_view name) noexcept;

// The first registered platform for which predicate(info) is true. Any thread; no GIL is needed.
template <class Predicate>
std::optional<anystream_platform_info> find_registered_if(Predicate&& predicate) {
  anystream_platform_info info{};
  for (std::int32_t i = 0; i < core().platform_count(); ++i) {
    if (core().platform_info(i, &info) == ANYSTREAM_OK && predicate(info)) return info;
  }
  return std::nullopt;
}

// By its name on a device type; "" is the type's own.
std::optional<anystream_platform_info> find_registered(device_type type, std::string_view name);

// What holds of a platform of a device: of a row of the tables, else of what was registered, else
// nothing.
struct known_rules {
  stream_rules rules;
  std::string_view family;  // the word of its stream classes; "" where none is agreed on
};
std::optional<known_rules> find_rules(device_type type, std::string_view platform);

}  // namespace anystream::python
