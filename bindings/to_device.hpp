// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Array.to_device, as the array API standard has it.
#pragma once

#include <Python.h>

namespace anystream::python {

PyObject* array_to_device(PyObject* self, PyObject* const* values, Py_ssize_t given,
                          PyObject* names);

// Called once, before any array is made.
void register_to_device();

}  // namespace anystream::python
