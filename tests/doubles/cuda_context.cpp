// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's calls of contexts.
#include "capture.hpp"
#include "context.hpp"
#include "cuda_calls.hpp"
#include "event.hpp"
#include "stream.hpp"

namespace doubles::cuda {

namespace {

constexpr unsigned int every_flag = 0xFF;

CUcontext as_context(void* handle) { return static_cast<CUcontext>(handle); }

}  // namespace

status cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  require(context != nullptr, invalid_value);
  *context = as_context(retain_primary(device));
  return ok;
}

status cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  release_primary(device);
  return ok;
}

status cuDevicePrimaryCtxReset_v2(CUdevice device) {
  reset_primary(device);
  return ok;
}

status cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  const context_ptr home = the_driver().contexts.find(device_at(device).primary);
  give(flags, home->flags);
  give(active, home->alive ? 1 : 0);
  return ok;
}

status cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  require((flags & ~every_flag) == 0, invalid_value);
  the_driver().contexts.find(device_at(device).primary)->flags = flags;
  return ok;
}

status cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  require(context != nullptr && (flags & ~every_flag) == 0, invalid_value);
  *context = as_context(create_context(flags, device));
  return ok;
}

status cuCtxCreate_v3(CUcontext* context, void*, int, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

status cuCtxCreate_v4(CUcontext* context, void*, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

status cuCtxDestroy_v2(CUcontext context) {
  destroy_context(context);
  return ok;
}

status cuCtxPushCurrent_v2(CUcontext context) {
  push_context(context);
  return ok;
}

status cuCtxPopCurrent_v2(CUcontext* context) {
  void* handle = pop_context();
  if (context != nullptr) *context = as_context(handle);
  return ok;
}

status cuCtxSetCurrent(CUcontext context) {
  set_context(context);
  return ok;
}

status cuCtxGetCurrent(CUcontext* context) {
  give(context, as_context(current_handle()));
  return ok;
}

status cuCtxGetDevice(CUdevice* device) {
  give(device, current_context()->device);
  return ok;
}

status cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  give(device, context_or_current(context)->device);
  return ok;
}

status cuCtxGetFlags(unsigned int* flags) {
  give(flags, current_context()->flags);
  return ok;
}

status cuCtxGetId(CUcontext context, unsigned long long* id) {
  const unsigned long long known = context_or_current(context)->id;
  give(id, known);
  return ok;
}

status cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  context_or_current(context);
  give(version, 3020U);
  return ok;
}

status cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  current_context();
  if (least != nullptr) *least = lowest_priority;
  if (greatest != nullptr) *greatest = highest_priority;
  return ok;
}

status cuCtxSynchronize() { return cuCtxSynchronize_v2(nullptr); }

status cuCtxSynchronize_v2(CUcontext context) {
  const context_ptr home = context_or_current(context);
  refuse_capturing(*home);
  synchronize(home);
  return ok;
}

status cuCtxRecordEvent(CUcontext context, CUevent event) {
  record_context(context_at(context), find_event(event));
  return ok;
}

status cuCtxWaitEvent(CUcontext context, CUevent event) {
  wait_in_context(context_at(context), find_event(event));
  return ok;
}

status cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  require(flags == 0, invalid_value);
  const context_ptr own = current_context();
  const context_ptr other = context_at(peer);
  require(own != other, invalid_device);
  require(own->peers.insert(other.get()).second, peer_access_already_enabled);
  return ok;
}

status cuCtxDisablePeerAccess(CUcontext peer) {
  const context_ptr other = context_at(peer);
  require(current_context()->peers.erase(other.get()) == 1, peer_access_not_enabled);
  return ok;
}

}  // namespace doubles::cuda
