// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a point in the work of a stream, which it may outlive.
#pragma once

#include <anystream/c_api.h>

#include <cstdint>
#include <memory>

#include "stream.hpp"

struct anystream_event {
  // Takes the handle.
  anystream_event(const anystream::core::platform& where, DLDevice which,
                  anystream::core::event_handle ours) noexcept
      : platform(&where), device(which), handle(ours) {}
  anystream_event(const anystream_event&) = delete;
  anystream_event& operator=(const anystream_event&) = delete;
  ~anystream_event();

  const anystream::core::platform* platform;  // has a backend
  DLDevice device;
  anystream::core::event_handle handle;
};

namespace anystream::core {

using event = anystream_event;
using event_ref = std::unique_ptr<event>;

// The end of the stream's work so far. Handles that nobody needs any more are kept, a bounded
// number a device, and recorded again where the platform can.
event_ref record_event(const stream& stream);

// The same when an array is given back to home: a stream that may be gone by then is not touched,
// and the event is that of all work that it may have been part of.
event_ref record_end(const stream& ended, const stream& home);

// Destroys the handles that are kept.
void empty_event_pool() noexcept;

// An event's handle that nobody needs any more: into the pool, or destroyed.
void give_back(const backend& engine, DLDevice device, event_handle handle) noexcept;

// How many handles were had from a backend so far: a tally of the process, for tests.
std::uint64_t events_created() noexcept;

// Later work of the stream waits on the device; for an event of another platform, and where an
// out-of-order stream cannot be held back by its device, the host waits. ANYSTREAM_ORDERED_… . The
// policy is the caller's to check.
std::int32_t wait_event(const stream& stream, const event& event);
void synchronize_event(const event& event);  // for a caller; releases have waits of their own

}  // namespace anystream::core
