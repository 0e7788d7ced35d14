// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back: what happens to memory that streams still use when its last array goes.
//
//   a.set_way_back(producer, release::ordered, frees_in_order);
//   a.record_stream(consumer);          // or: lend_dlpack(a, consumer), for the consumer's library
//   …                                   // the last array goes: the producer waits on the device
//
// The functions of `releases` are about the one list, in the process, of what could not be let go
// of at once. They may be called from any thread.
#pragma once

#include <cstdint>

#include <anystream/api.hpp>
#include <anystream/array.hpp>
#include <anystream/exchange.hpp>
#include <anystream/stream.hpp>

namespace anystream {

// As export_dlpack, for a consumer that uses the array on that stream: when it lets go of the
// tensor, the array's way back is gone for the stream's work of then. Throws type_error for a
// stream of another platform.
inline managed_tensor lend_dlpack(array_view given, stream_view consumer) {
  DLManagedTensor* made = nullptr;
  check(api().array_export_lent_legacy(given.get(), consumer.get(), &made));
  return managed_tensor(made);
}

inline managed_tensor_versioned lend_dlpack_versioned(array_view given, stream_view consumer) {
  DLManagedTensorVersioned* made = nullptr;
  check(api().array_export_lent(given.get(), consumer.get(), &made));
  return managed_tensor_versioned(made);
}

namespace releases {

struct waiting {
  std::int64_t number;
  std::uint64_t bytes;
};

// What waits for the device now.
inline waiting pending() {
  waiting now{};
  api().releases_pending(&now.number, &now.bytes);
  return now;
}

// What wait_for_room keeps to; 0 is no limit. Throws value_error for a negative number.
inline void set_limit(const waiting& most) {
  check(api().releases_set_limit(most.number, most.bytes));
}

// Blocks until no more is pending than the limit. Never to be called in a deleter.
inline void wait_for_room() { check(api().releases_wait_for_room()); }

// Does what is due. Never waits for a device.
inline void run() { api().releases_run(); }

// Blocks until nothing is pending, at most for so many seconds (< 0: no limit); whether it is so.
inline bool flush(double seconds = -1) {
  std::int32_t all = 0;
  check(api().releases_flush(seconds, &all));
  return all != 0;
}

// Blocks as flush does, then ends the thread and keeps the rest for good: for the process's end.
inline void stop(double seconds) { check(api().releases_stop(seconds)); }

// Without the thread, what waits is let go of at calls only: for who must know when.
inline void use_thread(bool use) { api().releases_use_thread(use ? 1 : 0); }

// Who is told of what failed in a release, from any thread; it must not throw. NULL: stderr.
inline void on_error(void (*handler)(void* context, const char* message), void* context) {
  api().releases_on_error(handler, context);
}

}  // namespace releases

}  // namespace anystream
