// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How an Array comes to be and goes, as its type needs it.
#pragma once

#include <Python.h>

namespace anystream::python {

// Called once, before any array is made. `type` is owned by the process.
void use_array_type(PyTypeObject* type) noexcept;

int traverse_array(PyObject* object, visitproc visit, void* arg);
void deallocate_array(PyObject* object);

}  // namespace anystream::python
