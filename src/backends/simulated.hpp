// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the simulated accelerator offers beside its backend: what anystream_simulated_api calls.
//
// These are the functions of that part of the C table, with exceptions in place of statuses; the C
// boundary wraps each. c_api.h says what each does. What holds of the whole simulation:
//
// - A stream is a thread with a queue. In order: first in, first out. Out of order: the newest
//   operation that may start is started first, the order that is hardest on a missing barrier.
// - A handle is a number in the clothes of a pointer: looked up, never followed, never used again.
//   A dead or a made-up one is therefore always known for what it is.
// - Memory reads 0xA5 when new and 0xDD once freed. Freed memory goes to a quarantine (the newest
//   256 MiB of it), where it stays readable, so that a use after free is seen as wrong values and
//   is safe under AddressSanitizer. An operation that is pending on it still runs, and shows there.
// - Threads are never joined: a held stream does not keep the process from ending.
// - An exploring device has no threads: simulated_scheduler.hpp says who runs its operations, and
//   simulated_shadow.hpp what is known of its memory. The rest holds of it too, but for frees:
//   those of an array with a stream are operations of that stream.
// - In a forked child there are no threads, so nothing runs: what would need one throws
//   driver_unavailable, releases do nothing, and no call hangs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../backend.hpp"
#include "../owner.hpp"

namespace anystream::core::simulated {

class journal;

std::int32_t create_device(std::uint64_t seed, std::uint32_t max_delay_us);

// Exploring devices: simulated_scheduler.hpp. fault may be null or empty; value_error lists them.
std::int32_t create_explorer(std::uint64_t seed, const char* fault);
void finish_explorer(std::int32_t device);
void close_explorer(std::int32_t device);
const journal& journal_of(std::int32_t device);  // until the device is closed

// Given: the caller owns one reference. name may be null or empty. value_error: no such device, or
// a live stream of the device has that name.
stream_handle create_stream(std::int32_t device, const char* name, bool in_order);
stream_handle find_stream(std::int32_t device, const char* name);

// Of a handle that is not a live stream's: retain and release do nothing, the name is "".
void retain_stream(stream_handle stream) noexcept;
// When the last reference goes the stream's hold is lifted, since no one is left to do it.
void release_stream(stream_handle stream) noexcept;
const char* stream_name(stream_handle stream) noexcept;

void hold_stream(stream_handle stream);
void resume_stream(stream_handle stream);
std::uint64_t pending_operations(stream_handle stream);

void* allocate_memory(std::int32_t device, std::size_t bytes);
void deallocate_memory(void* memory);

// These queue. Outside of an allocation, or into freed memory: value_error, and nothing is queued.
void fill(stream_handle stream, void* memory, const void* pattern, std::size_t pattern_bytes,
          std::size_t count);
// `keep` is let go of when the copy has run.
void copy(stream_handle stream, void* target, const void* source, std::size_t bytes,
          owner keep = {});
// `dropped` (may be null) is called exactly once, also where this throws.
void call(stream_handle stream, void (*function)(void*), void* context, void (*dropped)(void*));

// Reads at once, in order with nothing. Freed memory too, as long as it is in quarantine.
void peek(const void* memory, void* target, std::size_t bytes);

}  // namespace anystream::core::simulated
