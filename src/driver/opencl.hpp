// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of OpenCL that the OpenCL backend calls.
//
// Of an installable driver (ICD) the first word of every object points to the driver's table of
// functions, whose order is part of the ABI (cl_icd.h). Calls go through there, so they reach the
// object's own driver, whichever loader the object was made by, and with no loader at all. A loader
// is opened for one function only, which no object could be asked for: the list of platforms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/table.hpp"

namespace anystream::core {

// Distinct incomplete types, so that one object is not passed for another.
using opencl_platform = struct opencl_platform_object*;
using opencl_device = struct opencl_device_object*;
using opencl_context = struct opencl_context_object*;
using opencl_queue = struct opencl_queue_object*;
using opencl_memory = struct opencl_memory_object*;
using opencl_event = struct opencl_event_object*;

using opencl_info = std::uint32_t;   // what is asked for
using opencl_flags = std::uint64_t;  // bits
using opencl_event_callback = void(opencl_event event, std::int32_t status, void* context);

constexpr int opencl_success = 0;
constexpr int opencl_device_not_found = -1;
constexpr int opencl_invalid_context = -34;
constexpr int opencl_no_platforms = -1001;

constexpr int opencl_event_complete = 0;  // a negative state is the code of an error

constexpr opencl_flags opencl_every_device = 0xFFFFFFFF;
constexpr opencl_flags opencl_cpu = 1 << 1;
constexpr opencl_flags opencl_gpu = 1 << 2;
constexpr opencl_flags opencl_accelerator = 1 << 3;

constexpr opencl_info opencl_device_type = 0x1000;
constexpr opencl_info opencl_device_name = 0x102B;
constexpr opencl_info opencl_device_platform = 0x1031;
constexpr opencl_info opencl_device_parent = 0x1042;
constexpr opencl_info opencl_context_devices = 0x1081;
constexpr opencl_info opencl_context_device_count = 0x1083;
constexpr opencl_info opencl_queue_context = 0x1090;
constexpr opencl_info opencl_queue_device = 0x1091;
constexpr opencl_info opencl_queue_references = 0x1092;
constexpr opencl_info opencl_queue_properties = 0x1093;
constexpr opencl_info opencl_memory_flags = 0x1101;
constexpr opencl_info opencl_memory_context = 0x1106;
constexpr opencl_info opencl_memory_uses_svm = 0x1109;
constexpr opencl_info opencl_event_state = 0x11D3;
constexpr opencl_info opencl_event_context = 0x11D4;

constexpr opencl_flags opencl_out_of_order = 1 << 0;
constexpr opencl_flags opencl_on_device = 1 << 2;
constexpr opencl_flags opencl_read_write = 1 << 0;
constexpr opencl_flags opencl_use_host_pointer = 1 << 3;
constexpr opencl_flags opencl_allocate_host_pointer = 1 << 4;
constexpr opencl_flags opencl_map_read = 1 << 0;
constexpr opencl_flags opencl_map_write = 1 << 1;

// X(number in the table, what it returns, name, (parameters))
// clang-format off
#define ANYSTREAM_OPENCL_ENTRIES(X)                                                               \
  X(2, int, clGetDeviceIDs,                                                                       \
    (opencl_platform, opencl_flags, std::uint32_t, opencl_device*, std::uint32_t*))               \
  X(3, int, clGetDeviceInfo, (opencl_device, opencl_info, std::size_t, void*, std::size_t*))      \
  X(8, int, clGetContextInfo, (opencl_context, opencl_info, std::size_t, void*, std::size_t*))    \
  X(10, int, clRetainCommandQueue, (opencl_queue))                                                \
  X(11, int, clReleaseCommandQueue, (opencl_queue))                                               \
  X(12, int, clGetCommandQueueInfo,                                                               \
    (opencl_queue, opencl_info, std::size_t, void*, std::size_t*))                                \
  X(14, opencl_memory, clCreateBuffer,                                                            \
    (opencl_context, opencl_flags, std::size_t, void*, int*))                                     \
  X(18, int, clReleaseMemObject, (opencl_memory))                                                 \
  X(20, int, clGetMemObjectInfo, (opencl_memory, opencl_info, std::size_t, void*, std::size_t*))  \
  X(41, int, clWaitForEvents, (std::uint32_t, const opencl_event*))                               \
  X(42, int, clGetEventInfo, (opencl_event, opencl_info, std::size_t, void*, std::size_t*))       \
  X(43, int, clRetainEvent, (opencl_event))                                                       \
  X(44, int, clReleaseEvent, (opencl_event))                                                      \
  X(46, int, clFlush, (opencl_queue))                                                             \
  X(48, int, clEnqueueReadBuffer,                                                                 \
    (opencl_queue, opencl_memory, std::uint32_t, std::size_t, std::size_t, void*, std::uint32_t,  \
     const opencl_event*, opencl_event*))                                                         \
  X(49, int, clEnqueueWriteBuffer,                                                                \
    (opencl_queue, opencl_memory, std::uint32_t, std::size_t, std::size_t, const void*,           \
     std::uint32_t, const opencl_event*, opencl_event*))                                          \
  X(50, int, clEnqueueCopyBuffer,                                                                 \
    (opencl_queue, opencl_memory, opencl_memory, std::size_t, std::size_t, std::size_t,           \
     std::uint32_t, const opencl_event*, opencl_event*))                                          \
  X(56, void*, clEnqueueMapBuffer,                                                                \
    (opencl_queue, opencl_memory, std::uint32_t, opencl_flags, std::size_t, std::size_t,          \
     std::uint32_t, const opencl_event*, opencl_event*, int*))                                    \
  X(58, int, clEnqueueUnmapMemObject,                                                             \
    (opencl_queue, opencl_memory, void*, std::uint32_t, const opencl_event*, opencl_event*))      \
  X(81, int, clSetEventCallback, (opencl_event, std::int32_t, opencl_event_callback*, void*))     \
  X(84, opencl_event, clCreateUserEvent, (opencl_context, int*))                                  \
  X(85, int, clSetUserEventStatus, (opencl_event, std::int32_t))                                  \
  X(105, int, clEnqueueMarkerWithWaitList,                                                        \
    (opencl_queue, std::uint32_t, const opencl_event*, opencl_event*))                            \
  X(106, int, clEnqueueBarrierWithWaitList,                                                       \
    (opencl_queue, std::uint32_t, const opencl_event*, opencl_event*))
// clang-format on

// The functions of an object's driver, by name: functions_of(queue).clFlush(queue).
class opencl_functions {
 public:
  explicit opencl_functions(void* const* entries) noexcept : entries_(entries) {}

#define ANYSTREAM_OPENCL_ENTRY(number, result, name, parameters)        \
  template <class... Arguments>                                         \
  result name(Arguments... arguments) const {                           \
    using function = result parameters;                                 \
    return reinterpret_cast<function*>(entries_[number])(arguments...); \
  }
  ANYSTREAM_OPENCL_ENTRIES(ANYSTREAM_OPENCL_ENTRY)
#undef ANYSTREAM_OPENCL_ENTRY

 private:
  void* const* entries_;
};

#define ANYSTREAM_OPENCL_NUMBER(number, result, name, parameters) name = number,
enum class opencl_entry : std::size_t { ANYSTREAM_OPENCL_ENTRIES(ANYSTREAM_OPENCL_NUMBER) };
#undef ANYSTREAM_OPENCL_NUMBER
#undef ANYSTREAM_OPENCL_ENTRIES

inline void* const* entries_of(const void* object) noexcept {
  return *static_cast<void* const* const*>(object);
}
inline opencl_functions functions_of(const void* object) noexcept {
  return opencl_functions(entries_of(object));
}

// What is taken from a loader.
#define ANYSTREAM_OPENCL_FUNCTIONS(X)                    \
  X(required, int, clGetPlatformIDs, "clGetPlatformIDs", \
    (std::uint32_t, opencl_platform*, std::uint32_t*))
ANYSTREAM_DRIVER_TABLE(opencl_driver, ANYSTREAM_OPENCL_FUNCTIONS)
#undef ANYSTREAM_OPENCL_FUNCTIONS

}  // namespace anystream::core
