// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The handler, and what it is told.
#include "release_error.hpp"

#include <atomic>
#include <cstdio>
#include <string>

namespace anystream::core {
namespace {

struct listener {
  release_error_handler handler;
  void* context;
};

// The two belong together. Earlier ones are never freed: a thread may be calling one.
std::atomic<const listener*> current{nullptr};

std::string describe(const char* what, const std::exception& error) {
  return std::string("a release did not go as asked, so memory is kept longer, or for good: ") +
         what + ": " + error.what();
}

void tell(const char* message) noexcept {
  const listener* to = current.load(std::memory_order_acquire);
  if (to != nullptr && to->handler != nullptr) return to->handler(to->context, message);
  std::fprintf(stderr, "anystream: %s\n", message);
}

}  // namespace

void on_release_error(release_error_handler handler, void* context) {
  current.store(new listener{handler, context}, std::memory_order_release);
}

void report_failed_release(const char* what, const std::exception& error) noexcept {
  try {
    tell(describe(what, error).c_str());
  } catch (const std::exception&) {  // no memory for the text
    tell(what);
  }
}

}  // namespace anystream::core
