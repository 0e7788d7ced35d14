// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Pools of stream-ordered memory: of a device, of the host, managed ones.
#include "pool.hpp"

#include <algorithm>
#include <cstring>

#include "context.hpp"

namespace doubles {

namespace {

constexpr int allocation_pinned = 1;
constexpr int allocation_managed = 2;
constexpr int location_device = 1;
constexpr int location_numa_current = 4;

memory_kind kind_of(int allocation, int location) {
  require(allocation == allocation_pinned || allocation == allocation_managed, invalid_value);
  require(location >= 0 && location <= location_numa_current, invalid_value);
  if (allocation == allocation_managed) return memory_kind::managed;
  require(location != 0, invalid_value);
  return location == location_device ? memory_kind::device : memory_kind::pinned;
}

int device_of(int location, int ordinal) {
  if (location != location_device) return 0;
  device_at(ordinal);
  return ordinal;
}

pool_ptr make_pool(memory_kind kind, int ordinal) {
  auto made = std::make_shared<pool>();
  made->device = ordinal;
  made->kind = kind;
  made->settings = {0, 1, 1, 1, 0};
  made->handle = the_driver().pools.add(made);
  return made;
}

std::uint64_t value_of(const pool& of, pool_attribute attribute) {
  switch (attribute) {
    case pool_attribute::reserved_current:
    case pool_attribute::reserved_high:
      return live_bytes(&of) + kept_bytes(of);
    case pool_attribute::used_current:
    case pool_attribute::used_high:
      return live_bytes(&of);
    default:
      return of.settings[static_cast<std::size_t>(attribute)];
  }
}

bool is_int(int attribute) {
  return attribute < static_cast<int>(pool_attribute::release_threshold);
}

}  // namespace

pool_ptr find_pool(const void* handle) {
  pool_ptr found = the_driver().pools.find(handle);
  require(found != nullptr, invalid_value);
  return found;
}

pool_ptr default_pool(int ordinal) {
  device& of = device_at(ordinal);
  if (!of.default_pool) of.default_pool = make_pool(memory_kind::device, ordinal);
  return of.default_pool;
}

pool_ptr current_pool(int ordinal) {
  pool_ptr& current = device_at(ordinal).current_pool;
  return current ? current : default_pool(ordinal);
}

pool_ptr pool_at(int allocation, int location, int ordinal) {
  const memory_kind kind = kind_of(allocation, location);
  const int device = device_of(location, ordinal);
  if (kind == memory_kind::device) return current_pool(device);
  pool_ptr& shared = the_driver().shared_pools[kind];
  if (!shared) shared = make_pool(kind, device);
  return shared;
}

void* create_pool(int allocation, int location, int ordinal) {
  return make_pool(kind_of(allocation, location), device_of(location, ordinal))->handle;
}

void destroy_pool(const void* handle) {
  const pool_ptr gone = find_pool(handle);
  for (device& of : the_driver().devices) {
    require(of.default_pool != gone, invalid_value);
    if (of.current_pool == gone) of.current_pool.reset();
  }
  the_driver().pools.take(handle);
}

void get_pool_attribute(const pool& of, int attribute, void* value) {
  require(value != nullptr, invalid_value);
  require(attribute >= 1 && attribute <= static_cast<int>(pool_attribute::used_high),
          invalid_value);
  const std::uint64_t got = value_of(of, static_cast<pool_attribute>(attribute));
  const int as_int = static_cast<int>(got);
  if (is_int(attribute)) {
    std::memcpy(value, &as_int, sizeof as_int);
  } else {
    std::memcpy(value, &got, sizeof got);
  }
}

void set_pool_attribute(pool& of, int attribute, const void* value) {
  require(value != nullptr, invalid_value);
  require(attribute >= 1 && attribute <= static_cast<int>(pool_attribute::used_high),
          invalid_value);
  if (attribute > static_cast<int>(pool_attribute::release_threshold)) return;  // resets a mark
  std::uint64_t set = 0;
  std::memcpy(&set, value, is_int(attribute) ? sizeof(int) : sizeof set);
  of.settings[static_cast<std::size_t>(attribute)] = set;
}

}  // namespace doubles
