// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Many threads on the simulated accelerator at once; meant to be run under ThreadSanitizer too.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using simulated_rig::device;
using simulated_rig::event;
using simulated_rig::numbers;
using simulated_rig::platform;
using simulated_rig::stream;

constexpr int thread_count = 8;
constexpr int rounds = 50;

template <class Function>
void in_threads(Function function) {
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(function, i);
  for (std::thread& thread : threads) thread.join();
}

// Each thread makes, uses and drops streams and memory of its own, on one device.
void threads_share_a_device() {
  const device where;
  in_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      const stream producer{where, (thread + i) % 2 == 0};
      const stream consumer{where};
      const numbers source{where};
      const numbers target{where};
      const auto value = static_cast<float>(thread * rounds + i);
      source.fill(producer, value);
      const event produced{producer};
      CHECK(produced.hold_back(consumer));
      target.copy_from(consumer, source);
      platform().synchronize(consumer.handle());
      CHECK(target.all(value));
    }
  });
}

// All threads submit to one stream, hold it, resume it, look at it and at its memory.
void threads_share_a_stream(bool in_order) {
  const device where;
  const stream queue{where, in_order};
  const numbers array{where};
  std::atomic<int> called = 0;
  in_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      queue.hold();
      array.fill(queue, static_cast<float>(thread));
      queue.call([&called] { ++called; });
      const event recorded{queue};
      (void)array.first();
      (void)platform().idle(queue.handle());
      simulated::retain_stream(queue.handle());
      simulated::release_stream(queue.handle());
      queue.resume();
      (void)recorded.complete();
    }
  });
  platform().synchronize(queue.handle());
  CHECK(called == thread_count * rounds);
  CHECK(queue.pending() == 0);
}

// One event of a held stream, waited for by the device and by the host, from everywhere.
void threads_share_an_event() {
  const device where;
  const stream producer{where};
  const numbers source{where};
  producer.hold();
  source.fill(producer, 1);
  const event produced{producer};
  std::atomic<int> right = 0;
  std::atomic<int> waiting = 0;
  std::thread resume{[&] {
    while (waiting < thread_count) std::this_thread::yield();
    producer.resume();
  }};
  in_threads([&](int thread) {
    const stream consumer{where, thread % 2 == 0};
    const numbers target{where};
    CHECK(produced.hold_back(consumer));
    target.copy_from(consumer, source);
    ++waiting;
    produced.synchronize();
    platform().synchronize(consumer.handle());
    if (target.all(1)) ++right;
  });
  resume.join();
  CHECK(right == thread_count);
}

// Memory is freed while others look at it and operations on it are pending.
void threads_free_what_is_in_use() {
  const device where;
  const stream queue{where};
  for (int i = 0; i < rounds; ++i) {
    auto array = std::make_unique<numbers>(where);
    const numbers target{where};
    array->fill(queue, 2);
    target.copy_from(queue, *array);
    std::thread reader{[memory = array->memory()] {
      float now = 0;
      simulated::peek(memory, &now, sizeof now);
    }};
    array.reset();
    platform().synchronize(queue.handle());
    reader.join();
    const float read = target.first();
    CHECK(read == 2 || read == std::bit_cast<float>(0xDDDDDDDDu));
  }
}

}  // namespace

int main() {
  threads_share_a_device();
  threads_share_a_stream(true);
  threads_share_a_stream(false);
  threads_share_an_event();
  threads_free_what_is_in_use();
  return check::result();
}
