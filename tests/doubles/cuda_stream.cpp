// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's calls of streams and events.
#include "capture.hpp"
#include "context.hpp"
#include "cuda_calls.hpp"
#include "event.hpp"
#include "stream.hpp"

namespace doubles::cuda {

status cuStreamCreate(CUstream* stream, unsigned int flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

status cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  require(stream != nullptr, invalid_value);
  *stream = static_cast<CUstream>(create_stream(flags, priority));
  return ok;
}

status cuStreamDestroy_v2(CUstream stream) {
  destroy_stream(stream);
  return ok;
}

status cuStreamQuery(CUstream stream) { return query_stream(find_stream(stream)); }

status cuStreamSynchronize(CUstream stream) {
  synchronize_stream(find_stream(stream));
  return ok;
}

status cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  wait_event(stream_to_use(stream), find_event(event), flags);
  return ok;
}

status cuStreamGetPriority(CUstream stream, int* priority) {
  give(priority, find_stream(stream)->priority);
  return ok;
}

status cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  give(flags, find_stream(stream)->flags);
  return ok;
}

status cuStreamGetId(CUstream stream, unsigned long long* id) {
  const unsigned long long known = find_stream(stream)->id;
  give(id, known);
  return ok;
}

status cuStreamGetCtx(CUstream stream, CUcontext* context) {
  give_handle(context, find_stream(stream)->home->handle);
  return ok;
}

status cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}

status cuStreamGetDevice(CUstream stream, CUdevice* device) {
  give(device, find_stream(stream)->home->device);
  return ok;
}

status cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                           unsigned int flags) {
  require(callback != nullptr && flags == 0, invalid_value);
  const stream_ptr in = stream_to_use(stream);
  refuse_capturing(*in);
  submit(in, [=] { callback(stream, ok, data); });
  return ok;
}

status cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  require(function != nullptr, invalid_value);
  submit(stream_to_use(stream), [=] { function(data); });
  return ok;
}

// ---- Events -------------------------------------------------------------------------------------

status cuEventCreate(CUevent* event, unsigned int flags) {
  require(event != nullptr, invalid_value);
  *event = static_cast<CUevent>(create_event(flags));
  return ok;
}

status cuEventDestroy_v2(CUevent event) {
  destroy_event(event);
  return ok;
}

status cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

status cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  const event_ptr what = find_event(event);
  record_event(what, stream_to_use(stream), flags);
  return ok;
}

status cuEventQuery(CUevent event) { return query_event(find_event(event)); }

status cuEventSynchronize(CUevent event) {
  synchronize_event(find_event(event));
  return ok;
}

status cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  const event_ptr first = find_event(start);
  give(milliseconds, elapsed_ms(*first, *find_event(end)));
  return ok;
}

}  // namespace doubles::cuda
