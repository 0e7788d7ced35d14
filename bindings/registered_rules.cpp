// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a device, of the tables or registered.
#include "registered_rules.hpp"

#include "stream_source.hpp"

namespace anystream::python {

stream_rules rules_of_registered(const anystream_platform_info& info) noexcept {
  const bool integers = (info.flags & ANYSTREAM_PLATFORM_TAKES_INTEGERS) != 0;
  return {info.name,
          none_rule::host_wait,
          integers ? integer_rule::handle : integer_rule::refused_type,
          stream_family::registered,
          info.takes,
          info.capsules,
          static_cast<memory_kind>(info.memory),
          info.fix};
}

bool has_callback(const anystream_platform_info& info, std::string_view name) noexcept {
  std::string_view names = info.callbacks;
  while (!names.empty()) {
    const std::size_t space = names.find(' ');
    if (names.substr(0, space) == name) return true;
    names.remove_prefix(space == names.npos ? names.size() : space + 1);
  }
  return false;
}

std::optional<anystream_platform_info> find_registered(device_type type, std::string_view name) {
  return find_registered_if([=](const anystream_platform_info& info) {
    if (info.device_type != static_cast<std::int32_t>(type)) return false;
    return name.empty() ? info.is_own != 0 : name == info.name;
  });
}

std::optional<known_rules> find_rules(device_type type, std::string_view platform) {
  if (const platform_info* row = find_platform(type, platform)) {
    return known_rules{row->rules, word_of(row->rules.objects)};
  }
  const device_info* row = find_device(type);
  const bool builtin = row != nullptr && !row->rules.backend.empty();
  if (!builtin) {
    if (const auto found = find_registered(type, platform)) {
      return known_rules{rules_of_registered(*found), found->family};
    }
  }
  if (row == nullptr) return std::nullopt;
  return known_rules{row->rules, word_of(row->rules.objects)};
}

}  // namespace anystream::python
