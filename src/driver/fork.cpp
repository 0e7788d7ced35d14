// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The system's fork hook.
#include "driver/fork.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace anystream::core {
namespace {

std::atomic<std::uint32_t> generation{0};

}  // namespace

void call_after_fork([[maybe_unused]] void (*child)()) noexcept {
#if !defined(_WIN32)
  pthread_atfork(nullptr, nullptr, child);
#endif
}

std::uint32_t process_generation() noexcept {
  [[maybe_unused]] static const bool hooked = (call_after_fork([] { ++generation; }), true);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace anystream::core
