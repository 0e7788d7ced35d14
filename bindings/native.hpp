// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Asking a library's own C and C++ functions about its tensor, and for it, where asking the Python
// object takes longer than all the rest of an import (torch: 90 ns a method).
//
// Nothing in dlpack.h says how. So it is only done where an array of the class has shown where the
// address of the library's tensor is, which it also tells Python of: as a word of the object, or as
// the first word of the context of what its exchange table exports. The package finds the functions
// by name (_natives.py); a mangled one says what it takes.
#pragma once

#include <Python.h>

#include <anystream/c_api.h>

namespace anystream::python {

struct native_question {
  using function = bool (*)(const void*);
  function ask = nullptr;
  bool by_reference = false;  // it takes the place of the address, as a C++ reference to it does

  bool is_true_of(const DLManagedTensorVersioned& exported) const noexcept {
    void* const context = exported.manager_ctx;
    return ask(by_reference ? context : *static_cast<void**>(context));
  }
};

struct native_export {
  using function = int (*)(void* tensor, DLManagedTensorVersioned** out);
  function call = nullptr;
  Py_ssize_t handle_at = 0;  // offset of the tensor's address in the object

  void* handle_in(PyObject* x) const noexcept {
    return *reinterpret_cast<void**>(reinterpret_cast<char*>(x) + handle_at);
  }
};

// Whether the table exports x with a context whose first word is that address. Exports x once. With
// the GIL; leaves no error set, but throws one that is no Exception.
bool exports_handle(PyObject* x, const DLPackExchangeAPI& table, const void* handle);

// The offset of the one word of the object that is that address; 0 where not exactly one is.
Py_ssize_t place_of_handle(PyObject* x, const void* handle) noexcept;

}  // namespace anystream::python
