// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is called around host waits.
#include "host_wait.hpp"

#include <atomic>

namespace anystream::core {
namespace {

std::atomic<host_waiter> waiter_now{nullptr};

}  // namespace

void wait_by(host_waiter waiter) noexcept { waiter_now = waiter; }

bool run_host_wait(void (*body)(void* context), void* context) {
  const host_waiter waiter = waiter_now;
  if (waiter != nullptr) return waiter(body, context) != 0;
  body(context);
  return true;
}

}  // namespace anystream::core
