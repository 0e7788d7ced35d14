// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rest of the bindings needs of arrays: registering them, and looking inside one.
#pragma once

#include <Python.h>

#include <anystream/c_api.h>

namespace anystream::python {

// Adds Array, Carrier, from_dlpack and the _array_… functions to the module. -1 with a Python
// exception set on failure. Called once, from the module's initialisation.
int register_arrays(PyObject* module);

bool is_array(PyObject* object) noexcept;

// The core's array inside an Array, borrowed from it; nullptr with a TypeError that names `where`
// ("_simulated_fill(array=…)") if object is none.
anystream_array* array_of(PyObject* object, const char* where);

}  // namespace anystream::python
