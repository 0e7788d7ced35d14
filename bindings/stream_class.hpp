// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Which Python types are stream classes of some library, told by name along the MRO: nothing is
// imported for it.
#pragma once

#include <nanobind/nanobind.h>

#include "configuration.hpp"
#include "type_name.hpp"

namespace anystream::python {

struct known_type {
  const stream_class* row;  // null: of no library that is known
  const char* text;         // "a torch.cuda.streams.Stream", for messages; lives for the process
  bool tells;               // has __dlpack_stream__
};

// Remembered per type. Neither keeps the type alive nor is fooled by another one at its address, by
// a patched class or by new rows.
known_type recognise(PyTypeObject* type);

// "a torch.cuda.streams.Stream", "an int"; lives for the process.
const char* type_text(PyTypeObject* type);

}  // namespace anystream::python
