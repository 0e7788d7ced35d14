// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's entry points do, under the names of their symbols.
#pragma once

#include "cuda_types.hpp"
#include "status.hpp"

namespace doubles::cuda {

#define ENTRY(streams, symbol, base, since, parameters, arguments) status symbol parameters;
#define ALIAS(symbol, base, since, target)
#define KNOWN_AS(base, since, target)
#include "cuda_entries.def"
#undef ENTRY
#undef ALIAS
#undef KNOWN_AS

// What is exported as a name, with its version and the kind of its null stream; null if nothing is.
void* find_function(const char* base, int version, bool per_thread, bool& is_newer);

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

}  // namespace doubles::cuda
