// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points: how often each was called, which are to fail, and what was called in which order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "status.hpp"

namespace doubles {

struct entry {
  std::string name;  // without a suffix
  unsigned long long calls = 0;
  int fail_code = 0;
  int fail_after = 0;
  int fail_times = 0;  // -1: for ever
};

struct call_log {
  std::map<std::string, entry, std::less<>> entries;
  std::deque<std::string> lines;
  std::uint64_t dropped = 0;  // lines that made place for newer ones
  unsigned long long failed = 0;
  bool on = true;
};

call_log& the_log();

// Makes it if need be; it stays where it is.
entry& entry_named(std::string_view name);
// Null if there is none; the name may have a suffix.
entry* find_entry(std::string_view name);

// Writes a line; gives its number, by which it can be written anew.
std::uint64_t note(std::string line);
void rewrite(std::uint64_t number, std::string line);

// What a test has ordered for this call: ok, or the code to fail with.
int ordered_failure(entry& of);

// The name of a code in the driver that this library plays.
const char* status_name(int code);

}  // namespace doubles
