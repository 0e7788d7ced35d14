// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Host waits that a release makes: whoever lets an array go may hold something, such as the GIL,
// that must not be held meanwhile. Who knows of it is called around the wait.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

namespace anystream::core {

// Calls body(context), once, and returns nonzero; or 0, where this thread is none that may wait.
using host_waiter = std::int32_t (*)(void (*body)(void* context), void* context);

// Null: body is called as it is, as at first.
void wait_by(host_waiter waiter) noexcept;
bool run_host_wait(void (*body)(void* context), void* context);

// What wait() throws comes through, though not through the waiter. False: it has not been called.
template <class Wait>
bool wait_outside(Wait&& wait) {
  struct call {
    Wait& wait;
    std::exception_ptr failure;
  } made{wait, nullptr};
  const bool waited = run_host_wait(
      [](void* context) {
        auto& made = *static_cast<call*>(context);
        try {
          made.wait();
        } catch (...) {
          made.failure = std::current_exception();
        }
      },
      &made);
  if (made.failure != nullptr) std::rethrow_exception(made.failure);
  return waited;
}

}  // namespace anystream::core
