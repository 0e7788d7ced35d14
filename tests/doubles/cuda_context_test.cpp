// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver: contexts, devices, handles that are stale or never were.
#include <thread>

#include "cuda_rig.hpp"

namespace {

unsigned long long id_of(CUcontext context) {
  unsigned long long id = 0;
  CHECK_EQUAL(cuCtxGetId(context, &id), doubles::ok);
  return id;
}

CUcontext current() {
  CUcontext found = nullptr;
  CHECK_EQUAL(cuCtxGetCurrent(&found), doubles::ok);
  return found;
}

void nothing_works_before_init() {
  double_reset();
  int count = 0;
  CHECK_EQUAL(cuDeviceGetCount(&count), doubles::not_initialized);
  CHECK_EQUAL(cuInit(0), doubles::ok);
  CHECK_EQUAL(cuDeviceGetCount(&count), doubles::ok);
  CHECK_EQUAL(count, 2);
  CUstream stream = nullptr;
  CHECK_EQUAL(cuStreamCreate(&stream, 0), doubles::invalid_context);
}

void there_are_as_many_devices_as_asked_for() {
  double_set_devices(0);
  double_reset();
  CHECK_EQUAL(cuInit(0), doubles::no_device);
  double_set_devices(3);
  double_reset();
  CHECK_EQUAL(cuInit(0), doubles::ok);
  int device = -1;
  CHECK_EQUAL(cuDeviceGet(&device, 2), doubles::ok);
  CHECK_EQUAL(cuDeviceGet(&device, 3), doubles::invalid_device);
  double_set_devices(2);
}

void contexts_are_a_stack_of_each_thread() {
  rig::fresh();
  CUcontext own = nullptr;
  CHECK_EQUAL(cuCtxCreate_v4(&own, nullptr, 0, 1), doubles::ok);
  CHECK_EQUAL(current(), own);
  std::thread([] { CHECK_EQUAL(current(), static_cast<CUcontext>(nullptr)); }).join();
  CUcontext popped = nullptr;
  CHECK_EQUAL(cuCtxPopCurrent_v2(&popped), doubles::ok);
  CHECK_EQUAL(popped, own);
  CHECK_EQUAL(current(), rig::context);
  CHECK_EQUAL(cuCtxPushCurrent_v2(own), doubles::ok);
  int device = -1;
  CHECK_EQUAL(cuCtxGetDevice(&device), doubles::ok);
  CHECK_EQUAL(device, 1);
  CHECK(id_of(own) != id_of(rig::context));
}

void a_destroyed_context_takes_all_with_it() {
  rig::fresh();
  CUcontext own = nullptr;
  CHECK_EQUAL(cuCtxCreate_v2(&own, 0, 0), doubles::ok);
  const rig::held producer;
  const CUevent event = rig::recorded(producer.stream);
  std::thread other([&] {
    cuCtxSetCurrent(own);
    CHECK_EQUAL(cuCtxDestroy_v2(own), doubles::ok);
  });
  other.join();
  CHECK_EQUAL(cuCtxSynchronize(), doubles::context_is_destroyed);  // still current here
  CHECK_EQUAL(cuCtxPopCurrent_v2(nullptr), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::invalid_handle);
  CHECK_EQUAL(cuStreamQuery(producer.stream), doubles::invalid_handle);
  CHECK_EQUAL(cuMemFree_v2(producer.bytes), doubles::invalid_value);
  CHECK_EQUAL(cuCtxPushCurrent_v2(own), doubles::invalid_context);
  CHECK_EQUAL(double_live("streams") + double_live("events") + double_live("allocations"), 0);
}

void a_primary_context_ends_with_its_last_user() {
  rig::fresh();
  CUcontext again = nullptr;
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&again, 0), doubles::ok);
  CHECK_EQUAL(again, rig::context);
  const CUevent event = rig::make_event();
  const unsigned long long id = id_of(again);
  CHECK_EQUAL(cuDevicePrimaryCtxRelease_v2(0), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::ok);
  CHECK_EQUAL(cuDevicePrimaryCtxRelease_v2(0), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::invalid_handle);
  CHECK_EQUAL(cuDevicePrimaryCtxRelease_v2(0), doubles::invalid_context);
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&again, 0), doubles::ok);
  CHECK_EQUAL(again, rig::context);  // the same handle, and yet another context
  CHECK(id_of(again) != id);
}

void a_reset_is_seen_by_the_id() {
  rig::fresh();
  const unsigned long long id = id_of(rig::context);
  CHECK_EQUAL(cuDevicePrimaryCtxReset_v2(0), doubles::ok);
  CHECK_EQUAL(cuCtxSynchronize(), doubles::context_is_destroyed);
  unsigned int flags = 0;
  int active = -1;
  CHECK_EQUAL(cuDevicePrimaryCtxGetState(0, &flags, &active), doubles::ok);
  CHECK_EQUAL(active, 0);
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&rig::context, 0), doubles::ok);
  CHECK(id_of(rig::context) != id);
}

// A handle is an address, given out again at once; an id never is.
void handles_are_reused_and_ids_are_not() {
  rig::fresh();
  const CUstream first = rig::make_stream();
  unsigned long long id = 0;
  unsigned long long next = 0;
  CHECK_EQUAL(cuStreamGetId(first, &id), doubles::ok);
  CHECK_EQUAL(cuStreamDestroy_v2(first), doubles::ok);
  const CUstream second = rig::make_stream();
  CHECK_EQUAL(second, first);
  CHECK_EQUAL(cuStreamGetId(second, &next), doubles::ok);
  CHECK(next != id);
}

void what_is_no_handle_is_an_error() {
  rig::fresh();
  for (const auto bogus : {std::uintptr_t{3}, std::uintptr_t{0xdead}, ~std::uintptr_t{0}}) {
    const auto stream = reinterpret_cast<CUstream>(bogus);
    const auto event = reinterpret_cast<CUevent>(bogus);
    CHECK_EQUAL(cuStreamQuery(stream), doubles::invalid_handle);
    CHECK_EQUAL(cuStreamSynchronize(stream), doubles::invalid_handle);
    CHECK_EQUAL(cuStreamDestroy_v2(stream), doubles::invalid_handle);
    CHECK_EQUAL(cuEventQuery(event), doubles::invalid_handle);
    CHECK_EQUAL(cuEventRecord(event, nullptr), doubles::invalid_handle);
    CHECK_EQUAL(cuEventRecord(rig::make_event(), stream), doubles::invalid_handle);
    CHECK_EQUAL(cuStreamWaitEvent(nullptr, event, 0), doubles::invalid_handle);
    CHECK_EQUAL(cuEventDestroy_v2(event), doubles::invalid_handle);
    CHECK_EQUAL(cuCtxSetCurrent(reinterpret_cast<CUcontext>(bogus)), doubles::invalid_context);
    CHECK_EQUAL(cuMemFree_v2(bogus), doubles::invalid_value);
    CHECK_EQUAL(cuMemFreeAsync(bogus, nullptr), doubles::invalid_value);
    CHECK_EQUAL(cuMemcpyAsync(bogus, bogus, 8, nullptr), doubles::invalid_value);
    CHECK_EQUAL(cuGraphLaunch(reinterpret_cast<CUgraphExec>(bogus), nullptr),
                doubles::invalid_value);
  }
}

void a_thread_without_a_context_may_not_enqueue() {
  rig::fresh();
  const CUstream stream = rig::make_stream();
  const CUevent event = rig::make_event();
  std::thread([&] {
    CHECK_EQUAL(cuEventRecord(event, stream), doubles::invalid_context);
    CHECK_EQUAL(cuStreamQuery(stream), doubles::ok);
    double_require_context(0);
    CHECK_EQUAL(cuEventRecord(event, stream), doubles::ok);
    CHECK_EQUAL(cuEventRecord(event, nullptr), doubles::invalid_context);
  }).join();
}

void an_event_is_of_its_stream_s_context() {
  rig::fresh();
  const CUevent event = rig::make_event();
  CUcontext own = nullptr;
  CHECK_EQUAL(cuCtxCreate_v2(&own, 0, 1), doubles::ok);
  const CUstream stream = rig::make_stream();
  CHECK_EQUAL(cuEventRecord(event, stream), doubles::invalid_handle);
  CHECK_EQUAL(cuStreamWaitEvent(stream, event, 0), doubles::ok);
  CUcontext home = nullptr;
  int device = -1;
  CHECK_EQUAL(cuStreamGetCtx(stream, &home), doubles::ok);
  CHECK_EQUAL(home, own);
  CHECK_EQUAL(cuStreamGetDevice(stream, &device), doubles::ok);
  CHECK_EQUAL(device, 1);
}

void devices_wait_for_each_other() {
  rig::fresh();
  const rig::held producer;
  const CUevent event = rig::recorded(producer.stream);
  CUcontext second = nullptr;
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&second, 1), doubles::ok);
  CHECK_EQUAL(cuCtxPushCurrent_v2(second), doubles::ok);
  const CUstream consumer = rig::make_stream();
  const CUdeviceptr copy = rig::device_bytes();
  CHECK_EQUAL(cuStreamWaitEvent(consumer, event, 0), doubles::ok);
  CHECK_EQUAL(cuMemcpyPeerAsync(copy, second, producer.bytes, rig::context, 64, consumer),
              doubles::ok);
  rig::settle();
  CHECK_EQUAL(rig::byte_at(copy), 0xA5);
  double_release_all();
  CHECK_EQUAL(cuStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(rig::byte_at(copy), 7);
}

void a_whole_context_records_and_waits() {
  rig::fresh();
  const rig::held one;
  const rig::held other;
  const CUevent event = rig::make_event();
  CHECK_EQUAL(cuCtxRecordEvent(rig::context, event), doubles::ok);
  double_release(one.stream);
  rig::settle();
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  CUcontext second = nullptr;
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&second, 1), doubles::ok);
  CHECK_EQUAL(cuCtxWaitEvent(second, event), doubles::ok);
  CHECK_EQUAL(cuCtxSetCurrent(second), doubles::ok);
  const CUevent late = rig::recorded(rig::make_stream());  // a stream made after the wait
  rig::settle();
  CHECK_EQUAL(cuEventQuery(late), doubles::not_ready);
  double_release_all();
  CHECK_EQUAL(cuEventSynchronize(late), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::ok);
}

}  // namespace

int main() {
  nothing_works_before_init();
  there_are_as_many_devices_as_asked_for();
  contexts_are_a_stack_of_each_thread();
  a_destroyed_context_takes_all_with_it();
  a_primary_context_ends_with_its_last_user();
  a_reset_is_seen_by_the_id();
  handles_are_reused_and_ids_are_not();
  what_is_no_handle_is_an_error();
  a_thread_without_a_context_may_not_enqueue();
  an_event_is_of_its_stream_s_context();
  devices_wait_for_each_other();
  a_whole_context_records_and_waits();
  double_reset();
  return check::result();
}
