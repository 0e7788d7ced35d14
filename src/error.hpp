// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions become statuses here, and only here: the C border.
#pragma once

#include <anystream/c_api.h>

#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace anystream::core {

// What std::bad_alloc cannot say: how much could not be had, and where.
class out_of_memory : public std::bad_alloc {
 public:
  out_of_memory(std::size_t bytes, DLDevice where);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Gives what `allocate()` does; where that has no memory, says for how much there was none.
template <class Allocate>
auto with_memory_for(std::size_t bytes, DLDevice where, Allocate&& allocate) {
  try {
    return std::forward<Allocate>(allocate)();
  } catch (const std::bad_alloc&) {
    throw out_of_memory(bytes, where);
  }
}

// Keeps the exception in flight as the calling thread's last error, and yields its status.
anystream_status record_failure() noexcept;

// The calling thread's last error; ANYSTREAM_OK and "" if there was none.
void last_failure(anystream_error& out) noexcept;

template <class Function>
anystream_status guard(Function&& function) noexcept {
  try {
    std::forward<Function>(function)();
    return ANYSTREAM_OK;
  } catch (...) {
    return record_failure();
  }
}

}  // namespace anystream::core
