// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Carrier: what a hand-off gives to a library.
#pragma once

#include <Python.h>

namespace anystream::python {

void register_carrier(PyObject* module);

}  // namespace anystream::python
