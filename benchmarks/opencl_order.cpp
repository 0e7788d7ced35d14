// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What it costs to order two OpenCL queues from C++, against the bare calls that it takes.
//
// cmake --build build/… --target opencl_order_cost; run it as ctest runs the opencl_ tests, with
// ANYSTREAM_TEST_POCL and ANYSTREAM_TEST_INTEL_OPENCL set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include <anystream/anystream.hpp>

#include "opencl_lab.hpp"

namespace {

using clock = std::chrono::steady_clock;
using opencl_lab::call;
using opencl_lab::context;
using opencl_lab::handle;
using opencl_lab::queue;
using nanoseconds = std::chrono::duration<double, std::nano>;

constexpr int rounds = 400;
constexpr int calls = 20;
constexpr double at_most = 2.0;  // of the bare calls' time

anystream::stream stream_of(const queue& queue) {
  const anystream::device any{anystream::device_type::opencl, 0};
  return anystream::stream::from_handle(any, reinterpret_cast<std::uintptr_t>(queue.get()))
      .with_policy(anystream::out_of_order::barrier);
}

// Marker, flush, barrier with a wait list, and letting go of the marker.
void order_by_hand(const queue& producer, const queue& consumer) {
  handle marker = nullptr;
  opencl_lab::check(call<int>(producer.get(), 105, producer.get(), std::uint32_t{0},
                              static_cast<const handle*>(nullptr), &marker),
                    "clEnqueueMarkerWithWaitList");
  opencl_lab::check(call<int>(producer.get(), 46, producer.get()), "clFlush");
  opencl_lab::check(call<int>(consumer.get(), 106, consumer.get(), std::uint32_t{1},
                              static_cast<const handle*>(&marker), static_cast<handle*>(nullptr)),
                    "clEnqueueBarrierWithWaitList");
  opencl_lab::check(call<int>(marker, 44, marker), "clReleaseEvent");
}

double one_round(const std::function<void()>& action) {
  const auto before = clock::now();
  for (int i = 0; i < calls; ++i) action();
  return nanoseconds(clock::now() - before).count() / calls;
}

double print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("  %-50s %9.0f %9.0f %9.0f\n", what, at(0), at(0.5), at(0.9));
  return at(0.5);
}

// In turns, with the work of either done before the next; the producer is held, so that there is
// something to wait for in every call.
void measure(const context& in, const char* what, bool in_order, bool held) {
  const queue producer(in, in_order), consumer(in, in_order);
  const anystream::stream from = stream_of(producer), to = stream_of(consumer);
  const std::function<void()> ways[] = {[&] { to.wait(from); },
                                        [&] { order_by_hand(producer, consumer); }};
  std::vector<double> times[2];
  for (int round = 0; round < rounds; ++round) {
    for (int way = 0; way < 2; ++way) {
      if (held) {
        opencl_lab::gate gate(in, producer);
        times[way].push_back(one_round(ways[way]));
      } else {
        times[way].push_back(one_round(ways[way]));
      }
      producer.finish();
      consumer.finish();
    }
  }
  std::printf("%s\n", what);
  const double ours = print("anystream: stream::wait", times[0]);
  const double bare = print("bare: marker, flush, barrier, release", times[1]);
  const double ratio = ours / bare;
  std::printf("  %-50s %9.2f x   at most %.2f x   %s\n", "anystream over bare, medians", ratio,
              at_most, ratio <= at_most ? "reached" : "not reached");
}

}  // namespace

int main() {
  const char* const drivers[][2] = {{"ANYSTREAM_TEST_POCL", "PoCL"},
                                    {"ANYSTREAM_TEST_INTEL_OPENCL", "Intel's driver"}};
  std::printf("  %-50s %9s %9s %9s\n", "nanoseconds a call", "least", "median", "p90");
  for (const auto& [variable, name] : drivers) {
    const handle device = opencl_lab::device_of(variable);
    if (device == nullptr) {
      std::printf("  not measured: %s is not installed\n", name);
      continue;
    }
    const context in(device);
    std::printf("%s\n", name);
    measure(in, "two in-order queues, work pending", true, true);
    measure(in, "two out-of-order queues, work pending", false, true);
    measure(in, "two idle in-order queues", true, false);
  }
}
