// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that must not be made to submit work or to wait. A runtime's own worker may let an array
// go (a host task that kept it alive), inside of the runtime: an event that is recorded from there
// can wait for a lock of the runtime that another thread waits with, for this very worker.
#pragma once

#include <cstdint>

#include "owner.hpp"

namespace anystream::core {

// Nonzero: the calling thread may be such a worker. Null: none is, as at first.
using thread_question = std::int32_t (*)();
void tell_foreign_threads_by(thread_question is_foreign) noexcept;

// Where the calling thread is one: has the thread of the releases let go of `last` instead, soon.
// False, and nothing done, where it is none, or where there is no memory for the entry.
bool leave_to_release_thread(void* last, void (*release)(void*), std::uint64_t bytes) noexcept;

}  // namespace anystream::core
