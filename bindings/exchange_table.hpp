// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack's C exchange API (dlpack.h 1.3) as anystream.Array offers it.
#pragma once

#include <Python.h>

namespace anystream::python {

// Puts the table on the type, where consumers look for it. The type must still take attributes.
// Throws.
void offer_exchange_table(PyObject* array_type);

}  // namespace anystream::python
