// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the package's imports by other interfaces than DLPack need of the interpreter.
#pragma once

#include <nanobind/nanobind.h>

namespace anystream::python {

void register_foreign_memory(nanobind::module_& m);

}  // namespace anystream::python
