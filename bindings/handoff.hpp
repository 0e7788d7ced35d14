// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// handoff(x, to=…) of a host array, without planning anew what has been planned for its class.
#pragma once

#include <nanobind/nanobind.h>

namespace anystream::python {

// What has been planned, since there are new rows. With the GIL.
void forget_handovers();

void register_handoff(nanobind::module_& m);

}  // namespace anystream::python
