// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is common to all calls.
#include "call.hpp"

#include <cstdio>

namespace doubles {

namespace {

std::string_view next_name(std::string_view& names) {
  const std::size_t start = names.find_first_not_of("(, ");
  if (start == std::string_view::npos) return {};
  names.remove_prefix(start);
  const std::string_view name = names.substr(0, names.find_first_of(",)"));
  names.remove_prefix(name.size());
  return name;
}

void void_what_was_before_a_reset(thread_state& thread) {
  if (thread.epoch == the_driver().epoch) return;
  thread.epoch = the_driver().epoch;
  thread.contexts.clear();
  thread.device = 0;
  thread.last_error = ok;
  thread.mode = capture_mode::global;
}

}  // namespace

std::string hex(unsigned long long value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", value);
  return text;
}

std::string call_text(std::string_view name, std::string_view names, const std::string* values,
                      std::size_t count) {
  std::string text(name);
  text += '(';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    text += next_name(names);
    text += '=';
    text += values[i];
  }
  text += ')';
  return text;
}

call_frame::call_frame(const entry& self, bool per_thread, std::unique_lock<std::mutex>& lock) {
  thread_state& thread = this_thread();
  void_what_was_before_a_reset(thread);
  thread.entry = self.name.c_str();
  thread.per_thread = per_thread;
  thread.lock = &lock;
}

call_frame::~call_frame() {
  this_thread().lock = nullptr;
  this_thread().call.clear();
}

int make_ready(readiness need) {
  if (need == readiness::made_ready) initialise();
  if (need == readiness::initialised && !the_driver().initialised) return not_initialized;
  return ok;
}

}  // namespace doubles
