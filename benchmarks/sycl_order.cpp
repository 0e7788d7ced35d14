// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What it costs to order two SYCL queues from C++, against dpctl's own two calls.
//
// cmake --build build/… --target sycl_order_cost; run it as ctest runs the sycl_ tests, with
// ANYSTREAM_DPCTL_LIBRARY and OCL_ICD_FILENAMES set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include <anystream/anystream.hpp>

#include "sycl_lab.hpp"

namespace {

using clock = std::chrono::steady_clock;
using sycl_lab::command;
using sycl_lab::context;
using sycl_lab::order;
using sycl_lab::queue;
using nanoseconds = std::chrono::duration<double, std::nano>;

anystream::stream stream_of(const queue& queue) {
  const anystream::device first{anystream::device_type::one_api, 0};
  return anystream::stream::from_handle(first, reinterpret_cast<std::uintptr_t>(queue.get()))
      .with_policy(anystream::out_of_order::barrier);
}

void print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-52s %9.0f %9.0f %9.0f\n", what, at(0), at(0.5), at(0.9));
}

// `settle` is not timed: pending barriers would pile up.
void measure(const char* what, int rounds, int calls, const std::function<void()>& action,
             const std::function<void()>& settle) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    settle();
    const auto before = clock::now();
    for (int call = 0; call < calls; ++call) action();
    times.push_back(nanoseconds(clock::now() - before).count() / calls);
  }
  settle();
  print(what, std::move(times));
}

void order_by_hand(const queue& producer, const queue& consumer) {
  const auto& sycl = sycl_lab::sycl();
  const command end(sycl.DPCTLQueue_SubmitBarrier(producer.get()));
  const sycl_lab::handle event = end.get();
  const command begin(sycl.DPCTLQueue_SubmitBarrierForEvents(consumer.get(), &event, 1));
}

void measure_pair(const char* what, const queue& producer, const queue& consumer) {
  const anystream::stream from = stream_of(producer), to = stream_of(consumer);
  const auto settle = [&] {
    producer.wait();
    consumer.wait();
  };
  std::printf("%s\n", what);
  measure("  anystream::order", 200, 20, [&] { to.wait(from); }, settle);
  measure("  dpctl's two calls", 200, 20, [&] { order_by_hand(producer, consumer); }, settle);
}

void measure_with_work_pending(const queue& producer, const queue& consumer) {
  const anystream::stream from = stream_of(producer), to = stream_of(consumer);
  const sycl_lab::memory data(producer, sycl_lab::slow_writer::width);
  const sycl_lab::slow_writer writer(producer);
  const auto turns = writer.turns_of(producer, data.get(), std::chrono::milliseconds(20));
  std::vector<double> ours, theirs;
  for (int round = 0; round < 20; ++round) {
    for (auto* times : {&ours, &theirs}) {
      const command work = writer.start(producer, data.get(), 42, turns);
      const auto before = clock::now();
      times == &ours ? static_cast<void>(to.wait(from)) : order_by_hand(producer, consumer);
      times->push_back(nanoseconds(clock::now() - before).count());
      producer.wait();
      consumer.wait();
    }
  }
  std::puts("two in-order queues, a kernel just started");
  print("  anystream::order", ours);
  print("  dpctl's two calls", theirs);
}

}  // namespace

int main() {
  const queue one(order::in), other(order::in), out_of_order(order::out_of),
      elsewhere(order::in, context::of_its_own);
  const anystream::stream a = stream_of(one), b = stream_of(one);
  const auto nothing = [] {};
  std::printf("%-52s %9s %9s %9s\n", "nanoseconds a call", "least", "median", "p90");
  measure(
      "one in-order queue, by two streams: nothing to do", 50, 10000, [&] { b.wait(a); }, nothing);
  measure(
      "making a stream of a queue, and letting it go", 50, 1000, [&] { stream_of(one); }, nothing);
  measure_pair("two in-order queues", one, other);
  measure_pair("in-order to out-of-order", one, out_of_order);
  measure_pair("in-order to in-order in another context", one, elsewhere);
  measure_with_work_pending(one, other);
}
