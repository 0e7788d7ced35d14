// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The backends of this version: each is made by a function that its own file defines.
#pragma once

#include <memory>

#include "backend.hpp"

namespace anystream::core {

struct cuda_driver;
struct hip_driver;
struct metal_driver;

// Each yields the one object of its platform: made on the first call (any thread), never destroyed.
// Making it opens no driver.
backend& host_backend();
backend& sycl_backend();
backend& simulated_backend();
backend& cuda_backend();
backend& hip_backend();
backend& metal_backend();
backend& opencl_backend();

inline constexpr backend& (*all_backends[])() = {host_backend, sycl_backend, simulated_backend,
                                                 cuda_backend, hip_backend,  opencl_backend,
                                                 metal_backend};

// On a driver that is there: how tests put a recording one in.
std::unique_ptr<backend> cuda_backend_on(const cuda_driver& driver);
std::unique_ptr<backend> hip_backend_on(const hip_driver& driver);
std::unique_ptr<backend> metal_backend_on(const metal_driver& driver);

}  // namespace anystream::core
