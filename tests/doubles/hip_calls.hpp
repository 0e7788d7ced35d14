// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What HIP's entry points do, under the names of their symbols.
#pragma once

#include "hip_types.hpp"
#include "status.hpp"

namespace doubles::hip {

#define ENTRY(streams, symbol, parameters, arguments) status symbol parameters;
#include "hip_entries.def"
#undef ENTRY

// What is exported as a name; null if nothing is.
void* find_function(const char* symbol, bool per_thread);

template <class T>
void give(T* to, T value) {
  require(to != nullptr, invalid_value);
  *to = value;
}

template <class Handle>
void give_handle(Handle* to, void* value) {
  require(to != nullptr, invalid_value);
  *to = static_cast<Handle>(value);
}

}  // namespace doubles::hip
