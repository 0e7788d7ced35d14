// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator's part of the C table.
#pragma once

#include <anystream/c_api.h>

namespace anystream::core {

extern const anystream_simulated_api simulated_table;

}  // namespace anystream::core
