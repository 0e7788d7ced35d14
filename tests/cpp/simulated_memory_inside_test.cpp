// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the simulated accelerator: poison, debris, bounds, and operations on all of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <anystream/error.hpp>

#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using anystream::value_error;
using simulated_rig::device;
using simulated_rig::numbers;
using simulated_rig::platform;
using simulated_rig::stream;

constexpr std::size_t length = 1000;
constexpr unsigned char poison = 0xA5;
constexpr unsigned char debris = 0xDD;

bool holds(const void* memory, unsigned char value, std::size_t bytes = length) {
  std::vector<unsigned char> now(bytes);
  simulated::peek(memory, now.data(), bytes);
  return std::ranges::all_of(now, [&](unsigned char byte) { return byte == value; });
}

void* allocate(const device& where, std::size_t bytes = length) {
  return simulated::allocate_memory(where.id, bytes);
}

void fill(const stream& queue, void* memory, unsigned char value, std::size_t bytes = length) {
  simulated::fill(queue.handle(), memory, &value, 1, bytes);
}

void new_memory_is_poison() {
  const device where;
  void* const memory = allocate(where);
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
  CHECK(holds(memory, poison));
  simulated::deallocate_memory(memory);
}

void freed_memory_is_debris() {
  const device where;
  void* const memory = allocate(where);
  simulated::deallocate_memory(memory);
  CHECK(holds(memory, debris));
  CHECK(platform().owns(memory));
  CHECK_THROWS(value_error, simulated::deallocate_memory(memory));
  platform().deallocate({kDLExtDev, where.id}, memory, nullptr);  // an array whose memory is gone
}

// A reader that comes too late reads debris: wrong values, and no fault of memory.
void a_read_after_free_shows_in_values() {
  const device where;
  const stream queue{where};
  void* const source = allocate(where);
  void* const target = allocate(where);
  fill(queue, source, 1);
  platform().synchronize(queue.handle());
  queue.hold();
  simulated::copy(queue.handle(), target, source, length);
  simulated::deallocate_memory(source);
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK(holds(target, debris));
  simulated::copy(queue.handle(), target, source, length);  // queued later still
  platform().synchronize(queue.handle());
  CHECK(holds(target, debris));
  simulated::deallocate_memory(target);
}

// What was pending when the memory was freed still runs, and shows.
void a_write_after_free_shows_in_the_debris() {
  const device where;
  const stream queue{where};
  void* const memory = allocate(where);
  queue.hold();
  fill(queue, memory, 3);
  simulated::deallocate_memory(memory);
  CHECK(holds(memory, debris));
  CHECK_THROWS(value_error, fill(queue, memory, 4));
  CHECK_THROWS(value_error, simulated::copy(queue.handle(), memory, memory, 1));
  CHECK(queue.pending() == 1);
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK(holds(memory, 3));
}

void the_quarantine_is_bounded() {
  const device where;
  constexpr std::size_t big = std::size_t{100} << 20;
  void* const oldest = allocate(where);
  simulated::deallocate_memory(oldest);
  void* const pending = allocate(where);
  const stream queue{where};
  queue.hold();
  fill(queue, pending, 1);
  simulated::deallocate_memory(pending);
  CHECK(platform().owns(oldest));
  for (int i = 0; i < 3; ++i) simulated::deallocate_memory(allocate(where, big));
  CHECK(!platform().owns(oldest));
  CHECK_THROWS(value_error, simulated::peek(oldest, nullptr, 1));
  queue.resume();  // its memory has left the quarantine, but not before it ran
  platform().synchronize(queue.handle());
}

void operations_keep_within_an_allocation() {
  const device where;
  const stream queue{where};
  auto* const memory = static_cast<std::byte*>(allocate(where));
  auto* const other = static_cast<std::byte*>(allocate(where));
  std::array<std::byte, 2> host{};
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS(value_error, fill(queue, memory, 1, length + 1));
  CHECK_THROWS(value_error, fill(queue, memory + 1, 1));
  CHECK_THROWS(value_error, fill(queue, host.data(), 1, 2));
  CHECK_THROWS(value_error, simulated::fill(queue.handle(), memory, &length, 8, all / 2));
  CHECK_THROWS(value_error, simulated::fill(queue.handle(), memory, &length, 0, 1));
  CHECK_THROWS(value_error, simulated::copy(queue.handle(), memory, other + 1, length));
  CHECK_THROWS(value_error, simulated::copy(queue.handle(), memory + 1, other, length));
  CHECK_THROWS(value_error, simulated::copy(queue.handle(), memory + length, host.data(), 1));
  CHECK_THROWS(value_error, simulated::peek(memory, host.data(), all));
  CHECK_THROWS(value_error, simulated::peek(host.data(), host.data(), 1));
  CHECK(queue.pending() == 0);
  fill(queue, memory + length, 1, 0);
  fill(queue, nullptr, 1, 0);
  simulated::copy(queue.handle(), nullptr, nullptr, 0);
  simulated::peek(nullptr, nullptr, 0);
  fill(queue, memory + 900, 1, 100);
  platform().synchronize(queue.handle());
  CHECK(holds(memory, poison, 900));
  CHECK(holds(memory + 900, 1, 100));
  simulated::deallocate_memory(memory);
  simulated::deallocate_memory(other);
}

void copies_cross_the_border_of_the_host() {
  const device where;
  const stream queue{where};
  const numbers array{where};
  std::array<float, numbers::count> sent{};
  std::array<float, numbers::count> received{};
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<float>(i);
  platform().copy(queue.handle(), {array.memory()}, {sent.data()}, numbers::bytes);
  platform().copy(queue.handle(), {received.data()}, {array.memory()}, numbers::bytes);
  platform().synchronize(queue.handle());
  CHECK(received == sent);

  received.fill(0);
  array.fill(queue, 5);
  platform().synchronize(queue.handle());
  platform().copy(nullptr, {received.data()}, {array.memory()},
                  numbers::bytes);  // no stream: at once
  CHECK(received.front() == 5 && received.back() == 5);
}

void a_pattern_of_any_length_is_repeated() {
  const device where;
  const stream queue{where};
  auto* const memory = static_cast<std::byte*>(allocate(where));
  simulated::fill(queue.handle(), memory, "abc", 3, 333);
  platform().synchronize(queue.handle());
  std::vector<char> now(length);
  simulated::peek(memory, now.data(), length);
  for (std::size_t i = 0; i < 999; ++i) CHECK(now[i] == "abc"[i % 3]);
  CHECK(static_cast<unsigned char>(now[999]) == poison);
  simulated::deallocate_memory(memory);
}

void ownership_is_by_address() {
  const device where;
  auto* const memory = static_cast<std::byte*>(allocate(where));
  CHECK(platform().owns(memory));
  CHECK(platform().owns(memory + length - 1));
  CHECK(!platform().owns(&where));
  CHECK(!platform().owns(nullptr));
  const DLDevice device{kDLExtDev, where.id};
  CHECK(platform().memory_kind(device, memory, nullptr) == ANYSTREAM_MEMORY_DEVICE);
  CHECK(platform().memory_kind(device, &where, nullptr) == ANYSTREAM_MEMORY_UNKNOWN);
  CHECK_THROWS(value_error, simulated::deallocate_memory(memory + 1));
  CHECK_THROWS(value_error, simulated::deallocate_memory(nullptr));
  simulated::deallocate_memory(memory);
}

void memory_is_of_a_device() {
  CHECK_THROWS(value_error, simulated::allocate_memory(-1, 1));
  CHECK_THROWS(value_error, simulated::allocate_memory(1 << 30, 1));
  const device where;
  void* const nothing = allocate(where, 0);
  void* const also_nothing = allocate(where, 0);
  CHECK(nothing != nullptr && nothing != also_nothing);
  simulated::deallocate_memory(nothing);
  simulated::deallocate_memory(also_nothing);
}

}  // namespace

int main() {
  new_memory_is_poison();
  freed_memory_is_debris();
  a_read_after_free_shows_in_values();
  a_write_after_free_shows_in_the_debris();
  the_quarantine_is_bounded();
  operations_keep_within_an_allocation();
  copies_cross_the_border_of_the_host();
  a_pattern_of_any_length_is_repeated();
  ownership_is_by_address();
  memory_is_of_a_device();
  return check::result();
}
