// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a driver says of a pointer, attribute by attribute: both number them alike.
#include "pointer.hpp"

#include <cstdint>
#include <cstring>

#include "memory.hpp"
#include "pool.hpp"

namespace doubles {

namespace {

enum attribute : int {
  attribute_context = 1,
  attribute_memory_type = 2,
  attribute_device_pointer = 3,
  attribute_host_pointer = 4,
  attribute_sync_memops = 6,
  attribute_buffer_id = 7,
  attribute_is_managed = 8,
  attribute_device_ordinal = 9,
  attribute_is_ipc_capable = 10,
  attribute_range_start = 11,
  attribute_range_size = 12,
  attribute_mapped = 13,
  attribute_allowed_handle_types = 14,
  attribute_is_rdma_capable = 15,
  attribute_access_flags = 16,
  attribute_pool = 17,
  last_attribute = 21,
};

constexpr std::uint32_t type_host = 1;
constexpr std::uint32_t type_device = 2;
constexpr int no_device = -2;
constexpr int read_and_write = 3;

template <class T>
status put(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return ok;
}

bool is_host(const block& of) {
  return of.kind == memory_kind::pinned || of.kind == memory_kind::registered;
}

std::uint32_t type_of(const block& of) {
  if (is_host(of)) return type_host;
  return of.kind == memory_kind::managed ? type_of_managed : type_device;
}

status put_known(void* data, int what, std::uintptr_t pointer, const block& of) {
  switch (what) {
    case attribute_context:
      return put(data, of.from ? nullptr : of.context_handle);  // a pool's memory is a device's
    case attribute_memory_type:
      return put(data, type_of(of));
    case attribute_device_pointer:
      return put(data, pointer);
    case attribute_host_pointer:
      if (of.kind == memory_kind::device) return invalid_value;
      return put(data, pointer);
    case attribute_sync_memops:
    case attribute_is_ipc_capable:
    case attribute_is_rdma_capable:
      return put(data, 0);
    case attribute_buffer_id:
      return put(data, of.id);
    case attribute_is_managed:
      return put(data, static_cast<std::uint32_t>(of.kind == memory_kind::managed));
    case attribute_device_ordinal:
      return put(data, of.device);
    case attribute_range_start:
      return put(data, of.base);
    case attribute_range_size:
      return put(data, of.size);
    case attribute_mapped:
      return put(data, 1);
    case attribute_allowed_handle_types:
      return put(data, std::uint64_t{0});
    case attribute_access_flags:
      return put(data, read_and_write);
    case attribute_pool:
      return put(data, of.from ? of.from->handle : nullptr);
    default:
      return not_supported;
  }
}

bool is_narrow(int what) {
  switch (what) {
    case attribute_memory_type:
    case attribute_sync_memops:
    case attribute_is_managed:
    case attribute_is_ipc_capable:
    case attribute_mapped:
    case attribute_is_rdma_capable:
    case attribute_access_flags:
      return true;
    default:
      return false;
  }
}

// What holds of memory that the driver does not know.
void put_nothing(void* data, int what) {
  if (what == attribute_device_ordinal) {
    put(data, no_device);
  } else if (is_narrow(what)) {
    put(data, 0);
  } else {
    put(data, std::uint64_t{0});
  }
}

}  // namespace

status get_pointer_attribute(void* data, int attribute, std::uintptr_t pointer) {
  require(data != nullptr && attribute > 0 && attribute <= last_attribute, invalid_value);
  const block* known = block_of(pointer);
  require(known != nullptr, invalid_value);
  return put_known(data, attribute, pointer, *known);
}

void get_pointer_attributes(unsigned count, const int* attributes, void** data,
                            std::uintptr_t pointer) {
  require(attributes != nullptr && data != nullptr, invalid_value);
  const block* known = block_of(pointer);
  for (unsigned i = 0; i < count; ++i) {
    require(attributes[i] > 0 && attributes[i] <= last_attribute, invalid_value);
    if (known == nullptr || put_known(data[i], attributes[i], pointer, *known) != ok) {
      put_nothing(data[i], attributes[i]);
    }
  }
}

void set_pointer_attribute(const void* value, int attribute, std::uintptr_t pointer) {
  require(value != nullptr && attribute == attribute_sync_memops, invalid_value);
  require(block_of(pointer) != nullptr, invalid_value);
}

}  // namespace doubles
