// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What no device could make a stream of, refused before any device is known. where names the
// parameter, for messages.
#pragma once

#include <string_view>

#include <nanobind/nanobind.h>

#include <anystream/device.hpp>

#include "registered_rules.hpp"
#include "stream_source.hpp"

namespace anystream::python {

// The rows of the table that have stream capsules, each with its names "A|B".
template <class Visit>
void for_each_rules(Visit&& visit) {
  for (const device_info& row : device_table) visit(row.rules);
  for (const platform_info& row : platform_table) visit(row.rules);
  find_registered_if([&](const anystream_platform_info& info) {
    visit(rules_of_registered(info));
    return false;
  });
}

template <class Visit>
void for_each_name(std::string_view names, Visit&& visit) {
  while (!names.empty()) {
    const std::size_t bar = names.find('|');
    visit(names.substr(0, bar));
    names.remove_prefix(bar == names.npos ? names.size() : bar + 1);
  }
}

[[noreturn]] void refuse_type(const stream_source& source, const char* where);

// Of an int: -1, other negative numbers, and those that no pointer holds.
void check_integer(const stream_source& source, const char* where);

void check_source(const stream_source& source, const char* where);

// As check_source, where an array that is not there would tell the device: what its producer may
// know is taken, and so are None and -1.
void check_stream(nanobind::handle given, const char* where);

}  // namespace anystream::python
