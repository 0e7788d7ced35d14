// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A Stream as other libraries take it: by __cuda_stream__, or by a capsule.
#pragma once

#include <nanobind/nanobind.h>

#include "stream.hpp"

namespace anystream::python {

// Defines __cuda_stream__ and _get_capsule, each an AttributeError where it would not be true.
void define_sharing(nanobind::class_<py_stream>& stream);

}  // namespace anystream::python
