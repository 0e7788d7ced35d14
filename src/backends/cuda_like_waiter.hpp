// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for all work of a context or a device, by one thread, where no event stands for it.
#pragma once

#include <functional>
#include <memory>

#include "backends/cuda_like_objects.hpp"

namespace anystream::core::cuda_like {

// Calls synchronize in a thread of its own, which is started on demand. False: it is to be tried
// again later. Those who ask for one place in one life before its turn has come share it. Never
// waits.
std::shared_ptr<awaited_place> await_all(place where, std::uint64_t life,
                                         std::function<bool()> synchronize);

// Of a place that is gone.
std::shared_ptr<awaited_place> nothing_to_await();

// Throws driver_error where the wait failed.
bool is_done(const awaited_place& awaited);

}  // namespace anystream::core::cuda_like
