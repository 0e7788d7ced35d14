// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the simulated devices.
#include "simulated_memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <anystream/error.hpp>

namespace anystream::core::simulated {
namespace {

// What DLPack asks of `data`, and more than any vector unit does.
constexpr std::align_val_t alignment{256};

constexpr std::size_t quarantine_capacity = std::size_t{256} << 20;

// One byte more than asked for, so that the address just past the end is ours too: there, a copy of
// some bytes is out of bounds and not a copy of host memory.
std::byte* reserve(std::size_t bytes) {
  if (bytes == std::numeric_limits<std::size_t>::max()) throw std::bad_alloc{};
  auto* const begin = static_cast<std::byte*>(::operator new(bytes + 1, alignment));
  std::fill_n(begin, bytes + 1, poison);
  return begin;
}

std::string bytes_of(const block& memory) {
  return std::to_string(memory.bytes) + " bytes on simulated device " +
         std::to_string(memory.device);
}

void check_bounds(const block& memory, std::size_t offset, std::size_t bytes) {
  if (bytes <= memory.bytes - offset) return;
  throw value_error("simulated memory: " + std::to_string(bytes) + " bytes at offset " +
                    std::to_string(offset) + " reach beyond an allocation of " + bytes_of(memory) +
                    ".\n  Keep offset + bytes within the allocation.");
}

void check_alive(const block& memory) {
  if (!memory.freed) return;
  if (memory.checked) {
    memory.checked->told()->found("queued a write into memory that was freed",
                                  memory.checked->name());
  }
  throw value_error("simulated memory: a write into a freed allocation of " + bytes_of(memory) +
                    "; only memory that was not freed is written.\n"
                    "  Keep the array alive until its last operation is queued.");
}

std::size_t offset_of(const region& part) {
  return static_cast<std::size_t>(part.data - part.owner->begin.get());
}

void tell_read(const region& source, std::size_t bytes) {
  if (source.owner && source.owner->checked) source.owner->checked->read(offset_of(source), bytes);
}

void tell_write(const region& target, std::size_t bytes) {
  if (target.owner && target.owner->checked) target.owner->checked->write(offset_of(target), bytes);
}

}  // namespace

block::block(std::int32_t owner, std::size_t length, std::shared_ptr<journal> told)
    : device{owner},
      bytes{length},
      begin{reserve(length)},
      checked{told ? std::make_unique<shadow>(std::move(told), length) : nullptr} {}

void block::aligned_delete::operator()(std::byte* bytes) const noexcept {
  ::operator delete(bytes, alignment);
}

std::string name_of(const std::shared_ptr<block>& memory) {
  return memory && memory->checked ? memory->checked->name() : "other memory";
}

memory_map& memory_map::instance() {
  static auto* const map = new memory_map;
  return *map;
}

void* memory_map::allocate(std::int32_t device, std::size_t bytes, std::shared_ptr<journal> told) {
  auto fresh = std::make_shared<block>(device, bytes, std::move(told));
  std::byte* const begin = fresh->begin.get();
  const std::scoped_lock guard{lock_};
  blocks_.emplace(begin, std::move(fresh));
  return begin;
}

bool memory_map::deallocate(void* memory) {
  std::shared_ptr<block> dead;
  {
    const std::scoped_lock guard{lock_};
    dead = around(memory);
    if (!dead || dead->begin.get() != memory || dead->freed) return false;
    dead->freed = true;
    quarantine(dead);
  }
  const std::scoped_lock guard{contents_};
  std::fill_n(dead->begin.get(), dead->bytes, debris);
  if (dead->checked) dead->checked->freed();
  return true;
}

void* memory_map::recycle(std::int32_t device, std::size_t bytes) {
  std::shared_ptr<block> again;
  {
    const std::scoped_lock guard{lock_};
    const auto found = std::ranges::find_if(quarantine_, [&](const auto& one) {
      return one->device == device && one->bytes == bytes && one->checked;
    });
    if (found == quarantine_.end()) return nullptr;
    again = *found;
    again->freed = false;
    quarantined_ -= bytes;
    quarantine_.erase(found);
  }
  const std::scoped_lock guard{contents_};
  std::fill_n(again->begin.get(), bytes, poison);
  again->checked->recycled();
  return again->begin.get();
}

std::shared_ptr<block> memory_map::at(const void* memory) const {
  const std::scoped_lock guard{lock_};
  return around(memory);
}

void memory_map::forget_freed(std::int32_t device) {
  const std::scoped_lock guard{lock_};
  std::erase_if(quarantine_, [&](const std::shared_ptr<block>& one) {
    if (one->device != device) return false;
    quarantined_ -= one->bytes;
    blocks_.erase(one->begin.get());
    return true;
  });
}

void memory_map::quarantine(std::shared_ptr<block> freed) {
  quarantined_ += freed->bytes;
  quarantine_.push_back(std::move(freed));
  while (quarantined_ > quarantine_capacity) {
    quarantined_ -= quarantine_.front()->bytes;
    blocks_.erase(quarantine_.front()->begin.get());
    quarantine_.pop_front();
  }
}

std::shared_ptr<block> memory_map::around(const void* memory) const {
  const auto* const address = static_cast<const std::byte*>(memory);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const std::shared_ptr<block>& found = std::prev(after)->second;
  return std::less_equal<>{}(address, found->begin.get() + found->bytes) ? found : nullptr;
}

std::shared_ptr<block> memory_map::within(const void* memory, std::size_t bytes) const {
  std::shared_ptr<block> found = around(memory);
  if (found) {
    const auto offset = static_cast<const std::byte*>(memory) - found->begin.get();
    check_bounds(*found, static_cast<std::size_t>(offset), bytes);
  }
  return found;
}

region memory_map::readable(const void* memory, std::size_t bytes) const {
  const std::scoped_lock guard{lock_};
  // A region does not tell what it is for; this one is only read.
  return {within(memory, bytes), static_cast<std::byte*>(const_cast<void*>(memory))};
}

region memory_map::writable(void* memory, std::size_t bytes) const {
  const std::scoped_lock guard{lock_};
  std::shared_ptr<block> owner = within(memory, bytes);
  if (owner) check_alive(*owner);
  return {std::move(owner), static_cast<std::byte*>(memory)};
}

bool memory_map::owns(const void* memory) const noexcept {
  const std::scoped_lock guard{lock_};
  return around(memory) != nullptr;
}

void memory_map::fill(const region& target, const std::byte* pattern, std::size_t pattern_bytes,
                      std::size_t count) {
  const std::scoped_lock guard{contents_};
  tell_write(target, pattern_bytes * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(pattern, pattern_bytes, target.data + i * pattern_bytes);
  }
}

void memory_map::copy(const region& target, const region& source, std::size_t bytes) {
  if (bytes == 0) return;  // either may be null then, which memmove does not take
  const std::scoped_lock guard{contents_};
  tell_read(source, bytes);
  tell_write(target, bytes);
  std::memmove(target.data, source.data, bytes);
}

void memory_map::peek(std::byte* target, const region& source, std::size_t bytes) {
  if (bytes == 0) return;
  const std::scoped_lock guard{contents_};
  std::memmove(target, source.data, bytes);
}

}  // namespace anystream::core::simulated
