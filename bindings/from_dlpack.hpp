// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The function from_dlpack, which makes an Array of an array of any library.
#pragma once

#include <Python.h>

namespace anystream::python {

// METH_FASTCALL | METH_KEYWORDS.
PyObject* from_dlpack(PyObject* module, PyObject* const* values, Py_ssize_t given, PyObject* names);

// from_dlpack(x) of an array whose producer has been called already, and gave that capsule. Throws.
PyObject* plan_import_of(PyObject* x, PyObject* capsule);

// Called once, before it can be called.
void register_from_dlpack();

}  // namespace anystream::python
