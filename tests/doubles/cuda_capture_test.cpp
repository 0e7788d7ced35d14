// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver: what is captured, joined, refused, and launched.
#include <thread>

#include "cuda_rig.hpp"

namespace {

enum mode : int { global = 0, of_thread = 1, relaxed = 2 };
enum state : int { none = 0, active = 1, invalidated = 2 };

int state_of(CUstream stream) {
  int state = -1;
  CHECK_EQUAL(cuStreamIsCapturing(stream, &state), doubles::ok);
  return state;
}

CUstream capturing(int how = relaxed, unsigned flags = 1) {
  const CUstream stream = rig::make_stream(flags);
  CHECK_EQUAL(cuStreamBeginCapture_v2(stream, how), doubles::ok);
  CHECK_EQUAL(state_of(stream), active);
  return stream;
}

int end(CUstream stream, CUgraph* graph = nullptr) {
  CUgraph unused = nullptr;
  return cuStreamEndCapture(stream, graph == nullptr ? &unused : graph);
}

CUgraphExec instantiated(CUgraph graph) {
  CUgraphExec executable = nullptr;
  CHECK_EQUAL(cuGraphInstantiateWithFlags(&executable, graph, 0), doubles::ok);
  CHECK_EQUAL(cuGraphDestroy(graph), doubles::ok);
  return executable;
}

void what_is_captured_runs_when_it_is_launched() {
  rig::fresh();
  const CUdeviceptr bytes = rig::device_bytes();
  const CUstream stream = capturing();
  CHECK_EQUAL(cuMemsetD8Async(bytes, 5, 64, stream), doubles::ok);
  CUgraph graph = nullptr;
  CHECK_EQUAL(end(stream, &graph), doubles::ok);
  CHECK_EQUAL(state_of(stream), none);
  CHECK_EQUAL(rig::byte_at(bytes), 0xA5);
  const CUgraphExec executable = instantiated(graph);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(cuMemsetD8Async(bytes, 1, 64, stream), doubles::ok);
    CHECK_EQUAL(cuGraphLaunch(executable, stream), doubles::ok);
    CHECK_EQUAL(cuStreamSynchronize(stream), doubles::ok);
    CHECK_EQUAL(rig::byte_at(bytes), 5);
  }
  CHECK_EQUAL(cuGraphExecDestroy(executable), doubles::ok);
  CHECK_EQUAL(double_live("graphs") + double_live("executables"), 0);
}

// Fork and join by events: the other stream's work is the graph's.
void another_stream_joins_by_an_event() {
  rig::fresh();
  const CUdeviceptr bytes = rig::device_bytes();
  const CUstream origin = capturing();
  const CUstream other = rig::make_stream();
  CHECK_EQUAL(cuStreamWaitEvent(other, rig::recorded(origin), 0), doubles::ok);
  CHECK_EQUAL(state_of(other), active);
  CHECK_EQUAL(cuMemsetD8Async(bytes, 6, 64, other), doubles::ok);
  CHECK_EQUAL(cuStreamWaitEvent(origin, rig::recorded(other), 0), doubles::ok);
  CHECK_EQUAL(end(other), doubles::capture_unmatched);
  CUgraph graph = nullptr;
  CHECK_EQUAL(end(origin, &graph), doubles::ok);
  CHECK_EQUAL(state_of(other), none);
  CHECK_EQUAL(cuGraphLaunch(instantiated(graph), origin), doubles::ok);
  CHECK_EQUAL(cuStreamSynchronize(origin), doubles::ok);
  CHECK_EQUAL(rig::byte_at(bytes), 6);
}

void work_that_is_not_joined_ends_it() {
  rig::fresh();
  const CUstream origin = capturing();
  const CUstream other = rig::make_stream();
  CHECK_EQUAL(cuStreamWaitEvent(other, rig::recorded(origin), 0), doubles::ok);
  CHECK_EQUAL(cuMemsetD8Async(rig::device_bytes(), 6, 64, other), doubles::ok);
  CHECK_EQUAL(end(origin), doubles::capture_unjoined);
  CHECK_EQUAL(state_of(other), none);
}

void check_invalidated(CUstream stream) {
  CHECK_EQUAL(state_of(stream), invalidated);
  CHECK_EQUAL(cuEventRecord(rig::make_event(), stream), doubles::capture_invalidated);
  CHECK_EQUAL(end(stream), doubles::capture_invalidated);
  CHECK_EQUAL(state_of(stream), none);
  CHECK_EQUAL(double_live("graphs"), 0);
}

void a_capturing_stream_is_not_asked() {
  rig::fresh();
  CUstream stream = capturing();
  CHECK_EQUAL(cuStreamQuery(stream), doubles::capture_unsupported);
  check_invalidated(stream);
  stream = capturing();
  CHECK_EQUAL(cuStreamSynchronize(stream), doubles::capture_unsupported);
  check_invalidated(stream);
}

void a_captured_event_is_not_asked() {
  rig::fresh();
  const CUstream stream = capturing();
  const CUevent event = rig::recorded(stream);
  CHECK_EQUAL(cuEventQuery(event), doubles::captured_event);
  check_invalidated(stream);
  CHECK_EQUAL(cuEventSynchronize(event), doubles::captured_event);
  CHECK_EQUAL(cuStreamWaitEvent(rig::make_stream(), event, 0), doubles::captured_event);
  CHECK_EQUAL(cuEventRecord(event, stream), doubles::ok);
  CHECK_EQUAL(cuEventSynchronize(event), doubles::ok);
}

void what_was_not_captured_is_not_waited_for() {
  rig::fresh();
  const CUevent outside = rig::recorded(rig::make_stream());
  const CUstream stream = capturing();
  CHECK_EQUAL(cuStreamWaitEvent(stream, outside, 0), doubles::capture_isolation);
  check_invalidated(stream);
}

void two_captures_do_not_meet() {
  rig::fresh();
  const CUstream one = capturing();
  const CUstream other = capturing();
  CHECK_EQUAL(cuStreamWaitEvent(one, rig::recorded(other), 0), doubles::capture_merge);
  check_invalidated(one);
  check_invalidated(other);
}

void the_legacy_stream_is_not_captured() {
  rig::fresh();
  CHECK_EQUAL(cuStreamBeginCapture_v2(nullptr, relaxed), doubles::capture_unsupported);
  CHECK_EQUAL(cuStreamBeginCapture_v2_ptsz(nullptr, relaxed), doubles::ok);
  CHECK_EQUAL(cuStreamEndCapture_ptsz(nullptr, nullptr), doubles::invalid_value);
  CUgraph graph = nullptr;
  CHECK_EQUAL(cuStreamEndCapture_ptsz(nullptr, &graph), doubles::ok);
}

// It would have to wait for a blocking stream; the question alone breaks nothing.
void the_legacy_stream_does_not_meet_a_capture() {
  rig::fresh();
  const CUdeviceptr bytes = rig::device_bytes();
  CUstream stream = capturing(relaxed, 0);
  int state = -1;
  CHECK_EQUAL(cuStreamIsCapturing(nullptr, &state), doubles::capture_implicit);
  CHECK_EQUAL(state_of(stream), active);
  CHECK_EQUAL(cuMemsetD8Async(bytes, 1, 8, nullptr), doubles::capture_implicit);
  check_invalidated(stream);
  stream = capturing(relaxed, 1);
  CHECK_EQUAL(cuMemsetD8Async(bytes, 1, 8, nullptr), doubles::ok);
  CHECK_EQUAL(state_of(stream), active);
  CHECK_EQUAL(cuStreamWaitEvent(nullptr, rig::recorded(stream), 0), doubles::capture_implicit);
  check_invalidated(stream);
}

void a_mode_forbids_what_may_wait() {
  rig::fresh();
  CUdeviceptr pointer = 0;
  CUstream stream = capturing(global);
  std::thread([&] {
    cuCtxSetCurrent(rig::context);
    CHECK_EQUAL(cuMemAlloc_v2(&pointer, 8), doubles::capture_unsupported);
  }).join();
  check_invalidated(stream);
  stream = capturing(of_thread);
  std::thread([&] {
    cuCtxSetCurrent(rig::context);
    CHECK_EQUAL(cuMemAlloc_v2(&pointer, 8), doubles::ok);
  }).join();
  CHECK_EQUAL(state_of(stream), active);
  CHECK_EQUAL(cuMemAlloc_v2(&pointer, 8), doubles::capture_unsupported);
  check_invalidated(stream);
  stream = capturing(global);
  int own = relaxed;
  CHECK_EQUAL(cuThreadExchangeStreamCaptureMode(&own), doubles::ok);
  CHECK_EQUAL(own, static_cast<int>(global));
  CHECK_EQUAL(cuMemAlloc_v2(&pointer, 8), doubles::ok);
  CHECK_EQUAL(cuThreadExchangeStreamCaptureMode(&own), doubles::ok);
  CHECK_EQUAL(end(stream), doubles::ok);
}

void a_thread_s_capture_is_ended_by_it() {
  rig::fresh();
  const CUstream stream = capturing(of_thread);
  std::thread([&] {
    cuCtxSetCurrent(rig::context);
    CHECK_EQUAL(end(stream), doubles::capture_wrong_thread);
  }).join();
  CHECK_EQUAL(end(stream), doubles::ok);
  CHECK_EQUAL(end(stream), doubles::illegal_state);
}

void a_context_that_captures_is_not_recorded() {
  rig::fresh();
  const CUstream stream = capturing();
  CHECK_EQUAL(cuCtxRecordEvent(rig::context, rig::make_event()), doubles::capture_unsupported);
  check_invalidated(stream);
}

void a_capture_tells_what_it_has() {
  rig::fresh();
  const CUstream stream = capturing();
  CHECK_EQUAL(cuMemsetD8Async(rig::device_bytes(), 1, 8, stream), doubles::ok);
  int state = -1;
  unsigned long long id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  const void* edges = nullptr;
  std::size_t count = 0;
  CHECK_EQUAL(cuStreamGetCaptureInfo_v3(stream, &state, &id, &graph, &nodes, &edges, &count),
              doubles::ok);
  CHECK_EQUAL(state, static_cast<int>(active));
  CHECK_EQUAL(count, std::size_t{1});
  CHECK(id != 0 && graph != nullptr);
  CHECK_EQUAL(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0, 1), doubles::ok);
  CHECK_EQUAL(cuStreamGetCaptureInfo_v2(stream, &state, &id, nullptr, nullptr, &count),
              doubles::ok);
  CHECK_EQUAL(count, std::size_t{0});
  CHECK_EQUAL(end(stream), doubles::ok);  // what was taken out so is not missed
}

void a_reset_ends_what_goes_on() {
  rig::fresh();
  const CUstream origin = capturing();
  CHECK_EQUAL(cuStreamWaitEvent(rig::make_stream(), rig::recorded(origin), 0), doubles::ok);
  rig::fresh();
  CHECK_EQUAL(cuStreamQuery(origin), doubles::invalid_handle);
  CUdeviceptr pointer = 0;
  CHECK_EQUAL(cuMemAlloc_v2(&pointer, 8), doubles::ok);
}

void an_external_record_is_a_node() {
  rig::fresh();
  const CUevent event = rig::make_event();
  const CUstream stream = capturing();
  CHECK_EQUAL(cuEventRecordWithFlags(event, stream, 1), doubles::ok);
  CUgraph graph = nullptr;
  CHECK_EQUAL(end(stream, &graph), doubles::ok);
  double_hold(stream);
  CHECK_EQUAL(cuEventQuery(event), doubles::ok);
  CHECK_EQUAL(cuGraphLaunch(instantiated(graph), stream), doubles::ok);
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  double_release_all();
  CHECK_EQUAL(cuEventSynchronize(event), doubles::ok);
}

}  // namespace

int main() {
  what_is_captured_runs_when_it_is_launched();
  another_stream_joins_by_an_event();
  work_that_is_not_joined_ends_it();
  a_capturing_stream_is_not_asked();
  a_captured_event_is_not_asked();
  what_was_not_captured_is_not_waited_for();
  two_captures_do_not_meet();
  the_legacy_stream_is_not_captured();
  the_legacy_stream_does_not_meet_a_capture();
  a_mode_forbids_what_may_wait();
  a_thread_s_capture_is_ended_by_it();
  a_context_that_captures_is_not_recorded();
  a_capture_tells_what_it_has();
  a_reset_ends_what_goes_on();
  an_external_record_is_a_node();
  double_reset();
  return check::result();
}
