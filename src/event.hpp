// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a point in the work of a stream, which it may outlive.
#pragma once

#include <anystream/c_api.h>

#include <memory>

#include "stream.hpp"

struct anystream_event {
  // Takes the handle.
  anystream_event(const anystream::core::platform& where, DLDevice which,
                  anystream::core::event_handle ours) noexcept
      : platform(&where), device(which), handle(ours) {}
  anystream_event(const anystream_event&) = delete;
  anystream_event& operator=(const anystream_event&) = delete;
  ~anystream_event() {
    if (handle != nullptr) platform->engine->destroy_event(handle);
  }

  const anystream::core::platform* platform;  // has a backend
  DLDevice device;
  anystream::core::event_handle handle;
};

namespace anystream::core {

using event = anystream_event;

// The end of the stream's work so far.
std::unique_ptr<event> record_event(const stream& stream);

// Later work of the stream waits on the device; for an event of another platform, and where an
// out-of-order stream cannot be held back by its device, the host waits. ANYSTREAM_ORDERED_… . The
// policy is the caller's to check.
std::int32_t wait_event(const stream& stream, const event& event);

}  // namespace anystream::core
