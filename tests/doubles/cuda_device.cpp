// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver itself, its devices, and how its functions are found.
#include <cstring>

#include "context.hpp"
#include "cuda_calls.hpp"
#include "device_facts.hpp"
#include "pool.hpp"

namespace doubles::cuda {

namespace {

constexpr int driver_version = 13000;
constexpr const char* brand = "CUDA device";
constexpr unsigned long long per_thread_default_stream = 2;

enum found : int { found_it = 0, found_nothing = 1, found_newer = 2 };

struct attribute {
  int number;
  int value;
};

// What is not here is 0: not supported.
constexpr attribute attributes[] = {
    {1, 1024},                                      // threads of a block
    {2, 1024},        {3, 1024},    {4, 64},        // of its sides
    {5, 2147483647},  {6, 65535},   {7, 65535},     // blocks of a grid's sides
    {8, 49152},       {9, 65536},   {10, 32},       // shared and constant memory; lanes of a warp
    {11, 2147483647}, {12, 65536},  {13, 1000000},  // pitch; registers; clock rate
    {14, 512},        {15, 1},                      // alignment of textures; copies beside kernels
    {16, 4},                                        // multiprocessors
    {19, 1},          {31, 1},      {34, 0},        // mapped host memory, concurrent kernels
    {36, 1000000},    {37, 256},    {38, 4194304}, {39, 2048},  // memory clock and bus, L2, threads
    {40, 2},          {41, 1},      {51, 32},                   // copy engines; unified addresses
    {75, 9},          {76, 0},                                  // compute capability
    {78, 1},          {81, 233472}, {82, 65536},                // priorities
    {83, 1},          {89, 1},      {90, 1},       {91, 1},     // managed memory, concurrently
    {99, 1},          {106, 32},    {115, 1},      {134, 0},   {142, 1}, {144, 1},  // memory pools
};

int attribute_of(int number, int ordinal) {
  if (number == 33) return ordinal + 1;  // the PCI bus
  for (const attribute& each : attributes) {
    if (each.number == number) return each.value;
  }
  return 0;
}

int find(const char* symbol, void** function, int version, unsigned long long flags) {
  require(symbol != nullptr && function != nullptr, invalid_value);
  bool is_newer = false;
  *function = find_function(symbol, version, (flags & per_thread_default_stream) != 0, is_newer);
  if (*function != nullptr) return found_it;
  return is_newer ? found_newer : found_nothing;
}

const status_words& words_or_invalid(CUresult error) {
  const status_words* words = words_of(error);
  require(words != nullptr && words->cuda != nullptr, invalid_value);
  return *words;
}

}  // namespace

status cuInit(unsigned int flags) {
  require(flags == 0, invalid_value);
  initialise();
  return ok;
}

status cuDriverGetVersion(int* version) {
  give(version, driver_version);
  return ok;
}

status cuGetErrorName(CUresult error, const char** name) {
  if (name != nullptr) *name = nullptr;
  give(name, words_or_invalid(error).cuda);
  return ok;
}

status cuGetErrorString(CUresult error, const char** text) {
  if (text != nullptr) *text = nullptr;
  give(text, words_or_invalid(error).text);
  return ok;
}

status cuGetProcAddress(const char* symbol, void** function, int version,
                        unsigned long long flags) {
  return find(symbol, function, version, flags) == found_it ? ok : not_found;
}

status cuGetProcAddress_v2(const char* symbol, void** function, int version,
                           unsigned long long flags, int* found) {
  const int result = find(symbol, function, version, flags);
  if (found != nullptr) *found = result;
  return result == found_it ? ok : not_found;
}

// NVIDIA's runtime would be given what is in none of its headers: it cannot run here.
status cuGetExportTable(const void** table, const CUuuid*) {
  give(table, static_cast<const void*>(nullptr));
  return not_found;
}

status cuDeviceGet(CUdevice* device, int ordinal) {
  device_at(ordinal);
  give(device, ordinal);
  return ok;
}

status cuDeviceGetCount(int* count) {
  give(count, device_count());
  return ok;
}

status cuDeviceGetName(char* name, int size, CUdevice device) {
  device_at(device);
  write_text(device_name(device, brand), name, size);
  return ok;
}

status cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  device_at(device);
  require(uuid != nullptr, invalid_value);
  std::memcpy(uuid->bytes, device_uuid(device).data(), sizeof uuid->bytes);
  return ok;
}

status cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

status cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  device_at(device);
  give(bytes, total_memory);
  return ok;
}

status cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  device_at(device);
  require(attribute > 0, invalid_value);
  give(value, attribute_of(attribute, device));
  return ok;
}

status cuDeviceGetPCIBusId(char* id, int size, CUdevice device) {
  device_at(device);
  write_text(pci_bus_id(device), id, size);
  return ok;
}

status cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  require(id != nullptr, invalid_value);
  for (int i = 0; i < device_count(); ++i) {
    if (pci_bus_id(i) != id) continue;
    give(device, i);
    return ok;
  }
  return invalid_device;
}

status cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  cuDeviceGetAttribute(major, 75, device);
  return cuDeviceGetAttribute(minor, 76, device);
}

status cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  device_at(device);
  device_at(peer);
  give(can, device == peer ? 0 : 1);
  return ok;
}

status cuDeviceGetP2PAttribute(int* value, int attribute, CUdevice from, CUdevice to) {
  device_at(from);
  device_at(to);
  require(attribute > 0 && from != to, invalid_value);
  constexpr int access_supported = 2;
  give(value, attribute == access_supported ? 1 : 0);
  return ok;
}

status cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  give_handle(pool, default_pool(device)->handle);
  return ok;
}

status cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  give_handle(pool, current_pool(device)->handle);
  return ok;
}

status cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  pool_ptr chosen = find_pool(pool);
  require(chosen->device == device && chosen->kind == memory_kind::device, invalid_value);
  device_at(device).current_pool = chosen;
  return ok;
}

}  // namespace doubles::cuda
