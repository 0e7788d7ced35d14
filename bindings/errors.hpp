// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Failures of the core as Python errors: the one mapping, for nanobind's functions and for those
// that are written against the CPython API.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>
// Here, for every file alike: one that cast a std::string without it would break those of all.
#include <nanobind/stl/string.h>

#include <anystream/c_api.h>

namespace anystream::python {

// Sets the Python error for the failure that `status` reports. With the GIL, on the thread that
// made the failing call, before its next one.
void set_python_error(anystream_status status) noexcept;

[[noreturn]] void raise_python_error(anystream_status status);

// In functions that may throw: a failure of the core leaves as nanobind::python_error.
inline void check(anystream_status status) {
  if (status != ANYSTREAM_OK) raise_python_error(status);
}

// In functions that the interpreter calls directly: false when the Python error has been set.
[[nodiscard]] inline bool succeeded(anystream_status status) noexcept {
  if (status == ANYSTREAM_OK) return true;
  set_python_error(status);
  return false;
}

// Sets the Python error for the C++ exception being handled; call it in a catch block only.
void set_python_error_from_exception() noexcept;

// Clears the Python error, if there is one and it is an Exception; throws any other, such as
// KeyboardInterrupt.
void pass_over_error();

// The border of a function that the interpreter calls directly: runs body, and returns `failed`
// with the Python error set if it throws.
template <class Result, class Body>
Result at_border(Result failed, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    set_python_error_from_exception();
    return failed;
  }
}

// The classes, borrowed; for code that raises without a failing call of the core.
PyObject* ordering_error_class() noexcept;
PyObject* driver_unavailable_class() noexcept;

void register_errors(const nanobind::module_& m);

}  // namespace anystream::python
