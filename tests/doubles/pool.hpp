// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Pools of stream-ordered memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "driver.hpp"

namespace doubles {

struct pool {
  int device = 0;
  memory_kind kind = memory_kind::device;
  void* handle = nullptr;
  std::array<std::uint64_t, 5> settings{};  // by pool_attribute, up to the release threshold
};
using pool_ptr = std::shared_ptr<pool>;

enum class pool_attribute : int {
  follow_event_dependencies = 1,  // these three are ints
  allow_opportunistic = 2,
  allow_internal_dependencies = 3,
  release_threshold = 4,  // and these uint64_t
  reserved_current = 5,
  reserved_high = 6,
  used_current = 7,
  used_high = 8,
};

pool_ptr find_pool(const void* handle);
pool_ptr default_pool(int ordinal);
pool_ptr current_pool(int ordinal);
// By the numbers of CUmemAllocationType and CUmemLocationType.
pool_ptr pool_at(int allocation, int location, int ordinal);
void* create_pool(int allocation, int location, int ordinal);
void destroy_pool(const void* handle);
void get_pool_attribute(const pool& of, int attribute, void* value);
void set_pool_attribute(pool& of, int attribute, const void* value);

}  // namespace doubles
