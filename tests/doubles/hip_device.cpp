// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver itself, its devices and contexts, in HIP's words.
#include <cstring>

#include "capture.hpp"
#include "context.hpp"
#include "device_facts.hpp"
#include "hip_calls.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "stream.hpp"

namespace doubles::hip {

namespace {

constexpr int version_number = 60443483;  // as ROCm 6.4 numbers it
constexpr const char* brand = "HIP device";
constexpr std::uint64_t per_thread_default_stream = 2;

struct attribute {
  int number;
  int value;
};

constexpr attribute attributes[] = {
    {2, 2},   {3, 1},  {8, 1},     {9, 1},  // copy engines, mapped host memory, concurrency
    {23, 9},  {24, 1}, {56, 1024},          // compute capability, managed memory, threads
    {63, 4},  {78, 1}, {85, 1},             // multiprocessors, priorities, unified addresses
    {87, 64}, {88, 1}, {90, 1},             // lanes of a wave, pools, host memory registered
};

int attribute_of(int number, int ordinal) {
  if (number == 67) return ordinal + 1;  // the PCI bus
  for (const attribute& each : attributes) {
    if (each.number == number) return each.value;
  }
  return 0;
}

context_ptr context_of_device(int ordinal) { return context_at(primary_of(ordinal)); }

}  // namespace

status hipInit(unsigned int flags) {
  require(flags == 0, invalid_value);
  return ok;
}

status hipDriverGetVersion(int* version) {
  give(version, version_number);
  return ok;
}

status hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }

status hipGetProcAddress(const char* symbol, void** function, int, std::uint64_t flags,
                         int* found) {
  require(symbol != nullptr && function != nullptr, invalid_value);
  *function = find_function(symbol, (flags & per_thread_default_stream) != 0);
  if (found != nullptr) *found = *function == nullptr ? 1 : 0;
  return *function == nullptr ? invalid_value : ok;
}

status hipDrvGetErrorName(hipError_t error, const char** name) {
  const status_words* words = words_of(error);
  require(words != nullptr && words->hip != nullptr, invalid_value);
  give(name, words->hip);
  return ok;
}

status hipDrvGetErrorString(hipError_t error, const char** text) {
  const status_words* words = words_of(error);
  require(words != nullptr && words->hip != nullptr, invalid_value);
  give(text, words->text);
  return ok;
}

status hipGetDeviceCount(int* count) {
  give(count, device_count());
  return ok;
}

status hipGetDevice(int* device) {
  give(device, current_context()->device);
  return ok;
}

status hipSetDevice(int device) {
  device_at(device);
  this_thread().device = device;
  this_thread().contexts.clear();  // the device's own is current then
  return ok;
}

status hipDeviceGet(hipDevice_t* device, int ordinal) {
  device_at(ordinal);
  give(device, ordinal);
  return ok;
}

status hipDeviceGetName(char* name, int size, hipDevice_t device) {
  device_at(device);
  write_text(device_name(device, brand), name, size);
  return ok;
}

status hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  device_at(device);
  require(uuid != nullptr, invalid_value);
  std::memcpy(uuid->bytes, device_uuid(device).data(), sizeof uuid->bytes);
  return ok;
}

status hipDeviceGetAttribute(int* value, int attribute, int device) {
  device_at(device);
  give(value, attribute_of(attribute, device));
  return ok;
}

status hipDeviceGetPCIBusId(char* id, int size, int device) {
  device_at(device);
  write_text(pci_bus_id(device), id, size);
  return ok;
}

status hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  device_at(device);
  give(bytes, total_memory);
  return ok;
}

status hipDeviceSynchronize() {
  refuse_capturing(*current_context());
  synchronize(current_context());
  return ok;
}

status hipDeviceReset() {
  reset_primary(current_context()->device);
  return ok;
}

status hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = lowest_priority;
  if (greatest != nullptr) *greatest = highest_priority;
  return ok;
}

status hipDeviceCanAccessPeer(int* can, int device, int peer) {
  device_at(device);
  device_at(peer);
  give(can, device == peer ? 0 : 1);
  return ok;
}

status hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  require(flags == 0, invalid_value);
  const context_ptr own = current_context();
  const context_ptr other = context_of_device(peer);
  require(own != other, invalid_device);
  require(own->peers.insert(other.get()).second, peer_access_already_enabled);
  return ok;
}

status hipDeviceDisablePeerAccess(int peer) {
  const context_ptr other = context_of_device(peer);
  require(current_context()->peers.erase(other.get()) == 1, peer_access_not_enabled);
  return ok;
}

status hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  give_handle(pool, default_pool(device)->handle);
  return ok;
}

status hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  give_handle(pool, current_pool(device)->handle);
  return ok;
}

status hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  const pool_ptr chosen = find_pool(pool);
  require(chosen->device == device && chosen->kind == memory_kind::device, invalid_value);
  device_at(device).current_pool = chosen;
  return ok;
}

// ---- Contexts: devices' primary ones ------------------------------------------------------------

status hipCtxGetCurrent(hipCtx_t* context) {
  give_handle(context, current_handle());
  return ok;
}

status hipCtxSetCurrent(hipCtx_t context) {
  set_context(context);
  return ok;
}

status hipCtxPushCurrent(hipCtx_t context) {
  push_context(context);
  return ok;
}

status hipCtxPopCurrent(hipCtx_t* context) {
  void* handle = pop_context();
  if (context != nullptr) *context = static_cast<hipCtx_t>(handle);
  return ok;
}

status hipCtxGetDevice(hipDevice_t* device) { return hipGetDevice(device); }

status hipCtxSynchronize() { return hipDeviceSynchronize(); }

status hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  require(context != nullptr, invalid_value);
  *context = static_cast<hipCtx_t>(retain_primary(device));
  return ok;
}

// What HIP made by itself stays.
status hipDevicePrimaryCtxRelease(hipDevice_t device) {
  device_at(device);
  return ok;
}

status hipDevicePrimaryCtxReset(hipDevice_t device) {
  reset_primary(device);
  return ok;
}

status hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int* flags, int* active) {
  const context_ptr home = the_driver().contexts.find(device_at(device).primary);
  give(flags, home->flags);
  give(active, home->alive ? 1 : 0);
  return ok;
}

}  // namespace doubles::hip
