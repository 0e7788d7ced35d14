// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// HIP's calls of streams, events, capture and graphs.
#include "capture.hpp"
#include "context.hpp"
#include "event.hpp"
#include "graph.hpp"
#include "hip_calls.hpp"
#include "stream.hpp"

namespace doubles::hip {

namespace {

void** as_nodes(hipGraphNode_t* nodes) { return reinterpret_cast<void**>(nodes); }

}  // namespace

status hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithPriority(stream, 0, 0); }

status hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}

status hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  require(stream != nullptr, invalid_value);
  *stream = static_cast<hipStream_t>(create_stream(flags, priority));
  return ok;
}

status hipStreamDestroy(hipStream_t stream) {
  destroy_stream(stream);
  return ok;
}

status hipStreamQuery(hipStream_t stream) { return query_stream(find_stream(stream)); }

status hipStreamSynchronize(hipStream_t stream) {
  synchronize_stream(find_stream(stream));
  return ok;
}

status hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  wait_event(stream_to_use(stream), find_event(event), flags);
  return ok;
}

status hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
  give(flags, find_stream(stream)->flags);
  return ok;
}

status hipStreamGetPriority(hipStream_t stream, int* priority) {
  give(priority, find_stream(stream)->priority);
  return ok;
}

status hipStreamGetId(hipStream_t stream, unsigned long long* id) {
  const unsigned long long known = find_stream(stream)->id;
  give(id, known);
  return ok;
}

status hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  give(device, find_stream(stream)->home->device);
  return ok;
}

status hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                            unsigned int flags) {
  require(callback != nullptr && flags == 0, invalid_value);
  const stream_ptr in = stream_to_use(stream);
  refuse_capturing(*in);
  submit(in, [=] { callback(stream, ok, data); });
  return ok;
}

status hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  require(function != nullptr, invalid_value);
  submit(stream_to_use(stream), [=] { function(data); });
  return ok;
}

// ---- Events -------------------------------------------------------------------------------------

namespace {

// HIP has flags of its own beside these, about caches and fences.
constexpr unsigned int shared_event_flags =
    event_blocking_sync | event_disable_timing | event_interprocess;

}  // namespace

status hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }

status hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  require(event != nullptr, invalid_value);
  *event = static_cast<hipEvent_t>(create_event(flags & shared_event_flags));
  return ok;
}

status hipEventDestroy(hipEvent_t event) {
  destroy_event(event);
  return ok;
}

status hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hipEventRecordWithFlags(event, stream, 0);
}

status hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
  const event_ptr what = find_event(event);
  record_event(what, stream_to_use(stream), flags);
  return ok;
}

status hipEventQuery(hipEvent_t event) { return query_event(find_event(event)); }

status hipEventSynchronize(hipEvent_t event) {
  synchronize_event(find_event(event));
  return ok;
}

status hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) {
  const event_ptr first = find_event(start);
  give(milliseconds, elapsed_ms(*first, *find_event(end)));
  return ok;
}

// ---- Capture and graphs -------------------------------------------------------------------------

status hipStreamIsCapturing(hipStream_t stream, int* capturing) {
  give(capturing, info_of(find_stream(stream), false).status);
  return ok;
}

status hipStreamBeginCapture(hipStream_t stream, int mode) {
  require(mode >= 0 && mode <= 2, invalid_value);
  begin_capture(stream_to_use(stream), static_cast<capture_mode>(mode));
  return ok;
}

status hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  require(graph != nullptr, invalid_value);
  *graph = nullptr;
  *graph = static_cast<hipGraph_t>(end_capture(find_stream(stream)));
  return ok;
}

status hipStreamGetCaptureInfo(hipStream_t stream, int* capturing, unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, capturing, id, nullptr, nullptr, nullptr);
}

status hipStreamGetCaptureInfo_v2(hipStream_t stream, int* capturing, unsigned long long* id,
                                  hipGraph_t* graph, const hipGraphNode_t** nodes,
                                  std::size_t* count) {
  const capture_info info = info_of(find_stream(stream), graph != nullptr);
  give(capturing, info.status);
  if (info.status != 1) return ok;
  if (id != nullptr) *id = info.id;
  if (graph != nullptr) *graph = static_cast<hipGraph_t>(info.graph);
  if (nodes != nullptr) *nodes = reinterpret_cast<const hipGraphNode_t*>(info.nodes);
  if (count != nullptr) *count = info.count;
  return ok;
}

status hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* nodes,
                                          std::size_t count, unsigned int flags) {
  update_dependencies(find_stream(stream), as_nodes(nodes), count, flags);
  return ok;
}

status hipThreadExchangeStreamCaptureMode(int* mode) {
  require(mode != nullptr, invalid_value);
  *mode = exchange_capture_mode(*mode);
  return ok;
}

status hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t* node,
                           char*, std::size_t) {
  if (node != nullptr) *node = nullptr;
  return hipGraphInstantiateWithFlags(executable, graph, 0);
}

status hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                    unsigned long long) {
  require(executable != nullptr, invalid_value);
  *executable = static_cast<hipGraphExec_t>(instantiate(graph));
  return ok;
}

status hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  launch(executable, stream_to_use(stream));
  return ok;
}

status hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  require(count != nullptr, invalid_value);
  *count = list_nodes(graph, as_nodes(nodes), *count);
  return ok;
}

status hipGraphDestroy(hipGraph_t graph) {
  destroy_graph(graph);
  return ok;
}

status hipGraphExecDestroy(hipGraphExec_t executable) {
  destroy_executable(executable);
  return ok;
}

}  // namespace doubles::hip
