// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of HIP's interface, as far as the software driver has them.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using hipError_t = int;
using hipDevice_t = int;
using hipDeviceptr_t = void*;
using hipCtx_t = struct ihipCtx_t*;
using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;
using hipMemPool_t = struct ihipMemPoolHandle_t*;
using hipGraph_t = struct ihipGraph*;
using hipGraphNode_t = struct hipGraphNode*;
using hipGraphExec_t = struct hipGraphExec*;
using hipHostFn_t = void (*)(void* data);
using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void* data);

struct hipUUID {
  char bytes[16];
};

// Of ROCm 6 and later.
struct hipPointerAttribute_t {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};

struct hipMemLocation {
  int type;
  int id;
};

struct hipMemAccessDesc {
  hipMemLocation location;
  int flags;
};

struct hipMemPoolProps {
  int allocType;
  int handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned char reserved[56];
};

}  // extern "C"
