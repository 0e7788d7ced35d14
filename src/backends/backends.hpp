// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The backends of this version: each is made by a function that its own file defines.
#pragma once

#include "backend.hpp"

namespace anystream::core {

// Each yields the one object of its platform: made on the first call (any thread), never destroyed.
// Making it opens no driver.
backend& host_backend();
backend& sycl_backend();
backend& simulated_backend();

inline constexpr backend& (*all_backends[])() = {host_backend, sycl_backend, simulated_backend};

}  // namespace anystream::core
