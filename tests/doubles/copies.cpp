// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills: what may be touched, what is done at once, what in the stream.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "capture.hpp"
#include "driver.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

bool was_freed(std::uintptr_t address) {
  const auto& freed = the_driver().memory.freed;
  auto after = freed.upper_bound(address);
  if (after == freed.begin()) return false;
  const block& before = std::prev(after)->second.was;
  return address < before.base + before.size;
}

// Whether the pages are there; a wild pointer is an error, not a crash of the stream's thread.
bool is_mapped(std::uintptr_t address, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = address / page * page;
  const std::size_t pages = (address + size - first + page - 1) / page;
  std::vector<unsigned char> present(pages);
  return mincore(pointer(first), pages * page, present.data()) == 0;
}

bool is_pageable(std::uintptr_t address) { return block_of(address) == nullptr; }

std::size_t span(std::size_t bytes, std::size_t rows, std::size_t pitch) {
  return rows == 0 || bytes == 0 ? 0 : (rows - 1) * pitch + bytes;
}

void copy_rows(const copy_request& what) {
  for (std::size_t row = 0; row < what.rows; ++row) {
    std::memmove(pointer(what.to + row * what.to_pitch), pointer(what.from + row * what.from_pitch),
                 what.bytes);
  }
}

// The source as it is now, with the body that copies it later.
std::function<void()> staged(copy_request what) {
  const std::size_t size = span(what.bytes, what.rows, what.from_pitch);
  const auto* bytes = static_cast<const std::byte*>(pointer(what.from));
  auto kept = std::make_shared<std::vector<std::byte>>(bytes, bytes + size);
  what.from = reinterpret_cast<std::uintptr_t>(kept->data());
  return [what, kept] { copy_rows(what); };
}

template <class Number>
void fill_row(std::uintptr_t to, Number value, std::size_t count) {
  auto* numbers = static_cast<Number*>(pointer(to));
  for (std::size_t i = 0; i < count; ++i) numbers[i] = value;
}

void fill_rows(const fill_request& what) {
  for (std::size_t row = 0; row < what.rows; ++row) {
    const std::uintptr_t to = what.to + row * what.pitch;
    if (what.width == 1) fill_row(to, static_cast<std::uint8_t>(what.value), what.count);
    if (what.width == 2) fill_row(to, static_cast<std::uint16_t>(what.value), what.count);
    if (what.width == 4) fill_row(to, what.value, what.count);
  }
}

}  // namespace

void check_range(std::uintptr_t address, std::size_t size, place wanted) {
  require(address != 0 && size <= total_memory, invalid_value);
  const block* known = block_of(address);
  if (known != nullptr) {
    require(address + size <= known->base + known->size, invalid_value);
    require(wanted != place::host || known->kind != memory_kind::device, invalid_value);
    return;
  }
  require(wanted != place::device && !was_freed(address), invalid_value);
  require(is_mapped(address, size), invalid_value);
}

void copy(const copy_request& what, const stream_ptr& in, bool blocking) {
  if (what.bytes == 0 || what.rows == 0) return;
  check_range(what.to, span(what.bytes, what.rows, what.to_pitch), what.to_place);
  check_range(what.from, span(what.bytes, what.rows, what.from_pitch), what.from_place);
  if (in->capture) {
    submit(in, [what] { copy_rows(what); });
    return;
  }
  const bool stage = is_pageable(what.from);
  submit(in, stage ? staged(what) : std::function<void()>([what] { copy_rows(what); }));
  if (blocking || is_pageable(what.to)) wait_for(in->last);
}

void fill(const fill_request& what, const stream_ptr& in, bool blocking) {
  if (what.count == 0 || what.rows == 0) return;
  require(what.to % what.width == 0 && what.pitch % what.width == 0, invalid_value);
  check_range(what.to, span(what.count * what.width, what.rows, what.pitch), place::device);
  submit(in, [what] { fill_rows(what); });
  if (blocking && block_of(what.to)->kind != memory_kind::device) wait_for(in->last);
}

}  // namespace doubles
