// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The system's fork hook.
#include "driver/fork.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace anystream::core {

void call_after_fork([[maybe_unused]] void (*child)()) noexcept {
#if !defined(_WIN32)
  pthread_atfork(nullptr, nullptr, child);
#endif
}

}  // namespace anystream::core
