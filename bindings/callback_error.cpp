// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Causes that wait for their error.
#include "callback_error.hpp"

#include <string_view>
#include <utility>

namespace nb = nanobind;

namespace anystream::python {
namespace {

struct kept_cause {
  nb::object exception;
  std::string text;
};

// A plain pointer: a thread may end without the GIL, and then leaves what it kept.
thread_local kept_cause* kept = nullptr;

}  // namespace

void keep_cause(nb::object exception, std::string text) noexcept {
  try {
    if (kept == nullptr) kept = new kept_cause;
    *kept = {std::move(exception), std::move(text)};
  } catch (const std::bad_alloc&) {
    return;  // the error has its message all the same
  }
}

bool attach_cause(const nb::object& error, const char* message) noexcept {
  if (kept == nullptr || !kept->exception.is_valid()) return false;
  const nb::object exception = std::move(kept->exception);
  if (std::string_view(message).find(kept->text) == std::string_view::npos) return false;
  if (PyObject_IsInstance(exception.ptr(), PyExc_Exception) == 0) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    return true;
  }
  PyException_SetCause(error.ptr(), nb::object(exception).release().ptr());
  return false;
}

}  // namespace anystream::python
