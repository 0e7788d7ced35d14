// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies within a device whose array has gone before they have run. Freeing their memory then would
// be wrong: a runtime may hold a copy back itself (SYCL's does behind a host task, and dpctl puts
// one behind each operation), so that the free does not find it on the device.
#pragma once

#include <memory>

#include "array.hpp"
#include "event.hpp"

namespace anystream::core {

// What a copy needs until it has run: its own memory, and the source that it reads.
struct copy_memory {
  array_ref source;
  owner memory;
  std::unique_ptr<event> end;  // null until the copy is queued
};

// Lets go of them now if the copy has run, or was never queued; else when release_finished_copies
// finds that it has. Never waits. Any thread, also in a deleter that a peer is running.
void release_copy(copy_memory* ended) noexcept;

// Lets go of what has been put off and has run since. Runs foreign code: never under a lock, and
// not in a deleter that a peer is running.
void release_finished_copies() noexcept;

}  // namespace anystream::core
