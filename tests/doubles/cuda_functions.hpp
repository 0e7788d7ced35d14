// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver's functions, declared for programs that link it.
#pragma once

#include "cuda_types.hpp"

extern "C" {

#define DECLARE_none(symbol, parameters) CUresult symbol parameters;
#define DECLARE_ptsz(symbol, parameters) CUresult symbol parameters, symbol##_ptsz parameters;
#define DECLARE_ptds(symbol, parameters) CUresult symbol parameters, symbol##_ptds parameters;
#define ENTRY(streams, symbol, base, since, parameters, arguments) \
  DECLARE_##streams(symbol, parameters)
#define ALIAS(symbol, base, since, target)
#define KNOWN_AS(base, since, target)
#include "cuda_entries.def"
#undef ENTRY
#undef ALIAS
#undef KNOWN_AS
#undef DECLARE_none
#undef DECLARE_ptsz
#undef DECLARE_ptds

}  // extern "C"
