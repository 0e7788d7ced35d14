// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The quick ways to import an array of the host, and which of them the planner has found right for
// a class. What a way must not be used for is the planner's to know, and its rows'.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>

#include <anystream/c_api.h>

#include "native.hpp"

namespace anystream::python {

struct route;

// A new Array of x; null without an error where this way is not for this one array: the planner
// then says what is. Throws what the producer raised. The array is read, its layout copied and what
// keeps its memory held: nothing is put off.
using importer = PyObject* (*)(PyObject* x, const route& how);

// A property of the array that must be false, asked of its library or of the descriptor itself.
struct forbidden {
  native_question native{};
  getter get = nullptr;
  void* closure = nullptr;
  PyCFunction call = nullptr;  // a method without arguments
  bool of_complex = false;     // it can only be true of complex numbers
  bool of_bytes = false;       // … of integers of a byte
  PyObject* among = nullptr;   // a frozenset, the process's: true where the value is in it
};

struct route {
  PyTypeObject* type = nullptr;  // not kept alive
  unsigned version = 0;          // tp_version_tag of the type when this was found out
  importer take = nullptr;
  PyObject* plan = nullptr;  // owned
  const DLPackExchangeAPI* table = nullptr;
  native_export exporter{};
  // Method of the array's offset into its memory, in elements: an address that is that alone is of
  // memory that is gone. Owned by the process; null where there is none to ask.
  PyObject* offset = nullptr;
  Py_ssize_t inner = 0;  // where in the object the array is that is read; 0: it is that itself
  bool immutable = false;
  bool asks_device = false;  // before the array is exported: its library has no row
  bool planned = false;      // by the planner, for this very array: a failure is to be told
  std::size_t forbidden_count = 0;
  std::array<forbidden, 4> forbids{};
};

// Whether a route is of exactly this type, as it is now. Not fooled by another type at its address,
// nor by a class or a base that was patched.
bool is_current(const route& found, const PyTypeObject* type) noexcept;

// Reads (word of the way, plan, immutable, forbids, offset, natives, asks_device) for arrays like
// x, as _routes.py makes it; the plan is then owned by `out`. False where the class does not allow
// it: then nothing is owned. Throws.
bool read_row(route& out, nanobind::handle x, nanobind::handle row);

// x as an Array, by the way that the planner has found for its class; null without an error where
// none is known, or where it is not one for this array. Throws.
PyObject* import_quickly(PyObject* x);

// The ways, by the words that plans have for them.
PyObject* take_array_struct(PyObject* x, const route& how);   // "array struct"
PyObject* take_by_table(PyObject* x, const route& how);       // "table"
PyObject* take_buffer(PyObject* x, const route& how);         // "buffer"
PyObject* take_copied_buffer(PyObject* x, const route& how);  // "copied buffer"
PyObject* take_by_call(PyObject* x, const route& how);        // "dlpack"
PyObject* take_by_bare_call(PyObject* x, const route& how);   // the same, without keywords
PyObject* take_by_native(PyObject* x, const route& how);      // the same, by what it calls
PyObject* take_array(PyObject* x, const route& how);          // "array"
PyObject* take_usm_struct(PyObject* x, const route& how);     // "usm struct"

// Where an object of that type has the array that "usm struct" reads (0: it is one); -1 where not.
Py_ssize_t place_of_usm_array(PyTypeObject* type);
void register_usm(nanobind::module_& m);

void register_routes(nanobind::module_& m);

}  // namespace anystream::python
