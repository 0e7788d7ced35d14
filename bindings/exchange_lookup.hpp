// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding the C exchange API of a class (dlpack.h, DLPackExchangeAPI).
#pragma once

#include <Python.h>

#include <string>

#include <anystream/c_api.h>

namespace anystream::python {

// The table of a class: of major version 1, the newest such where a newer one names an older as its
// predecessor. Null where the class has none, or has a `__dlpack__` that stands above the table in
// the method resolution order: that overrides it. Lives for the process. With the GIL; imports
// nothing. Throws exchange_error for what is no table, or lacks a function that dlpack.h requires.
const DLPackExchangeAPI* find_exchange_table(PyTypeObject* type);

// After a function of a table has failed: throws the Python error that it set, or says that it set
// none: "the C exchange API of <type> gave no <what> …". Without a type, it is the consumer's.
[[noreturn]] void throw_table_failure(PyTypeObject* type, const char* what);

}  // namespace anystream::python
