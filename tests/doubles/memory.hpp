// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory: host memory that plays a device's, pinned, registered or managed; 0xA5 when new, 0xDD
// when freed. What was freed is kept, and given out again: whoever
// reads or writes late meets another's data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "operation.hpp"

namespace doubles {

struct context;
struct pool;

constexpr unsigned char new_byte = 0xA5;
constexpr unsigned char freed_byte = 0xDD;

enum class memory_kind { device, pinned, registered, managed };

struct block {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  memory_kind kind = memory_kind::device;
  int device = 0;
  const context* home = nullptr;
  void* context_handle = nullptr;
  std::uint64_t id = 0;
  unsigned flags = 0;
  std::shared_ptr<pool> from;  // null: not stream-ordered
};

struct freed_block {
  block was;
  std::uint64_t stream = 0;  // in whose order it was freed; 0: in none
  completion_ptr freed;      // done when it holds 0xDD
  bool reported = false;     // as written after it was freed
};

struct memory_table {
  std::map<std::uintptr_t, block> live;
  std::map<std::uintptr_t, freed_block> freed;
  std::uint64_t last_id = 0;
  std::atomic<unsigned long long> written_after_free{0};
};

// The live block that an address is in, or null.
const block* block_of(std::uintptr_t address);

struct wanted {
  std::size_t size = 0;
  memory_kind kind = memory_kind::device;
  unsigned flags = 0;
  std::shared_ptr<pool> from;  // with in: stream-ordered
  std::shared_ptr<stream> in;
};
void* allocate(const std::shared_ptr<context>& home, const wanted& what);
void free_now(std::uintptr_t base, memory_kind kind, memory_kind or_kind);
void free_in(std::uintptr_t base, const std::shared_ptr<stream>& in);
void register_host(const std::shared_ptr<context>& home, void* base, std::size_t size,
                   unsigned flags);
void unregister_host(void* base);
void free_memory_of(const context& home);
void free_all_memory();                  // to the host: by a reset
std::size_t live_bytes(const pool* of);  // null: all
std::size_t kept_bytes(const pool& of);
unsigned long long written_after_free();

constexpr std::size_t total_memory = std::size_t{2} << 30;  // of a device, as it says

// ---- Copies and fills ---------------------------------------------------------------------------

enum class place { any, host, device };

struct copy_request {
  std::uintptr_t to = 0;
  std::uintptr_t from = 0;
  std::size_t bytes = 0;  // of a row
  std::size_t rows = 1;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;
  place to_place = place::any;
  place from_place = place::any;
};

// Blocks as a driver does: always if asked to; else where memory of the host that the driver does
// not know is written, or host memory is copied to host memory. Such memory is read at once.
void copy(const copy_request& what, const std::shared_ptr<stream>& in, bool blocking);

struct fill_request {
  std::uintptr_t to = 0;
  std::uint32_t value = 0;
  std::size_t width = 1;
  std::size_t count = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0;
};
void fill(const fill_request& what, const std::shared_ptr<stream>& in, bool blocking);

// Fails unless the range is memory of such a place.
void check_range(std::uintptr_t address, std::size_t size, place wanted);

}  // namespace doubles
