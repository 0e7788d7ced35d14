// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the OpenCL backend share: calling, asking, owning, and telling what failed.
#pragma once

#include <memory>
#include <string>

#include <anystream/error.hpp>

#include "driver/opencl.hpp"

namespace anystream::core {

// "CL_INVALID_CONTEXT"; "" for a number that OpenCL has not named.
const char* opencl_error_name(int code) noexcept;

[[noreturn]] void fail_in_opencl(const char* function, int code, const std::string& what);

inline void check_opencl(int code, const char* function, const char* what) {
  if (code != opencl_success) fail_in_opencl(function, code, what);
}

// Throws what the error of the work is that the event stands for.
[[noreturn]] void fail_for_event(int state);

template <class Value>
Value of_queue(opencl_queue queue, opencl_info what) {
  Value value{};
  check_opencl(
      functions_of(queue).clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr),
      "clGetCommandQueueInfo", "a queue could not be asked what it is");
  return value;
}

template <class Value>
Value of_event(opencl_event event, opencl_info what) {
  Value value{};
  check_opencl(functions_of(event).clGetEventInfo(event, what, sizeof value, &value, nullptr),
               "clGetEventInfo", "an event could not be asked for its state");
  return value;
}

template <class Value>
Value of_memory(opencl_memory memory, opencl_info what) {
  Value value{};
  check_opencl(functions_of(memory).clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr),
               "clGetMemObjectInfo", "a buffer could not be asked what it is");
  return value;
}

template <class Value>
Value of_device(opencl_device device, opencl_info what) {
  Value value{};
  check_opencl(functions_of(device).clGetDeviceInfo(device, what, sizeof value, &value, nullptr),
               "clGetDeviceInfo", "a device could not be asked what it is");
  return value;
}

struct release_opencl_event {
  void operator()(opencl_event event) const noexcept { functions_of(event).clReleaseEvent(event); }
};
using owned_opencl_event = std::unique_ptr<opencl_event_object, release_opencl_event>;

// Whether an object, or a table, could be at this address: pages below are no process's memory.
inline bool can_be_opencl_object(const void* object) noexcept {
  const auto is_address = [](const void* place) {
    const auto number = reinterpret_cast<std::uintptr_t>(place);
    return number >= 65536 && number % sizeof(void*) == 0;
  };
  return is_address(object) && is_address(entries_of(object));
}

}  // namespace anystream::core
