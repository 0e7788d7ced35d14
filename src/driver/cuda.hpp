// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcuda, NVIDIA's driver, that the CUDA backend calls.
//
// Members are called by what they do, so that HIP's list can have the same ones: the backend is
// written once, over either. The vendor's name, by which errors name a call, is the symbol.
// https://docs.nvidia.com/cuda/cuda-driver-api/
#pragma once

#include <cstddef>

#include "driver/table.hpp"

namespace anystream::core {

using cuda_context = struct cuda_context_object*;
using cuda_stream_t = struct cuda_stream_object*;
using cuda_event_t = struct cuda_event_object*;

constexpr int cuda_pointer_memory_type = 2;     // attributes of a pointer …
constexpr int cuda_pointer_is_managed = 8;      // …
constexpr int cuda_pointer_device_ordinal = 9;  // …
constexpr int cuda_memory_host = 1;
constexpr unsigned cuda_attach_global = 1;

// Addresses on the device are integers in the vendor's header, of a pointer's size and passed like
// one. Symbols of 12 and later are optional.
// clang-format off
#define ANYSTREAM_CUDA_FUNCTIONS(X)                                                               \
  X(required, int, initialize, "cuInit", (unsigned))                                              \
  X(required, int, error_name, "cuGetErrorName", (int, const char**))                             \
  X(required, int, error_text, "cuGetErrorString", (int, const char**))                           \
  X(required, int, device_count, "cuDeviceGetCount", (int*))                                      \
  X(required, int, device_name, "cuDeviceGetName", (char*, int, int))                             \
  X(required, int, retain_primary_context, "cuDevicePrimaryCtxRetain", (cuda_context*, int))      \
  X(required, int, current_context, "cuCtxGetCurrent", (cuda_context*))                           \
  X(required, int, make_context_current, "cuCtxSetCurrent", (cuda_context))                       \
  X(required, int, device_of_current, "cuCtxGetDevice", (int*))                                   \
  X(required, int, synchronize_current, "cuCtxSynchronize", ())                                   \
  X(optional, int, context_id, "cuCtxGetId", (cuda_context, unsigned long long*))                 \
  X(optional, int, context_record, "cuCtxRecordEvent", (cuda_context, cuda_event_t))              \
  X(required, int, stream_context, "cuStreamGetCtx", (cuda_stream_t, cuda_context*))              \
  X(optional, int, stream_id, "cuStreamGetId", (cuda_stream_t, unsigned long long*))              \
  X(required, int, stream_query, "cuStreamQuery", (cuda_stream_t))                                \
  X(required, int, stream_synchronize, "cuStreamSynchronize", (cuda_stream_t))                    \
  X(required, int, stream_wait, "cuStreamWaitEvent", (cuda_stream_t, cuda_event_t, unsigned))     \
  X(required, int, stream_is_capturing, "cuStreamIsCapturing", (cuda_stream_t, int*))             \
  X(optional, int, stream_capture, "cuStreamGetCaptureInfo_v2",                                   \
    (cuda_stream_t, int*, unsigned long long*, void**, const void**, std::size_t*))               \
  X(optional, int, graph_nodes, "cuGraphGetNodes", (void*, void**, std::size_t*))                 \
  X(optional, int, add_capture_dependencies, "cuStreamUpdateCaptureDependencies_v2",              \
    (cuda_stream_t, void**, const void*, std::size_t, unsigned))                                  \
  X(required, int, exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (int*))            \
  X(required, int, event_create, "cuEventCreate", (cuda_event_t*, unsigned))                      \
  X(required, int, event_record, "cuEventRecord", (cuda_event_t, cuda_stream_t))                  \
  X(required, int, event_query, "cuEventQuery", (cuda_event_t))                                   \
  X(required, int, event_synchronize, "cuEventSynchronize", (cuda_event_t))                       \
  X(required, int, event_destroy, "cuEventDestroy_v2", (cuda_event_t))                            \
  X(required, int, pointer_attributes, "cuPointerGetAttributes",                                  \
    (unsigned, int*, void**, const void*))                                                        \
  X(required, int, allocate, "cuMemAlloc_v2", (void**, std::size_t))                              \
  X(required, int, free, "cuMemFree_v2", (void*))                                                 \
  X(required, int, allocate_host, "cuMemAllocHost_v2", (void**, std::size_t))                     \
  X(required, int, free_host, "cuMemFreeHost", (void*))                                           \
  X(required, int, allocate_managed, "cuMemAllocManaged", (void**, std::size_t, unsigned))        \
  X(optional, int, allocate_async, "cuMemAllocAsync", (void**, std::size_t, cuda_stream_t))       \
  X(optional, int, free_async, "cuMemFreeAsync", (void*, cuda_stream_t))                          \
  X(required, int, copy_async, "cuMemcpyAsync",                                                   \
    (void*, const void*, std::size_t, cuda_stream_t))
// clang-format on
ANYSTREAM_DRIVER_TABLE(cuda_driver, ANYSTREAM_CUDA_FUNCTIONS)
#undef ANYSTREAM_CUDA_FUNCTIONS

}  // namespace anystream::core
