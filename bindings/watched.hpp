// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Hand-offs that somebody watches, by a log or a trace: none of them is to go unseen.
#pragma once

#include <nanobind/nanobind.h>

namespace anystream::python {

// While this is set, hand-offs go through the package, which tells those that watch. Changed with
// the GIL.
extern bool hand_offs_are_watched;

void register_watched(nanobind::module_& m);

}  // namespace anystream::python
