// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back in the C table: its functions behind the guard.
#include "c_api_release.hpp"

#include "deferred.hpp"
#include "error.hpp"
#include "exchange.hpp"
#include "foreign_thread.hpp"
#include "host_wait.hpp"
#include "release.hpp"
#include "release_error.hpp"
#include "way_back.hpp"

namespace anystream::core::border {
namespace {

wait_limit limit_of(double seconds) {
  if (seconds < 0) return {};
  return std::chrono::duration<double>(seconds);
}

}  // namespace

anystream_status set_way_back(array* array, stream* home, std::int32_t policy,
                              std::int32_t frees_in_order) {
  return guard([&] { core::set_way_back(*array, home, policy, frees_in_order != 0); });
}

anystream_status record_stream(array* array, stream* stream) {
  return guard([&] { core::record_stream(*array, *stream); });
}

anystream_status order_back(array* array, std::int32_t* how) {
  return guard([&] { *how = core::order_back(*array); });
}

std::int32_t release_policy(const array* array) {
  return array->back != nullptr ? array->back->policy() : -1;
}

anystream_status export_lent(array* array, stream* stream, DLManagedTensorVersioned** out) {
  return guard([&] { *out = lend_versioned(*array, stream); });
}

anystream_status export_lent_legacy(array* array, stream* stream, DLManagedTensor** out) {
  return guard([&] { *out = lend_managed(*array, stream); });
}

void releases_pending(std::int64_t* number, std::uint64_t* bytes) {
  const pending_releases now = count_pending_releases();
  if (number != nullptr) *number = now.number;
  if (bytes != nullptr) *bytes = now.bytes;
}

anystream_status releases_set_limit(std::int64_t number, std::uint64_t bytes) {
  return guard([&] { set_release_limit({number, bytes}); });
}

anystream_status releases_wait_for_room() {
  return guard([] { wait_for_room(); });
}

void releases_run() { run_finished_releases(); }

anystream_status releases_flush(double seconds, std::int32_t* all) {
  return guard([&] { *all = flush_releases(limit_of(seconds)) ? 1 : 0; });
}

anystream_status releases_stop(double seconds) {
  return guard([&] { stop_releases(limit_of(seconds)); });
}

void releases_on_error(void (*handler)(void* context, const char* message), void* context) {
  static_cast<void>(guard([&] { on_release_error(handler, context); }));
}

stream* home_of(const array* array) {
  return array->back != nullptr ? array->back->home() : nullptr;
}

void releases_foreign_threads(std::int32_t (*is_foreign)()) { tell_foreign_threads_by(is_foreign); }

void releases_ask_deleters(std::int32_t (*is_in_deleter)()) { ask_deleters(is_in_deleter); }

void releases_wait_by(std::int32_t (*waiter)(void (*body)(void* context), void* context)) {
  wait_by(waiter);
}

void releases_use_thread(std::int32_t use) { use_release_thread(use != 0); }

}  // namespace anystream::core::border
