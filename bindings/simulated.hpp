// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the simulated accelerator, for anystream.testing.
#pragma once

#include <nanobind/nanobind.h>

namespace anystream::python {

void register_simulated(nanobind::module_& m);

}  // namespace anystream::python
