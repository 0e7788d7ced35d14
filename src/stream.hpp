// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams: a platform's handle, ours or vouched for, and what is known of it.
#pragma once

#include <anystream/c_api.h>

#include <string_view>

#include "owner.hpp"
#include "reference.hpp"
#include "registry.hpp"

struct anystream_stream : anystream::core::counted {
  // Takes the handle: of a platform with a backend it is one that the backend retained.
  anystream_stream(const anystream::core::platform& where, DLDevice which,
                   anystream::core::stream_handle ours) noexcept
      : platform(&where), device(which), handle(ours) {}
  ~anystream_stream();

  const anystream::core::backend* engine() const noexcept { return platform->engine; }

  const anystream::core::platform* platform;
  DLDevice device;
  anystream::core::stream_handle handle;
  bool handle_is_ours = true;
  bool in_order = true;  // with a backend: asked when it was made, since it never changes
  std::int32_t out_of_order = ANYSTREAM_OUT_OF_ORDER_REFUSE;
  anystream::core::owner keep;  // what must outlive the handle, where it is not ours
};

namespace anystream::core {

using stream = anystream_stream;
using stream_ref = reference<stream>;

// Wraps a handle. Where the platform has a backend this makes a handle of our own, on whose device
// the stream is, and lets the owner go; else the handle is kept as it came, with its owner.
stream_ref make_stream(const platform& where, DLDevice device, stream_handle theirs, owner keep);

// A handle that tells its own device. Throws value_error for a platform whose handles do not.
stream_ref make_described_stream(std::string_view platform_name, stream_handle theirs, owner keep);

// The same queue, with another policy.
stream_ref with_policy(const stream& base, std::int32_t out_of_order);

// Throws driver_unavailable where only a backend that this version lacks could tell.
bool is_in_order(const stream& stream);

// Throws value_error if it is out-of-order and its policy refuses that. Where only a backend that
// this version lacks could tell, nothing is refused.
void check_consumer(const stream& stream, std::string_view where);

struct shared_handle {
  stream_handle handle;
  void (*release)(void* handle);
};

// A further handle for a capsule, with what frees it.
shared_handle share(const stream& stream);

}  // namespace anystream::core
