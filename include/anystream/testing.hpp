// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator: proves in a test, without hardware and without timing, that work is
// ordered.
//
// Its streams are worker threads that can be held and released. New memory reads 0xA5, freed memory
// 0xDD, until an operation wrote it: a reader that does not wait reads what no one wrote. Its
// arrays are on kDLExtDev, platform "simulated". All functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <anystream/api.hpp>
#include <anystream/array.hpp>
#include <anystream/stream.hpp>

namespace anystream::testing {

// One stream of a simulated device. Also an anystream::stream, wherever one is asked for.
class simulated_stream {
 public:
  // Takes the reference to the simulation's handle.
  explicit simulated_stream(void* taken)
      : raw_(taken, api().simulated->stream_release), stream_(wrap(taken)) {}

  // NOLINTNEXTLINE(misc-explicit-constructor): wherever a stream is asked for, this one will do
  operator stream_view() const noexcept { return stream_; }
  const anystream::stream& stream() const noexcept { return stream_; }
  std::string name() const { return api().simulated->stream_name(raw_.get()); }

  // Nothing further is started between hold and resume.
  void hold() const { check(api().simulated->stream_hold(raw_.get())); }
  void resume() const { check(api().simulated->stream_resume(raw_.get())); }

  // Operations that are queued or running.
  std::uint64_t pending() const {
    std::uint64_t operations = 0;
    check(api().simulated->stream_pending(raw_.get(), &operations));
    return operations;
  }

  // Queues writing `count` values.
  template <class Value>
  void fill(void* memory, Value value, std::size_t count) const {
    check(api().simulated->fill(raw_.get(), memory, &value, sizeof value, count));
  }

  // Queues a copy; either side may be host memory that lives until then.
  void copy(void* target, const void* source, std::size_t bytes) const {
    check(api().simulated->copy(raw_.get(), target, source, bytes));
  }

  // Queues a function, which runs on the stream's thread and must not throw.
  void call(std::function<void()> function) const {
    auto context = std::make_unique<std::function<void()>>(std::move(function));
    check(api().simulated->call(raw_.get(), run, context.release(), drop));
  }

 private:
  static anystream::stream wrap(void* handle) {
    anystream_stream* made = nullptr;
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    check(api().stream_of_platform("simulated", number, {}, &made));
    return anystream::stream(made);
  }
  static void run(void* context) { (*static_cast<std::function<void()>*>(context))(); }
  static void drop(void* context) { delete static_cast<std::function<void()>*>(context); }

  std::shared_ptr<void> raw_;
  anystream::stream stream_;
};

// A new device. Each operation of its streams is preceded by a delay of up to max_delay_us
// microseconds, drawn from the seed.
class simulated_device {
 public:
  explicit simulated_device(std::uint64_t seed = 0, std::uint32_t max_delay_us = 0) {
    check(api().simulated->device_create(seed, max_delay_us, &id_));
  }

  anystream::device device() const noexcept { return {device_type::ext_dev, id_}; }

  simulated_stream make_stream(const char* name = "", bool in_order = true) const {
    void* made = nullptr;
    check(api().simulated->stream_create(id_, name, in_order ? 1 : 0, &made));
    return simulated_stream(made);
  }

  // New row-major memory, poisoned, whose work is on `on`.
  array empty(extents shape, dtype type, stream_view on) const {
    return array::empty(device(), shape, type, on, "simulated");
  }

 private:
  std::int32_t id_ = 0;
};

}  // namespace anystream::testing
