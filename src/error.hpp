// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions become statuses here, and only here: the C border.
#pragma once

#include <anystream/c_api.h>

#include <utility>

namespace anystream::core {

// Keeps the exception in flight as the calling thread's last error, and yields its status.
anystream_status record_failure() noexcept;

// The calling thread's last error; ANYSTREAM_OK and "" if there was none.
void last_failure(anystream_error& out) noexcept;

template <class Function>
anystream_status guard(Function&& function) noexcept {
  try {
    std::forward<Function>(function)();
    return ANYSTREAM_OK;
  } catch (...) {
    return record_failure();
  }
}

}  // namespace anystream::core
