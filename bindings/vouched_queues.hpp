// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Bare ints that name a sycl::queue: taken only where a library vouches that such a queue is alive,
// since a made-up address cannot be checked and crashes.
#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>

namespace anystream::python {

// Remembers, weakly, the stream object that this int was read from. One that cannot be referred to
// weakly is not remembered.
void remember_queue(std::uintptr_t handle, nanobind::handle stream);

// Whether the int is the queue of a stream object that was seen and still lives, or one of those
// that the package's known_sycl_queues() gives now.
bool is_vouched_queue(std::uintptr_t handle);

}  // namespace anystream::python
