// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's calls of memory: given out, freed, in pools.
#include <algorithm>

#include "capture.hpp"
#include "context.hpp"
#include "cuda_calls.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "stream.hpp"

namespace doubles::cuda {

namespace {

constexpr unsigned int every_host_flag = 7;
constexpr unsigned int every_register_flag = 15;
constexpr unsigned int attach_global = 1;
constexpr unsigned int attach_host = 2;
constexpr std::size_t pitch_alignment = 512;

CUdeviceptr as_address(void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

const block& known_block(CUdeviceptr pointer) {
  const block* found = block_of(pointer);
  require(found != nullptr, invalid_value);
  return *found;
}

status give_now(void** pointer, std::size_t size, memory_kind kind, unsigned int flags) {
  require(pointer != nullptr, invalid_value);
  const context_ptr home = current_context();
  unsafe_call();
  *pointer = allocate(home, {.size = size, .kind = kind, .flags = flags, .from = {}, .in = {}});
  return ok;
}

status give_now(CUdeviceptr* pointer, std::size_t size, memory_kind kind, unsigned int flags) {
  require(pointer != nullptr, invalid_value);
  void* given = nullptr;
  give_now(&given, size, kind, flags);
  *pointer = as_address(given);
  return ok;
}

void give_in(CUdeviceptr* pointer, std::size_t size, const pool_ptr& from, const stream_ptr& in) {
  require(pointer != nullptr, invalid_value);
  *pointer = as_address(
      allocate(in->home, {.size = size, .kind = from->kind, .flags = 0, .from = from, .in = in}));
}

void touch(CUdeviceptr pointer, std::size_t size, CUstream stream) {
  require(known_block(pointer).kind == memory_kind::managed, invalid_value);
  check_range(pointer, size, place::any);
  submit(stream_to_use(stream), {});
}

pool_ptr pool_of(const CUmemLocation* location, int type) {
  require(location != nullptr, invalid_value);
  return pool_at(type, location->type, location->id);
}

}  // namespace

status cuMemGetInfo_v2(std::size_t* available, std::size_t* total) {
  current_context();
  give(available, total_memory - std::min(total_memory, live_bytes(nullptr)));
  give(total, total_memory);
  return ok;
}

status cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t size) {
  return give_now(pointer, size, memory_kind::device, 0);
}

status cuMemAllocPitch_v2(CUdeviceptr* pointer, std::size_t* pitch, std::size_t width,
                          std::size_t height, unsigned int) {
  give(pitch, (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment);
  return give_now(pointer, *pitch * height, memory_kind::device, 0);
}

status cuMemFree_v2(CUdeviceptr pointer) {
  if (pointer == 0) return ok;
  unsafe_call();
  free_now(pointer, memory_kind::device, memory_kind::managed);
  return ok;
}

status cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* size, CUdeviceptr pointer) {
  const block* found = block_of(pointer);
  require(found != nullptr, not_found);
  if (base != nullptr) *base = found->base;
  if (size != nullptr) *size = found->size;
  return ok;
}

status cuMemAllocHost_v2(void** pointer, std::size_t size) {
  return cuMemHostAlloc(pointer, size, 0);
}

status cuMemHostAlloc(void** pointer, std::size_t size, unsigned int flags) {
  require((flags & ~every_host_flag) == 0, invalid_value);
  return give_now(pointer, size, memory_kind::pinned, flags);
}

status cuMemFreeHost(void* pointer) {
  if (pointer == nullptr) return ok;
  unsafe_call();
  free_now(as_address(pointer), memory_kind::pinned, memory_kind::pinned);
  return ok;
}

status cuMemHostRegister_v2(void* pointer, std::size_t size, unsigned int flags) {
  require((flags & ~every_register_flag) == 0, invalid_value);
  register_host(current_context(), pointer, size, flags);
  return ok;
}

status cuMemHostUnregister(void* pointer) {
  unregister_host(pointer);
  return ok;
}

status cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* pointer, unsigned int flags) {
  require(flags == 0, invalid_value);
  require(known_block(as_address(pointer)).kind != memory_kind::device, invalid_value);
  give(device, as_address(pointer));
  return ok;
}

status cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  give(flags, known_block(as_address(pointer)).flags);
  return ok;
}

status cuMemAllocManaged(CUdeviceptr* pointer, std::size_t size, unsigned int flags) {
  require(flags == attach_global || flags == attach_host, invalid_value);
  return give_now(pointer, size, memory_kind::managed, flags);
}

status cuMemAllocAsync(CUdeviceptr* pointer, std::size_t size, CUstream stream) {
  const stream_ptr in = stream_to_use(stream);
  give_in(pointer, size, current_pool(in->home->device), in);
  return ok;
}

status cuMemAllocFromPoolAsync(CUdeviceptr* pointer, std::size_t size, CUmemoryPool pool,
                               CUstream stream) {
  const pool_ptr from = find_pool(pool);
  give_in(pointer, size, from, stream_to_use(stream));
  return ok;
}

status cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  free_in(pointer, stream_to_use(stream));
  return ok;
}

status cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, std::size_t size,
                              unsigned int) {
  touch(pointer, size, stream);
  return ok;
}

status cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t size, CUdevice, CUstream stream) {
  touch(pointer, size, stream);
  return ok;
}

status cuMemPrefetchAsync_v2(CUdeviceptr pointer, std::size_t size, CUmemLocation, unsigned int,
                             CUstream stream) {
  touch(pointer, size, stream);
  return ok;
}

// ---- Pools --------------------------------------------------------------------------------------

status cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  require(pool != nullptr && properties != nullptr, invalid_value);
  require(properties->handleTypes == 0, not_supported);  // nothing is shared with other processes
  const CUmemLocation& at = properties->location;
  *pool = static_cast<CUmemoryPool>(create_pool(properties->allocType, at.type, at.id));
  return ok;
}

status cuMemPoolDestroy(CUmemoryPool pool) {
  destroy_pool(pool);
  return ok;
}

status cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void* value) {
  get_pool_attribute(*find_pool(pool), attribute, value);
  return ok;
}

status cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void* value) {
  set_pool_attribute(*find_pool(pool), attribute, value);
  return ok;
}

status cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
  find_pool(pool);
  require(access != nullptr || count == 0, invalid_value);
  return ok;
}

status cuMemPoolGetAccess(int* flags, CUmemoryPool pool, CUmemLocation*) {
  find_pool(pool);
  constexpr int read_and_write = 3;
  give(flags, read_and_write);
  return ok;
}

status cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  find_pool(pool);
  return ok;
}

status cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, int type) {
  give_handle(pool, pool_of(location, type)->handle);
  return ok;
}

status cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, int type) {
  return cuMemGetMemPool(pool, location, type);
}

status cuMemSetMemPool(CUmemLocation* location, int type, CUmemoryPool pool) {
  const pool_ptr chosen = find_pool(pool);
  const pool_ptr before = pool_of(location, type);
  require(chosen->kind == before->kind, invalid_value);
  if (chosen->kind == memory_kind::device) {
    device_at(location->id).current_pool = chosen;
  } else {
    the_driver().shared_pools[chosen->kind] = chosen;
  }
  return ok;
}

}  // namespace doubles::cuda
