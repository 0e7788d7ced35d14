// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The C table, as the C++ headers use it: how it is found, and how its statuses become exceptions.
//
// A program that links libanystream need do nothing. One that gets the table from elsewhere (an
// extension module takes it from the Python package) defines ANYSTREAM_NO_LINK and calls use_api
// first; then no symbol of the library is referred to.
#pragma once

#include <anystream/c_api.h>

#include <atomic>
#include <new>
#include <string>

#include <anystream/error.hpp>

namespace anystream {

namespace detail {

inline std::atomic<const anystream_api*> table{nullptr};

inline const anystream_api* linked_table() noexcept {
#if defined(ANYSTREAM_NO_LINK)
  return nullptr;
#else
  return anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR);
#endif
}

[[noreturn]] inline void throw_no_table() {
  throw driver_unavailable(
      "a libanystream that serves ABI " + std::to_string(ANYSTREAM_ABI_MAJOR) + "." +
      std::to_string(ANYSTREAM_ABI_MINOR) +
      " is needed; the one that was loaded does not, or none was.\n  Use a library of the same "
      "major version, as new as these headers; with ANYSTREAM_NO_LINK call use_api first.");
}

[[noreturn]] inline void throw_error(const anystream_error& error) {
  switch (error.status) {
    case ANYSTREAM_TYPE_ERROR:
      throw type_error(error.message);
    case ANYSTREAM_VALUE_ERROR:
      throw value_error(error.message);
    case ANYSTREAM_EXCHANGE_ERROR:
      throw exchange_error(error.message);
    case ANYSTREAM_ORDERING_ERROR:
      throw ordering_error(error.message);
    case ANYSTREAM_DRIVER_ERROR:
      throw driver_error(error.api, error.code, error.code_name, error.message);
    case ANYSTREAM_DRIVER_UNAVAILABLE:
      throw driver_unavailable(error.message);
    default:
      throw internal_error(error.message);
  }
}

}  // namespace detail

// Takes the table from elsewhere: once, before anything else of anystream is used, as all its
// objects belong to the table that they came from. Throws driver_unavailable if it is too old.
inline void use_api(const anystream_api* table) {
  // A table only grows: its size tells whether it reaches as far as these headers know.
  const bool serves = table != nullptr && table->abi_major == ANYSTREAM_ABI_MAJOR &&
                      table->size >= sizeof(anystream_api);
  if (!serves) detail::throw_no_table();
  detail::table.store(table, std::memory_order_release);
}

// The table in use. Any thread. Throws driver_unavailable where there is none that serves.
inline const anystream_api& api() {
  const anystream_api* table = detail::table.load(std::memory_order_acquire);
  if (table != nullptr) return *table;
  use_api(detail::linked_table());
  return *detail::table.load(std::memory_order_acquire);
}

namespace detail {

// The table of an object that is there: what destructors call, since it cannot throw.
inline const anystream_api& table_in_use() noexcept {
  return *table.load(std::memory_order_acquire);
}

}  // namespace detail

// Throws what a status stands for, with the calling thread's last error; std::bad_alloc for
// ANYSTREAM_OUT_OF_MEMORY.
inline void check(anystream_status status) {
  if (status == ANYSTREAM_OK) return;
  if (status == ANYSTREAM_OUT_OF_MEMORY) throw std::bad_alloc();
  anystream_error error;
  api().last_error(&error);
  detail::throw_error(error);
}

}  // namespace anystream
