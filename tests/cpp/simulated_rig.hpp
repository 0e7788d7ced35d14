// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A bench to try the simulated accelerator on: its devices, streams, events and memory as objects.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <utility>

#include "backend.hpp"
#include "backends/backends.hpp"
#include "backends/simulated.hpp"

namespace simulated_rig {

namespace core = anystream::core;

inline core::backend& platform() { return core::simulated_backend(); }

struct device {
  explicit device(std::uint64_t seed = 0, std::uint32_t max_delay_us = 0)
      : id{core::simulated::create_device(seed, max_delay_us)} {}

  struct existing {};
  device(std::int32_t made, existing) : id{made} {}

  const std::int32_t id;
};

class stream {
 public:
  explicit stream(const device& where, bool in_order = true, const char* name = nullptr)
      : handle_{core::simulated::create_stream(where.id, name, in_order)} {}
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { core::simulated::release_stream(handle_); }

  core::stream_handle handle() const { return handle_; }
  void hold() const { core::simulated::hold_stream(handle_); }
  void resume() const { core::simulated::resume_stream(handle_); }
  std::uint64_t pending() const { return core::simulated::pending_operations(handle_); }

  void call(std::function<void()> function) const {
    core::simulated::call(
        handle_, [](void* context) { (*static_cast<std::function<void()>*>(context))(); },
        new std::function<void()>{std::move(function)},
        [](void* context) { delete static_cast<std::function<void()>*>(context); });
  }

 private:
  core::stream_handle handle_;
};

class event {
 public:
  explicit event(const stream& on) : handle_{platform().record(on.handle())} {}
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { platform().destroy_event(handle_); }

  bool complete() const { return platform().complete(handle_); }
  void synchronize() const { platform().synchronize_event(handle_); }
  bool hold_back(const stream& consumer) const {
    return platform().wait(consumer.handle(), handle_);
  }

 private:
  core::event_handle handle_;
};

// 256 floats on a device.
class numbers {
 public:
  static constexpr std::size_t count = 256;
  static constexpr std::size_t bytes = count * sizeof(float);

  static float poison() { return std::bit_cast<float>(0xA5A5A5A5u); }

  explicit numbers(const device& where)
      : memory_{core::simulated::allocate_memory(where.id, bytes)} {}
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { core::simulated::deallocate_memory(memory_); }

  void* memory() const { return memory_; }
  void fill(const stream& queue, float value) const {
    core::simulated::fill(queue.handle(), memory_, &value, sizeof value, count);
  }
  void copy_from(const stream& queue, const numbers& source) const {
    core::simulated::copy(queue.handle(), memory_, source.memory_, bytes);
  }

  // What the memory holds now, in order with nothing.
  std::array<float, count> peek() const {
    std::array<float, count> now{};
    core::simulated::peek(memory_, now.data(), bytes);
    return now;
  }
  float first() const { return peek().front(); }
  bool all(float value) const {
    const auto now = peek();
    const auto wanted = std::bit_cast<std::uint32_t>(value);
    return std::ranges::all_of(
        now, [&](float held) { return std::bit_cast<std::uint32_t>(held) == wanted; });
  }
  bool is_poison() const { return all(poison()); }

 private:
  void* memory_;
};

// An operation that runs for as long as a test wants it to.
class gate {
 public:
  void close_on(const stream& queue) {
    queue.call([this] {
      entered_.count_down();
      open_.wait();
      left_.count_down();
    });
  }
  void entered() { entered_.wait(); }  // until it runs
  void open() { open_.count_down(); }
  void left() { left_.wait(); }  // until it is about to end

 private:
  std::latch entered_{1};
  std::latch open_{1};
  std::latch left_{1};
};

}  // namespace simulated_rig
