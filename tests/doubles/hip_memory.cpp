// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// HIP's calls of memory: given out, freed, copied, filled, told apart.
#include <algorithm>

#include "capture.hpp"
#include "context.hpp"
#include "hip_calls.hpp"
#include "memory.hpp"
#include "pointer.hpp"
#include "pool.hpp"
#include "stream.hpp"

namespace doubles {

const std::uint32_t type_of_managed = 3;

namespace hip {

namespace {

constexpr int type_host = 1;
constexpr int type_device = 2;

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

const block& known_block(const void* pointer) {
  const block* found = block_of(address(pointer));
  require(found != nullptr, invalid_value);
  return *found;
}

status give_now(void** pointer, std::size_t size, memory_kind kind, unsigned int flags) {
  require(pointer != nullptr, invalid_value);
  unsafe_call();
  *pointer = nullptr;
  if (size == 0) return ok;
  *pointer = allocate(current_context(),
                      {.size = size, .kind = kind, .flags = flags, .from = {}, .in = {}});
  return ok;
}

void give_in(void** pointer, std::size_t size, const pool_ptr& from, const stream_ptr& in) {
  require(pointer != nullptr, invalid_value);
  *pointer =
      allocate(in->home, {.size = size, .kind = from->kind, .flags = 0, .from = from, .in = in});
}

stream_ptr default_stream() {
  stream_ptr found = stream_to_use(nullptr);
  refuse_capturing(*found);
  unsafe_call();
  return found;
}

constexpr int kind_default = 4;
constexpr int kind_device_without_kernel = 1024;

// By hipMemcpyKind: host to host is 0, host to device 1, device to host 2, device to device 3.
place place_from(int kind) {
  require((kind >= 0 && kind <= kind_default) || kind == kind_device_without_kernel, invalid_value);
  if (kind == kind_default) return place::any;
  return kind <= 1 ? place::host : place::device;
}

place place_to(int kind) {
  if (kind == kind_default) return place::any;
  return kind == 0 || kind == 2 ? place::host : place::device;
}

copy_request request(const void* to, const void* from, std::size_t size, int kind) {
  return {.to = address(to),
          .from = address(from),
          .bytes = size,
          .to_place = place_to(kind),
          .from_place = place_from(kind)};
}

bool is_device(std::uintptr_t pointer) {
  const block* known = block_of(pointer);
  return known != nullptr && known->kind == memory_kind::device;
}

status copy_now(const copy_request& what) {
  copy(what, default_stream(), !(is_device(what.to) && is_device(what.from)));
  return ok;
}

status copy_in(const copy_request& what, hipStream_t stream) {
  copy(what, stream_to_use(stream), false);
  return ok;
}

fill_request bytes(void* to, int value, std::size_t count, std::size_t width) {
  return {.to = address(to),
          .value = static_cast<std::uint32_t>(value),
          .width = width,
          .count = count};
}

int type_of(const block& of) {
  if (of.kind == memory_kind::device) return type_device;
  return of.kind == memory_kind::managed ? static_cast<int>(type_of_managed) : type_host;
}

}  // namespace

status hipMemGetInfo(std::size_t* available, std::size_t* total) {
  give(available, total_memory - std::min(total_memory, live_bytes(nullptr)));
  give(total, total_memory);
  return ok;
}

status hipMalloc(void** pointer, std::size_t size) {
  return give_now(pointer, size, memory_kind::device, 0);
}

status hipFree(void* pointer) {
  if (pointer == nullptr) return ok;
  unsafe_call();
  free_now(address(pointer), memory_kind::device, memory_kind::managed);
  return ok;
}

status hipMallocManaged(void** pointer, std::size_t size, unsigned int flags) {
  return give_now(pointer, size, memory_kind::managed, flags);
}

status hipHostMalloc(void** pointer, std::size_t size, unsigned int flags) {
  return give_now(pointer, size, memory_kind::pinned, flags);
}

status hipHostAlloc(void** pointer, std::size_t size, unsigned int flags) {
  return hipHostMalloc(pointer, size, flags);
}

status hipHostFree(void* pointer) {
  if (pointer == nullptr) return ok;
  unsafe_call();
  free_now(address(pointer), memory_kind::pinned, memory_kind::pinned);
  return ok;
}

status hipHostRegister(void* pointer, std::size_t size, unsigned int flags) {
  register_host(current_context(), pointer, size, flags);
  return ok;
}

status hipHostUnregister(void* pointer) {
  unregister_host(pointer);
  return ok;
}

status hipHostGetDevicePointer(void** device, void* pointer, unsigned int flags) {
  require(flags == 0, invalid_value);
  require(known_block(pointer).kind != memory_kind::device, invalid_value);
  give(device, pointer);
  return ok;
}

status hipHostGetFlags(unsigned int* flags, void* pointer) {
  give(flags, known_block(pointer).flags);
  return ok;
}

status hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size, hipDeviceptr_t pointer) {
  const block* found = block_of(address(pointer));
  require(found != nullptr, not_found);
  if (base != nullptr) *base = reinterpret_cast<void*>(found->base);
  if (size != nullptr) *size = found->size;
  return ok;
}

status hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream) {
  const stream_ptr in = stream_to_use(stream);
  give_in(pointer, size, current_pool(in->home->device), in);
  return ok;
}

status hipMallocFromPoolAsync(void** pointer, std::size_t size, hipMemPool_t pool,
                              hipStream_t stream) {
  const pool_ptr from = find_pool(pool);
  give_in(pointer, size, from, stream_to_use(stream));
  return ok;
}

status hipFreeAsync(void* pointer, hipStream_t stream) {
  free_in(address(pointer), stream_to_use(stream));
  return ok;
}

status hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  require(pool != nullptr && properties != nullptr, invalid_value);
  require(properties->handleTypes == 0, not_supported);
  const hipMemLocation& at = properties->location;
  *pool = static_cast<hipMemPool_t>(create_pool(properties->allocType, at.type, at.id));
  return ok;
}

status hipMemPoolDestroy(hipMemPool_t pool) {
  destroy_pool(pool);
  return ok;
}

status hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void* value) {
  get_pool_attribute(*find_pool(pool), attribute, value);
  return ok;
}

status hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void* value) {
  set_pool_attribute(*find_pool(pool), attribute, value);
  return ok;
}

status hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, std::size_t count) {
  find_pool(pool);
  require(access != nullptr || count == 0, invalid_value);
  return ok;
}

status hipMemPoolTrimTo(hipMemPool_t pool, std::size_t) {
  find_pool(pool);
  return ok;
}

// As the manual has it: memory that HIP does not know is an error.
status hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  require(attributes != nullptr && pointer != nullptr, invalid_value);
  const block& known = known_block(pointer);
  void* itself = const_cast<void*>(pointer);
  *attributes = {.type = type_of(known),
                 .device = known.device,
                 .devicePointer = itself,
                 .hostPointer = known.kind == memory_kind::device ? nullptr : itself,
                 .isManaged = known.kind == memory_kind::managed ? 1 : 0,
                 .allocationFlags = known.flags};
  return ok;
}

status hipPointerGetAttribute(void* data, int attribute, hipDeviceptr_t pointer) {
  return get_pointer_attribute(data, attribute, address(pointer));
}

status hipDrvPointerGetAttributes(unsigned int count, int* attributes, void** data,
                                  hipDeviceptr_t pointer) {
  get_pointer_attributes(count, attributes, data, address(pointer));
  return ok;
}

// ---- Copies and fills ---------------------------------------------------------------------------

status hipMemcpy(void* to, const void* from, std::size_t size, int kind) {
  return copy_now(request(to, from, size, kind));
}

status hipMemcpyAsync(void* to, const void* from, std::size_t size, int kind, hipStream_t stream) {
  return copy_in(request(to, from, size, kind), stream);
}

status hipMemcpyWithStream(void* to, const void* from, std::size_t size, int kind,
                           hipStream_t stream) {
  copy(request(to, from, size, kind), stream_to_use(stream), true);
  return ok;
}

status hipMemcpyHtoD(hipDeviceptr_t to, const void* from, std::size_t size) {
  return copy_now(request(to, from, size, 1));
}

status hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t size) {
  return copy_now(request(to, from, size, 2));
}

status hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size) {
  return copy_now(request(to, from, size, 3));
}

status hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, std::size_t size,
                          hipStream_t stream) {
  return copy_in(request(to, from, size, 1), stream);
}

status hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t size, hipStream_t stream) {
  return copy_in(request(to, from, size, 2), stream);
}

status hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t size,
                          hipStream_t stream) {
  return copy_in(request(to, from, size, 3), stream);
}

status hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t size) {
  device_at(to_device);
  device_at(from_device);
  return copy_now(request(to, from, size, 3));
}

status hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                          std::size_t size, hipStream_t stream) {
  device_at(to_device);
  device_at(from_device);
  return copy_in(request(to, from, size, 3), stream);
}

status hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, int kind) {
  copy_request what = request(to, from, width, kind);
  what.rows = height;
  what.to_pitch = to_pitch;
  what.from_pitch = from_pitch;
  return copy_now(what);
}

status hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                        std::size_t width, std::size_t height, int kind, hipStream_t stream) {
  copy_request what = request(to, from, width, kind);
  what.rows = height;
  what.to_pitch = to_pitch;
  what.from_pitch = from_pitch;
  return copy_in(what, stream);
}

status hipMemset(void* to, int value, std::size_t size) {
  fill(bytes(to, value, size, 1), default_stream(), true);
  return ok;
}

status hipMemsetAsync(void* to, int value, std::size_t size, hipStream_t stream) {
  fill(bytes(to, value, size, 1), stream_to_use(stream), false);
  return ok;
}

status hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
  return hipMemset(to, value, count);
}

status hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                        hipStream_t stream) {
  return hipMemsetAsync(to, value, count, stream);
}

status hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count, hipStream_t stream) {
  fill(bytes(to, value, count, 4), stream_to_use(stream), false);
  return ok;
}

}  // namespace hip

}  // namespace doubles
