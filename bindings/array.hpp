// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rest of the bindings needs of arrays: registering them, making one, looking inside one.
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

// A new Array. Takes `array`, also when it fails (nullptr with an exception set). `stream` is a
// Stream object or nullptr; `plan` any object or nullptr; both are borrowed. The stream is set on
// the core's array as well.
PyObject* make_array(anystream_array* array, PyObject* stream, PyObject* plan);

}  // namespace anystream::python
