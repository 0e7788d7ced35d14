// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libDPCTLSyclInterface, dpctl's C library over SYCL, that the SYCL backend calls.
#pragma once

#include "driver/table.hpp"

namespace anystream::core {

// SYCL objects on the heap, as dpctl hands them out: sycl::queue*, sycl::event* and so on. Distinct
// incomplete types, so that one is not passed for another.
using sycl_queue = struct sycl_queue_object*;
using sycl_event = struct sycl_event_object*;
using sycl_context = struct sycl_context_object*;
using sycl_device = struct sycl_device_object*;
using sycl_device_vector = struct sycl_device_vector_object*;
using sycl_event_vector = struct sycl_event_vector_object*;

// dpctl's own numbers, not SYCL's. Kinds of device and platforms are the bits of one filter.
constexpr int sycl_accelerator = 1 << 0;
constexpr int sycl_cpu = 1 << 2;
constexpr int sycl_gpu = 1 << 4;
constexpr int sycl_every_device = ((1 << 6) - 1) | (((1 << 5) - 1) << 16);

// What an event says of its command. Python's dpctl numbers these one higher.
constexpr int sycl_event_unknown = 0;
constexpr int sycl_event_complete = 3;

constexpr int sycl_usm_unknown = 0;
constexpr int sycl_usm_device = 1;
constexpr int sycl_usm_shared = 2;
constexpr int sycl_usm_host = 3;

constexpr int sycl_queue_in_order = 1 << 1;

// Called by the runtime with the code of an error that happened on the device.
using sycl_error_handler = void(int code);

// A function that gives an object gives NULL where the runtime threw; what it threw is printed to
// stderr if the variable DPCTL_VERBOSITY asks for it, and is not to be had otherwise. What is given
// is the caller's to delete.
// clang-format off
#define ANYSTREAM_SYCL_FUNCTIONS(X)                                                               \
  X(required, sycl_queue, DPCTLQueue_Copy, "DPCTLQueue_Copy", (sycl_queue))                       \
  X(required, void, DPCTLQueue_Delete, "DPCTLQueue_Delete", (sycl_queue))                         \
  X(required, bool, DPCTLQueue_AreEq, "DPCTLQueue_AreEq", (sycl_queue, sycl_queue))               \
  X(required, bool, DPCTLQueue_IsInOrder, "DPCTLQueue_IsInOrder", (sycl_queue))                   \
  X(required, sycl_context, DPCTLQueue_GetContext, "DPCTLQueue_GetContext", (sycl_queue))         \
  X(required, sycl_device, DPCTLQueue_GetDevice, "DPCTLQueue_GetDevice", (sycl_queue))            \
  X(required, sycl_queue, DPCTLQueue_Create, "DPCTLQueue_Create",                                 \
    (sycl_context, sycl_device, sycl_error_handler*, int))                                        \
  X(required, sycl_event, DPCTLQueue_SubmitBarrier, "DPCTLQueue_SubmitBarrier", (sycl_queue))     \
  X(required, sycl_event, DPCTLQueue_SubmitBarrierForEvents, "DPCTLQueue_SubmitBarrierForEvents", \
    (sycl_queue, const sycl_event*, std::size_t))                                                 \
  X(required, sycl_event, DPCTLQueue_Memcpy, "DPCTLQueue_Memcpy",                                 \
    (sycl_queue, void*, const void*, std::size_t))                                                \
  X(required, int, DPCTLEvent_GetCommandExecutionStatus, "DPCTLEvent_GetCommandExecutionStatus",  \
    (sycl_event))                                                                                 \
  X(required, void, DPCTLEvent_Wait, "DPCTLEvent_Wait", (sycl_event))                             \
  X(required, void, DPCTLEvent_Delete, "DPCTLEvent_Delete", (sycl_event))                         \
  X(required, sycl_event_vector, DPCTLEvent_GetWaitList, "DPCTLEvent_GetWaitList", (sycl_event))  \
  X(required, std::size_t, DPCTLEventVector_Size, "DPCTLEventVector_Size", (sycl_event_vector))   \
  X(required, sycl_event, DPCTLEventVector_GetAt, "DPCTLEventVector_GetAt",                       \
    (sycl_event_vector, std::size_t))                                                             \
  X(required, void, DPCTLEventVector_Delete, "DPCTLEventVector_Delete", (sycl_event_vector))      \
  X(required, void, DPCTLContext_Delete, "DPCTLContext_Delete", (sycl_context))                   \
  X(required, sycl_device_vector, DPCTLDeviceMgr_GetDevices, "DPCTLDeviceMgr_GetDevices", (int))  \
  X(required, sycl_context, DPCTLDeviceMgr_GetCachedContext, "DPCTLDeviceMgr_GetCachedContext",   \
    (sycl_device))                                                                                \
  X(required, std::size_t, DPCTLDeviceVector_Size, "DPCTLDeviceVector_Size",                      \
    (sycl_device_vector))                                                                         \
  X(required, sycl_device, DPCTLDeviceVector_GetAt, "DPCTLDeviceVector_GetAt",                    \
    (sycl_device_vector, std::size_t))                                                            \
  X(required, void, DPCTLDeviceVector_Delete, "DPCTLDeviceVector_Delete", (sycl_device_vector))   \
  X(required, bool, DPCTLDevice_AreEq, "DPCTLDevice_AreEq", (sycl_device, sycl_device))           \
  X(required, sycl_device, DPCTLDevice_GetParentDevice, "DPCTLDevice_GetParentDevice",            \
    (sycl_device))                                                                                \
  X(required, int, DPCTLDevice_GetDeviceType, "DPCTLDevice_GetDeviceType", (sycl_device))         \
  X(required, const char*, DPCTLDevice_GetName, "DPCTLDevice_GetName", (sycl_device))             \
  X(required, void, DPCTLDevice_Delete, "DPCTLDevice_Delete", (sycl_device))                      \
  X(required, void, DPCTLCString_Delete, "DPCTLCString_Delete", (const char*))                    \
  X(required, void*, DPCTLmalloc_device, "DPCTLmalloc_device", (std::size_t, sycl_queue))         \
  X(required, void, DPCTLfree_with_queue, "DPCTLfree_with_queue", (void*, sycl_queue))            \
  X(required, int, DPCTLUSM_GetPointerType, "DPCTLUSM_GetPointerType",                            \
    (const void*, sycl_context))
// clang-format on
ANYSTREAM_DRIVER_TABLE(sycl_driver, ANYSTREAM_SYCL_FUNCTIONS)
#undef ANYSTREAM_SYCL_FUNCTIONS

}  // namespace anystream::core
