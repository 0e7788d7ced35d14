// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A bench to try the way back on: a producer's memory, a consumer that reads it on a held stream,
// and owners that free as libraries do: at once, or in the order of the producer's stream.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>

#include <anystream/anystream.hpp>
#include <anystream/testing.hpp>

#include "check.hpp"

namespace way_back_rig {

using anystream::array;
using anystream::testing::simulated_device;
using anystream::testing::simulated_stream;

constexpr std::size_t count = 64;
constexpr std::array<std::int64_t, 1> shape = {count};
constexpr anystream::dtype f32(kDLFloat, 32);
constexpr float written = 42.0F;
constexpr float reused = -1.0F;

using block = std::array<float, count>;

enum class freeing { at_once, in_order };

// Memory of a library of its own; what it does when it gets it back is what is tried.
class library_memory {
 public:
  library_memory(const simulated_device& place, const simulated_stream& home, freeing how)
      : home_(home), how_(how) {
    const auto bytes = count * sizeof(float);
    anystream::check(
        anystream::api().simulated->allocate(place.device().dlpack().device_id, bytes, &memory_));
    home.fill(memory_, written, count);
  }
  library_memory(const library_memory&) = delete;
  library_memory& operator=(const library_memory&) = delete;

  // Must outlive the array's memory.
  array wrap(const simulated_device& place) {
    std::array<std::int64_t, 1> extents = shape;
    const DLTensor tensor = {
        memory_, place.device().dlpack(), 1, f32.dlpack(), extents.data(), nullptr, 0};
    const auto give_back = [](void* self) { static_cast<library_memory*>(self)->free(); };
    return array::wrap(tensor, 0, {this, give_back}, "simulated");
  }

  void* data() const { return memory_; }
  int releases() const { return releases_; }
  float now() const {
    float value = 0;
    anystream::check(anystream::api().simulated->peek(memory_, &value, sizeof value));
    return value;
  }

 private:
  // In order: the next user of the memory is queued, as by an allocator that knows the stream.
  void free() {
    ++releases_;
    if (how_ == freeing::in_order) return home_.fill(memory_, reused, count);
    anystream::check(anystream::api().simulated->deallocate(memory_));
  }

  const simulated_stream& home_;
  freeing how_;
  void* memory_ = nullptr;
  std::atomic<int> releases_{0};
};

// A producer whose work is done, and a consumer that is held with its reading pending.
struct scene {
  explicit scene(freeing how, bool home_in_order = true)
      : home(place.make_stream("home", home_in_order)), memory(place, home, how) {
    home.stream().synchronize();
  }
  ~scene() {
    try {
      finish();
    } catch (const std::exception& error) {
      check::that(false, error.what());
    }
  }
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  array make(anystream::release policy, bool frees_in_order) {
    array made = memory.wrap(place);
    made.set_stream(home);
    made.set_way_back(home, policy, frees_in_order);
    return made;
  }
  void read_later() {
    consumer.hold();
    consumer.copy(seen.data(), memory.data(), sizeof seen);
  }
  // What the consumer has read, once it is let go on.
  float read() {
    consumer.resume();
    consumer.stream().synchronize();
    return seen[count - 1];
  }

  // What is still to be read is read into `seen`.
  void finish() const {
    for (const simulated_stream* stream : {&consumer, &home}) {
      stream->resume();
      stream->stream().synchronize();
    }
    anystream::releases::flush();
  }

  simulated_device place;
  simulated_stream home;
  simulated_stream consumer = place.make_stream("consumer");
  library_memory memory;
  block seen{};
};

}  // namespace way_back_rig
