// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back: every array gives its memory back here, and nowhere else.
//
// What the device cannot see to (an out-of-order home, an owner that frees at once, a driver's
// error) is left to the deferred releases: nobody waits in a destructor, but for the policy "host",
// which asks for it. In a forked child the memory of the parent's arrays stays for good, whatever
// their policy: it is on a device, since there are no streams elsewhere, so that its owner would
// talk to a driver that does not work there.
#pragma once

#include <cstdint>

#include "array.hpp"
#include "deferred.hpp"

namespace anystream::core {

// home may be null: the array has no way back then. Throws type_error for a stream of another
// platform, value_error for what is no policy, driver_unavailable where nothing can be ordered.
void set_way_back(array& array, stream* home, std::int32_t policy, bool frees_in_order);

// To the array's own stream, if it has one: for memory of the library's own.
void set_own_way_back(array& array, bool frees_in_order);

// Throws type_error for a stream of another platform, value_error without a way back.
void record_stream(array& array, stream& user);

// Where there is a way back: the stream is a user, unless it is home, in-order or not.
void use_on(array& array, stream& user);

// Now: ANYSTREAM_ORDERED_… . May wait.
std::int32_t order_back(array& array);

// A use that has begun. The array's way back may be another by its end, and then knows it or not.
struct loan {
  stream_ref user;             // null: its end needs nothing
  bool is_listed = false;      // else user was home's, in-order, or there was no way back
  std::uint32_t way_back = 0;  // its number
};

// user may be null. Throws type_error for a stream of another platform.
loan begin_loan(array& array, stream* user);
void end_loan(array& array, const loan& ended) noexcept;
inline bool has_end(const array& array, const loan& of) noexcept {
  return of.user && array.back != nullptr;
}

// Called once an array, when its last reference has gone. Any thread; runs foreign code.
void release_by_way_back(array& array) noexcept;
inline void release_memory(array& array) noexcept {
  if (array.back != nullptr) return release_by_way_back(array);
  const deleter_in_progress here;
  array.memory.release();
}

}  // namespace anystream::core
