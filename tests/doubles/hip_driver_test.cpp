// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software HIP driver: what it has in its own way, over the same implementation.
#include <thread>

#include "../cpp/check.hpp"
#include "control.h"
#include "hip_functions.hpp"
#include "status.hpp"

namespace {

constexpr int settled = 5000;

int byte_at(const void* pointer) { return *static_cast<const unsigned char*>(pointer); }

hipStream_t make_stream(unsigned flags = 1) {
  hipStream_t stream = nullptr;
  CHECK_EQUAL(hipStreamCreateWithFlags(&stream, flags), doubles::ok);
  return stream;
}

hipEvent_t recorded(hipStream_t stream) {
  hipEvent_t event = nullptr;
  CHECK_EQUAL(hipEventCreateWithFlags(&event, 2), doubles::ok);
  CHECK_EQUAL(hipEventRecord(event, stream), doubles::ok);
  return event;
}

void* device_bytes() {
  void* pointer = nullptr;
  CHECK_EQUAL(hipMalloc(&pointer, 64), doubles::ok);
  return pointer;
}

void it_is_ready_and_has_a_device() {
  double_reset();
  int count = 0;
  int device = -1;
  CHECK_EQUAL(hipGetDeviceCount(&count), doubles::ok);
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(hipGetDevice(&device), doubles::ok);
  CHECK_EQUAL(device, 0);
  CHECK_EQUAL(hipSetDevice(1), doubles::ok);
  std::thread([] {
    int others = -1;
    CHECK_EQUAL(hipGetDevice(&others), doubles::ok);
    CHECK_EQUAL(others, 0);
  }).join();
  const hipStream_t stream = make_stream();
  CHECK_EQUAL(hipSetDevice(0), doubles::ok);
  CHECK_EQUAL(hipStreamGetDevice(stream, &device), doubles::ok);
  CHECK_EQUAL(device, 1);
  CHECK_EQUAL(hipGetStreamDeviceId(stream), 1);
  CHECK_EQUAL(hipSetDevice(2), doubles::invalid_device);
}

void streams_are_ordered_by_events() {
  double_reset();
  const hipStream_t producer = make_stream();
  const hipStream_t consumer = make_stream();
  void* bytes = device_bytes();
  void* copy = device_bytes();
  CHECK_EQUAL(double_hold(producer), 1);
  CHECK_EQUAL(hipMemsetAsync(bytes, 7, 64, producer), doubles::ok);
  CHECK_EQUAL(hipStreamWaitEvent(consumer, recorded(producer), 0), doubles::ok);
  CHECK_EQUAL(hipMemcpyAsync(copy, bytes, 64, 3, consumer), doubles::ok);
  CHECK_EQUAL(double_settle(settled), 1);
  CHECK_EQUAL(byte_at(copy), 0xA5);
  double_release_all();
  CHECK_EQUAL(hipStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(byte_at(copy), 7);
}

void the_null_stream_is_the_device_s() {
  double_reset();
  const hipStream_t blocking = make_stream(0);
  CHECK_EQUAL(double_hold(blocking), 1);
  CHECK_EQUAL(hipMemsetAsync(device_bytes(), 7, 64, blocking), doubles::ok);
  const hipEvent_t event = recorded(nullptr);
  CHECK_EQUAL(double_settle(settled), 1);
  CHECK_EQUAL(hipEventQuery(event), doubles::not_ready);
  CHECK_EQUAL(hipSetDevice(1), doubles::ok);
  CHECK_EQUAL(hipEventRecord(event, nullptr), doubles::invalid_handle);  // another device's
  CHECK_EQUAL(hipEventQuery(recorded(nullptr)), hipEventQuery(recorded(nullptr)));
  CHECK_EQUAL(hipStreamSynchronize(nullptr), doubles::ok);
  double_release_all();
  CHECK_EQUAL(hipEventSynchronize(event), doubles::ok);
}

void devices_wait_for_each_other() {
  double_reset();
  const hipStream_t producer = make_stream();
  void* bytes = device_bytes();
  CHECK_EQUAL(double_hold(producer), 1);
  CHECK_EQUAL(hipMemsetAsync(bytes, 7, 64, producer), doubles::ok);
  const hipEvent_t event = recorded(producer);
  CHECK_EQUAL(hipSetDevice(1), doubles::ok);
  const hipStream_t consumer = make_stream();
  void* copy = device_bytes();
  CHECK_EQUAL(hipStreamWaitEvent(consumer, event, 0), doubles::ok);
  CHECK_EQUAL(hipMemcpyPeerAsync(copy, 1, bytes, 0, 64, consumer), doubles::ok);
  CHECK_EQUAL(double_settle(settled), 1);
  CHECK_EQUAL(byte_at(copy), 0xA5);
  double_release_all();
  CHECK_EQUAL(hipStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(byte_at(copy), 7);
}

hipPointerAttribute_t facts_of(const void* pointer) {
  hipPointerAttribute_t facts{};
  CHECK_EQUAL(hipPointerGetAttributes(&facts, pointer), doubles::ok);
  return facts;
}

void kinds_of_memory_are_told_apart() {
  double_reset();
  CHECK_EQUAL(hipSetDevice(1), doubles::ok);
  void* pinned = nullptr;
  void* managed = nullptr;
  CHECK_EQUAL(hipHostMalloc(&pinned, 64, 0), doubles::ok);
  CHECK_EQUAL(hipMallocManaged(&managed, 64, 1), doubles::ok);
  CHECK_EQUAL(facts_of(device_bytes()).type, 2);
  CHECK_EQUAL(facts_of(pinned).type, 1);
  CHECK_EQUAL(facts_of(managed).type, 3);
  CHECK_EQUAL(facts_of(managed).isManaged, 1);
  CHECK_EQUAL(facts_of(managed).device, 1);
  int plain = 0;
  hipPointerAttribute_t facts{};
  CHECK_EQUAL(hipPointerGetAttributes(&facts, &plain), doubles::invalid_value);
}

void errors_are_remembered_by_the_thread() {
  double_reset();
  CHECK_EQUAL(hipStreamQuery(reinterpret_cast<hipStream_t>(0xdead)), doubles::invalid_handle);
  CHECK_EQUAL(hipPeekAtLastError(), doubles::invalid_handle);
  CHECK_EQUAL(hipGetLastError(), doubles::invalid_handle);
  CHECK_EQUAL(hipGetLastError(), doubles::ok);
  CHECK_EQUAL(std::string(hipGetErrorName(400)), "hipErrorInvalidHandle");
  CHECK_EQUAL(double_fail("hipEventRecord", 719, 0, 1), 1);
  CHECK_EQUAL(hipEventRecord(nullptr, nullptr), 719);
  char text[200];
  double_log_read("hipEventRecord", text, sizeof text);
  CHECK_EQUAL(std::string(text), "hipEventRecord(event=0x0, stream=0x0) = hipErrorLaunchFailure\n");
}

void what_is_captured_is_launched() {
  double_reset();
  const hipStream_t stream = make_stream();
  void* bytes = device_bytes();
  CHECK_EQUAL(hipStreamBeginCapture(stream, 2), doubles::ok);
  CHECK_EQUAL(hipMemsetAsync(bytes, 7, 64, stream), doubles::ok);
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable = nullptr;
  CHECK_EQUAL(hipStreamEndCapture(stream, &graph), doubles::ok);
  CHECK_EQUAL(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), doubles::ok);
  CHECK_EQUAL(hipGraphLaunch(executable, stream), doubles::ok);
  CHECK_EQUAL(hipStreamSynchronize(stream), doubles::ok);
  CHECK_EQUAL(byte_at(bytes), 7);
}

void functions_are_found() {
  double_reset();
  void* found = nullptr;
  CHECK_EQUAL(hipGetProcAddress("hipEventRecord", &found, 60400000, 2, nullptr), doubles::ok);
  CHECK_EQUAL(found, reinterpret_cast<void*>(hipEventRecord_spt));
  CHECK_EQUAL(hipGetProcAddress("hipNoSuchThing", &found, 60400000, 0, nullptr),
              doubles::invalid_value);
}

}  // namespace

int main() {
  it_is_ready_and_has_a_device();
  streams_are_ordered_by_events();
  the_null_stream_is_the_device_s();
  devices_wait_for_each_other();
  kinds_of_memory_are_told_apart();
  errors_are_remembered_by_the_thread();
  what_is_captured_is_launched();
  functions_are_found();
  double_reset();
  return check::result();
}
