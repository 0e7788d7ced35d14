// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of the software CUDA driver share: a fresh driver, memory, texts, held streams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../cpp/check.hpp"
#include "control.h"
#include "cuda_functions.hpp"
#include "status.hpp"

namespace rig {

inline CUcontext context = nullptr;  // device 0's primary one, current in the main thread

inline void fresh() {
  double_reset();
  CHECK_EQUAL(cuInit(0), doubles::ok);
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&context, 0), doubles::ok);
  CHECK_EQUAL(cuCtxSetCurrent(context), doubles::ok);
}

inline CUstream make_stream(unsigned flags = 1) {
  CUstream stream = nullptr;
  CHECK_EQUAL(cuStreamCreate(&stream, flags), doubles::ok);
  return stream;
}

inline CUevent make_event(unsigned flags = 2) {
  CUevent event = nullptr;
  CHECK_EQUAL(cuEventCreate(&event, flags), doubles::ok);
  return event;
}

inline CUevent recorded(CUstream stream) {
  CUevent event = make_event();
  CHECK_EQUAL(cuEventRecord(event, stream), doubles::ok);
  return event;
}

inline CUdeviceptr device_bytes(std::size_t size = 64) {
  CUdeviceptr pointer = 0;
  CHECK_EQUAL(cuMemAlloc_v2(&pointer, size), doubles::ok);
  return pointer;
}

// Device memory is host memory: a test looks without asking the driver.
inline int byte_at(CUdeviceptr pointer) { return *reinterpret_cast<unsigned char*>(pointer); }

template <class Reader>
std::string text_of(Reader read) {
  std::string text(static_cast<std::size_t>(read(nullptr, 0)), '\0');
  read(text.data(), text.size());
  text.pop_back();
  return text;
}

inline std::string log_of(const char* names) {
  return text_of([&](char* to, std::size_t size) { return double_log_read(names, to, size); });
}

inline int pending(CUstream stream) { return double_pending(stream, nullptr, 0); }

inline void* handle(auto value) { return reinterpret_cast<void*>(value); }

inline std::string hex(const void* value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", reinterpret_cast<unsigned long long>(value));
  return text;
}

constexpr int settled = 5000;  // milliseconds: so long only where something is wrong

inline void settle() { CHECK_EQUAL(double_settle(settled), 1); }

// A held stream with one fill of a byte pending.
struct held {
  CUstream stream;
  CUdeviceptr bytes = device_bytes();

  explicit held(unsigned char value = 7, CUstream of = make_stream()) : stream(of) {
    CHECK_EQUAL(double_hold(stream), 1);
    CHECK_EQUAL(cuMemsetD8Async(bytes, value, 64, stream), doubles::ok);
  }
};

}  // namespace rig
