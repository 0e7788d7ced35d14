// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver: streams, gates, events, and who waits for whom.
#include <atomic>
#include <thread>

#include "cuda_rig.hpp"

namespace {

using rig::held;

void work_waits_for_the_gate() {
  rig::fresh();
  const held producer;
  rig::settle();
  CHECK_EQUAL(rig::byte_at(producer.bytes), 0xA5);
  CHECK_EQUAL(cuStreamQuery(producer.stream), doubles::not_ready);
  CHECK_EQUAL(rig::pending(producer.stream), 1);
  CHECK_EQUAL(double_release(producer.stream), 1);
  CHECK_EQUAL(cuStreamSynchronize(producer.stream), doubles::ok);
  CHECK_EQUAL(rig::byte_at(producer.bytes), 7);
  CHECK_EQUAL(cuStreamQuery(producer.stream), doubles::ok);
}

void a_held_stream_goes_step_by_step() {
  rig::fresh();
  const held producer(1);
  CHECK_EQUAL(cuMemsetD8Async(producer.bytes, 2, 64, producer.stream), doubles::ok);
  CHECK_EQUAL(double_step(producer.stream, 1), 1);
  rig::settle();
  CHECK_EQUAL(rig::byte_at(producer.bytes), 1);
  const std::string text = rig::text_of([&](char* to, std::size_t size) {
    return double_pending(producer.stream, to, size) == 1 ? 400 : 0;
  });
  CHECK_EQUAL(std::string(text.c_str()),
              "cuMemsetD8Async(to=" + rig::hex(rig::handle(producer.bytes)) +
                  ", value=2, count=64, stream=" + rig::hex(producer.stream) + ")\n");
}

void a_stream_waits_for_an_event_of_another() {
  rig::fresh();
  const held producer;
  const CUstream consumer = rig::make_stream();
  const CUdeviceptr copy = rig::device_bytes();
  const CUevent event = rig::recorded(producer.stream);
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  CHECK_EQUAL(cuStreamWaitEvent(consumer, event, 0), doubles::ok);
  CHECK_EQUAL(cuEventDestroy_v2(event), doubles::ok);  // who waits goes on waiting
  CHECK_EQUAL(cuMemcpyAsync(copy, producer.bytes, 64, consumer), doubles::ok);
  rig::settle();
  CHECK_EQUAL(rig::byte_at(copy), 0xA5);
  CHECK_EQUAL(rig::pending(consumer), 2);
  double_release_all();
  CHECK_EQUAL(cuStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(rig::byte_at(copy), 7);
}

void without_an_event_it_is_early() {
  rig::fresh();
  const held producer;
  const CUstream consumer = rig::make_stream();
  const CUdeviceptr copy = rig::device_bytes();
  CHECK_EQUAL(cuMemcpyAsync(copy, producer.bytes, 64, consumer), doubles::ok);
  CHECK_EQUAL(cuStreamSynchronize(consumer), doubles::ok);
  double_release_all();
  CHECK_EQUAL(cuStreamSynchronize(producer.stream), doubles::ok);
  CHECK_EQUAL(rig::byte_at(copy), 0xA5);
}

// Who waited for the first record does not wait for the second; and the other way round.
void a_wait_is_for_the_record_that_it_met() {
  rig::fresh();
  const held first;
  const held second(9);
  const CUstream waits_for_first = rig::make_stream();
  const CUevent event = rig::recorded(first.stream);
  CHECK_EQUAL(cuStreamWaitEvent(waits_for_first, event, 0), doubles::ok);
  CHECK_EQUAL(cuEventRecord(event, second.stream), doubles::ok);
  double_release(first.stream);
  CHECK_EQUAL(cuStreamSynchronize(waits_for_first), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  double_release_all();
  CHECK_EQUAL(cuEventSynchronize(event), doubles::ok);
}

void the_legacy_stream_waits_for_blocking_streams() {
  rig::fresh();
  const held blocking(3, rig::make_stream(0));
  const held other(4);
  const CUevent event = rig::recorded(nullptr);
  rig::settle();
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  double_release(blocking.stream);
  rig::settle();
  CHECK_EQUAL(cuEventQuery(event), doubles::ok);  // though the other one is still held
  double_release_all();
}

void blocking_streams_wait_for_the_legacy_stream() {
  rig::fresh();
  const held legacy(5, nullptr);
  const CUevent blocking = rig::recorded(rig::make_stream(0));
  const CUevent other = rig::recorded(rig::make_stream(1));
  const CUevent of_thread = rig::recorded(reinterpret_cast<CUstream>(2));
  rig::settle();
  CHECK_EQUAL(cuEventQuery(blocking), doubles::not_ready);
  CHECK_EQUAL(cuEventQuery(of_thread), doubles::not_ready);
  CHECK_EQUAL(cuEventQuery(other), doubles::ok);
  double_release_all();
  CHECK_EQUAL(cuEventSynchronize(blocking), doubles::ok);
}

void each_thread_has_its_stream() {
  rig::fresh();
  const CUstream per_thread = reinterpret_cast<CUstream>(2);
  unsigned long long own = 0;
  unsigned long long others = 0;
  unsigned long long of_null = 0;
  unsigned long long legacy = 0;
  CHECK_EQUAL(cuStreamGetId(per_thread, &own), doubles::ok);
  CHECK_EQUAL(cuStreamGetId_ptsz(nullptr, &of_null), doubles::ok);
  CHECK_EQUAL(cuStreamGetId(nullptr, &legacy), doubles::ok);
  std::thread([&] {
    cuCtxSetCurrent(rig::context);
    cuStreamGetId(per_thread, &others);
  }).join();
  CHECK(own != others && others != 0);
  CHECK_EQUAL(of_null, own);
  CHECK(legacy != own);
}

void a_delay_is_of_the_operation_that_is_enqueued_next() {
  rig::fresh();
  const held producer(1);
  double_delay(150, 1);
  CHECK_EQUAL(cuMemsetD8Async(producer.bytes, 2, 64, producer.stream), doubles::ok);
  double_delay(0, 0);
  double_release_all();
  CHECK_EQUAL(double_settle(20), 0);
  CHECK_EQUAL(cuStreamSynchronize(producer.stream), doubles::ok);
  CHECK_EQUAL(rig::byte_at(producer.bytes), 2);
}

void a_wait_of_the_host_may_open_the_gates() {
  rig::fresh();
  const held producer;
  double_release_on_wait(1);
  CHECK_EQUAL(cuStreamSynchronize(producer.stream), doubles::ok);
  CHECK_EQUAL(rig::byte_at(producer.bytes), 7);
  CHECK(rig::log_of("").find("double: released by cuStreamSynchronize\n") != std::string::npos);
}

std::atomic<int> code_inside{-1};

void host_functions_run_in_order_and_may_not_call() {
  rig::fresh();
  const held producer;
  CHECK_EQUAL(cuLaunchHostFunc(
                  producer.stream,
                  [](void* data) {
                    *static_cast<int*>(data) = 1;
                    code_inside = cuCtxSynchronize();
                  },
                  [] {
                    static int called = 0;
                    return &called;
                  }()),
              doubles::ok);
  rig::settle();
  CHECK_EQUAL(code_inside.load(), -1);
  double_release_all();
  CHECK_EQUAL(cuStreamSynchronize(producer.stream), doubles::ok);
  CHECK_EQUAL(code_inside.load(), doubles::not_permitted);
}

void a_destroyed_stream_still_does_its_work() {
  rig::fresh();
  const held producer;
  CHECK_EQUAL(cuStreamDestroy_v2(producer.stream), doubles::ok);
  CHECK_EQUAL(cuStreamQuery(producer.stream), doubles::invalid_handle);
  CHECK_EQUAL(double_live("streams"), 0);
  CHECK_EQUAL(double_release(producer.stream), 1);
  CHECK_EQUAL(cuCtxSynchronize(), doubles::ok);
  CHECK_EQUAL(rig::byte_at(producer.bytes), 7);
}

void times_are_measured() {
  rig::fresh();
  const CUstream stream = rig::make_stream();
  const CUevent start = rig::make_event(0);
  const CUevent end = rig::make_event(0);
  float milliseconds = -1;
  CHECK_EQUAL(cuEventRecord(start, stream), doubles::ok);
  CHECK_EQUAL(cuEventElapsedTime_v2(&milliseconds, start, end), doubles::invalid_handle);
  double_delay(20, 1);
  CHECK_EQUAL(cuEventRecord(end, stream), doubles::ok);
  CHECK_EQUAL(cuEventElapsedTime_v2(&milliseconds, start, end), doubles::not_ready);
  CHECK_EQUAL(cuEventSynchronize(end), doubles::ok);
  CHECK_EQUAL(cuEventElapsedTime_v2(&milliseconds, start, end), doubles::ok);
  CHECK(milliseconds >= 20);
  CHECK_EQUAL(cuEventElapsedTime_v2(&milliseconds, start, rig::recorded(stream)),
              doubles::invalid_handle);
}

}  // namespace

int main() {
  work_waits_for_the_gate();
  a_held_stream_goes_step_by_step();
  a_stream_waits_for_an_event_of_another();
  without_an_event_it_is_early();
  a_wait_is_for_the_record_that_it_met();
  the_legacy_stream_waits_for_blocking_streams();
  blocking_streams_wait_for_the_legacy_stream();
  each_thread_has_its_stream();
  a_delay_is_of_the_operation_that_is_enqueued_next();
  a_wait_of_the_host_may_open_the_gates();
  host_functions_run_in_order_and_may_not_call();
  a_destroyed_stream_still_does_its_work();
  times_are_measured();
  double_reset();
  return check::result();
}
