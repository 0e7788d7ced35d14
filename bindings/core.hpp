// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The core as the bindings see it: the table of functions, taken once when the module is loaded.
#pragma once

#include <anystream/c_api.h>

namespace anystream::python {

// Set by module.cpp before anything else runs; never null after that, and never changed.
extern const anystream_api* core_table;

inline const anystream_api& core() noexcept { return *core_table; }

}  // namespace anystream::python
