// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software HIP driver's functions, declared for programs that link it.
#pragma once

#include "hip_types.hpp"

extern "C" {

#define DECLARE_none(symbol, parameters) hipError_t symbol parameters;
#define DECLARE_null(symbol, parameters) hipError_t symbol parameters;
#define DECLARE_spt(symbol, parameters) hipError_t symbol parameters, symbol##_spt parameters;
#define ENTRY(streams, symbol, parameters, arguments) DECLARE_##streams(symbol, parameters)
#include "hip_entries.def"
#undef ENTRY
#undef DECLARE_none
#undef DECLARE_null
#undef DECLARE_spt

const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
int hipGetStreamDeviceId(hipStream_t stream);

}  // extern "C"
