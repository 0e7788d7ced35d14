// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the simulated devices: who owns an address, and what it holds before and after use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "simulated_shadow.hpp"

namespace anystream::core::simulated {

inline constexpr std::byte poison{0xA5};  // allocated, and nothing wrote it yet
inline constexpr std::byte debris{0xDD};  // freed

// One allocation.
struct block {
  block(std::int32_t owner, std::size_t length, std::shared_ptr<journal> told);

  struct aligned_delete {
    void operator()(std::byte* bytes) const noexcept;
  };

  const std::int32_t device;
  const std::size_t bytes;
  const std::unique_ptr<std::byte, aligned_delete> begin;
  bool freed = false;                     // guarded by the map's lock
  const std::unique_ptr<shadow> checked;  // guarded as the bytes are; null: nobody explores
};

// As schedules call it: "memory 1"; "other memory" where nobody explores, and for none.
std::string name_of(const std::shared_ptr<block>& memory);

// Bytes that an operation reads or writes. It keeps them alive: a producer that frees too early
// must show in values, not as a crash of the thread that was about to write.
struct region {
  std::shared_ptr<block> owner;  // null: host memory
  std::byte* data = nullptr;
};

class memory_map {
 public:
  static memory_map& instance();  // never destroyed

  // Accesses are checked, and told, where there is a journal.
  void* allocate(std::int32_t device, std::size_t bytes, std::shared_ptr<journal> told = nullptr);
  // Freed memory of that size once more; null if there is none in quarantine.
  void* recycle(std::int32_t device, std::size_t bytes);
  bool deallocate(void* memory);  // false: not the start of a live allocation

  // value_error: reaches beyond its allocation; to write: or was freed.
  region readable(const void* memory, std::size_t bytes) const;
  region writable(void* memory, std::size_t bytes) const;
  bool owns(const void* memory) const noexcept;

  std::shared_ptr<block> at(const void* memory) const;  // null where there is none
  void forget_freed(std::int32_t device);               // takes them out of quarantine

  // Whoever touches contents goes through these. One at a time: a reader sees all of a write or
  // nothing of it, and looking at memory that is being written is no data race.
  void fill(const region& target, const std::byte* pattern, std::size_t pattern_bytes,
            std::size_t count);
  void copy(const region& target, const region& source, std::size_t bytes);
  // Looked at by a test: no access that could be wrong.
  void peek(std::byte* target, const region& source, std::size_t bytes);

 private:
  using blocks = std::map<const std::byte*, std::shared_ptr<block>>;

  // With lock_ held; null if there is none. `within` throws value_error if bytes reach beyond it.
  std::shared_ptr<block> around(const void* memory) const;
  std::shared_ptr<block> within(const void* memory, std::size_t bytes) const;
  void quarantine(std::shared_ptr<block> freed);

  mutable std::mutex lock_;  // of the members below
  blocks blocks_;            // freed ones in quarantine included
  std::deque<std::shared_ptr<block>> quarantine_;
  std::size_t quarantined_ = 0;

  std::mutex contents_;  // of every block's bytes and their shadows; never taken with lock_ held
};

}  // namespace anystream::core::simulated
