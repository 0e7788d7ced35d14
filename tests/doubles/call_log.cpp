// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of calls and the orders to fail.
#include "call_log.hpp"

#include <utility>

namespace doubles {

namespace {

constexpr std::size_t most_lines = 100000;

void strip(std::string_view& name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
}

}  // namespace

call_log& the_log() {
  static auto* const made = new call_log;
  return *made;
}

entry& entry_named(std::string_view name) {
  auto& entries = the_log().entries;
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  return entries.emplace(name, entry{.name = std::string(name)}).first->second;
}

entry* find_entry(std::string_view name) {
  for (const std::string_view suffix : {"_ptsz", "_ptds", "_spt", "_v2", "_v3", "_v4"}) {
    strip(name, suffix);
  }
  const auto found = the_log().entries.find(name);
  return found == the_log().entries.end() ? nullptr : &found->second;
}

std::uint64_t note(std::string line) {
  call_log& log = the_log();
  if (!log.on) return 0;
  log.lines.push_back(std::move(line));
  if (log.lines.size() > most_lines) {
    log.lines.pop_front();
    ++log.dropped;
  }
  return log.dropped + log.lines.size();
}

void rewrite(std::uint64_t number, std::string line) {
  call_log& log = the_log();
  if (number <= log.dropped || number > log.dropped + log.lines.size()) return;
  log.lines[number - log.dropped - 1] = std::move(line);
}

int ordered_failure(entry& of) {
  if (of.fail_times == 0) return ok;
  if (of.fail_after > 0) {
    --of.fail_after;
    return ok;
  }
  if (of.fail_times > 0) --of.fail_times;
  ++the_log().failed;
  return of.fail_code;
}

}  // namespace doubles
