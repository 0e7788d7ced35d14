// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libamdhip64, AMD's runtime, that the HIP backend calls.
//
// Members that both have are called as in CUDA's list. HIP has a current device for each thread
// where CUDA's driver has a context. https://rocm.docs.amd.com/projects/HIP/
#pragma once

#include <cstddef>

#include "driver/table.hpp"

namespace anystream::core {

using hip_stream_t = struct hip_stream_object*;
using hip_event_t = struct hip_event_object*;

constexpr int hip_copy_default = 4;  // the runtime finds out which way

// What a pointer is, as ROCm 6 and later lay it out.
struct hip_pointer_attributes {
  int type;
  int device;
  void* device_pointer;
  void* host_pointer;
  int is_managed;
  unsigned flags;
};
constexpr int hip_memory_host = 1;
constexpr int hip_memory_managed = 3;

// clang-format off
#define ANYSTREAM_HIP_FUNCTIONS(X)                                                                \
  X(required, int, initialize, "hipInit", (unsigned))                                             \
  X(required, int, error_name, "hipDrvGetErrorName", (int, const char**))                         \
  X(required, int, error_text, "hipDrvGetErrorString", (int, const char**))                       \
  X(required, int, device_count, "hipGetDeviceCount", (int*))                                     \
  X(required, int, device_name, "hipDeviceGetName", (char*, int, int))                            \
  X(required, int, current_device, "hipGetDevice", (int*))                                        \
  X(required, int, make_device_current, "hipSetDevice", (int))                                    \
  X(required, int, synchronize_current, "hipDeviceSynchronize", ())                               \
  X(optional, int, stream_device, "hipStreamGetDevice", (hip_stream_t, int*))                     \
  X(required, int, stream_query, "hipStreamQuery", (hip_stream_t))                                \
  X(required, int, stream_synchronize, "hipStreamSynchronize", (hip_stream_t))                    \
  X(required, int, stream_wait, "hipStreamWaitEvent", (hip_stream_t, hip_event_t, unsigned))      \
  X(required, int, stream_is_capturing, "hipStreamIsCapturing", (hip_stream_t, int*))             \
  X(optional, int, stream_capture, "hipStreamGetCaptureInfo_v2",                                  \
    (hip_stream_t, int*, unsigned long long*, void**, const void**, std::size_t*))                \
  X(optional, int, graph_nodes, "hipGraphGetNodes", (void*, void**, std::size_t*))                \
  X(optional, int, add_capture_dependencies, "hipStreamUpdateCaptureDependencies",                \
    (hip_stream_t, void**, std::size_t, unsigned))                                                \
  X(required, int, exchange_capture_mode, "hipThreadExchangeStreamCaptureMode", (int*))           \
  X(required, int, event_create, "hipEventCreateWithFlags", (hip_event_t*, unsigned))             \
  X(required, int, event_record, "hipEventRecord", (hip_event_t, hip_stream_t))                   \
  X(required, int, event_query, "hipEventQuery", (hip_event_t))                                   \
  X(required, int, event_synchronize, "hipEventSynchronize", (hip_event_t))                       \
  X(required, int, event_destroy, "hipEventDestroy", (hip_event_t))                               \
  X(required, int, pointer_attributes, "hipPointerGetAttributes",                                 \
    (hip_pointer_attributes*, const void*))                                                       \
  X(required, int, allocate, "hipMalloc", (void**, std::size_t))                                  \
  X(required, int, free, "hipFree", (void*))                                                      \
  X(required, int, allocate_host, "hipHostMalloc", (void**, std::size_t, unsigned))               \
  X(required, int, free_host, "hipHostFree", (void*))                                             \
  X(optional, int, allocate_async, "hipMallocAsync", (void**, std::size_t, hip_stream_t))         \
  X(optional, int, free_async, "hipFreeAsync", (void*, hip_stream_t))                             \
  X(required, int, copy_async, "hipMemcpyAsync",                                                  \
    (void*, const void*, std::size_t, int, hip_stream_t))
// clang-format on
ANYSTREAM_DRIVER_TABLE(hip_driver, ANYSTREAM_HIP_FUNCTIONS)
#undef ANYSTREAM_HIP_FUNCTIONS

}  // namespace anystream::core
