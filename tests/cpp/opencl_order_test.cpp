// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Order between real OpenCL queues, as a C++ program without Python and without a loader gets it.
//
// The producer's queue is held by a gate that the test opens: each case first shows that a reader
// does not wait by itself, and then that it does once it was ordered, while the host does not.
#include <anystream/anystream.hpp>

#include "check.hpp"
#include "no_python.hpp"
#include "opencl_lab.hpp"

namespace {

using anystream::ordered;
using opencl_lab::buffer;
using opencl_lab::context;
using opencl_lab::event;
using opencl_lab::gate;
using opencl_lab::queue;

constexpr std::size_t width = 1024;
constexpr std::chrono::milliseconds a_while{20};

anystream::stream stream_of(const queue& queue) {
  const anystream::device any{anystream::device_type::opencl, 0};
  return anystream::stream::from_handle(any, reinterpret_cast<std::uintptr_t>(queue.get()));
}

anystream::stream consumer_of(const queue& queue) {
  return stream_of(queue).with_policy(anystream::out_of_order::barrier);
}

bool all(const std::vector<int>& values, int wanted) {
  for (const int value : values)
    if (value != wanted) return false;
  return true;
}

void two_queues(const context& in, bool producer_in_order, bool reader_in_order) {
  const queue producer(in, producer_in_order), reader(in, reader_in_order);
  const buffer data(in, width * sizeof(int));
  const std::vector<int> before(width, 1), after(width, 42);
  for (const bool is_ordered : {false, true}) {
    opencl_lab::write(producer, data, before);
    producer.finish();
    std::vector<int> seen(width);
    gate held(in, producer);
    opencl_lab::write(producer, data, after);
    if (is_ordered) {
      CHECK(consumer_of(reader).wait(stream_of(producer)) == ordered::event);
    }
    const event end(opencl_lab::read(reader, data, seen));
    if (!is_ordered) {
      CHECK(end.completes() && all(seen, 1));
    } else {
      CHECK(!end.completes(a_while));
    }
    held.open();
    CHECK(end.completes() && all(seen, is_ordered ? 42 : 1));
  }
}

// Chains, fans: a marker behind each ordered queue tells when its work may begin.
void three_queues(const context& in) {
  const queue first(in), second(in), third(in);
  {
    gate held(in, first);
    stream_of(second).wait(stream_of(first));
    stream_of(third).wait(stream_of(second));
    const event end(opencl_lab::mark(third));
    CHECK(!end.completes(a_while));
    held.open();
    CHECK(end.completes());
  }
  {
    gate a(in, first), b(in, second);
    stream_of(third).wait(stream_of(first));
    stream_of(third).wait(stream_of(second));
    const event end(opencl_lab::mark(third));
    a.open();
    CHECK(!end.completes(a_while));
    b.open();
    CHECK(end.completes());
  }
  gate held(in, first);
  stream_of(second).wait(stream_of(first));
  stream_of(third).wait(stream_of(first));
  const event one(opencl_lab::mark(second)), other(opencl_lab::mark(third));
  CHECK(!one.completes(a_while) && !other.completes(a_while));
  held.open();
  CHECK(one.completes() && other.completes());
}

void two_contexts(const context& from, const context& to, bool in_order) {
  const queue producer(from), consumer(to, in_order);
  gate held(from, producer);
  CHECK(consumer_of(consumer).wait(stream_of(producer)) == ordered::event);
  const event end(opencl_lab::mark(consumer));
  CHECK(!end.completes(a_while));
  held.open();
  CHECK(end.completes());
}

void one_queue(const context& in) {
  const queue in_order(in), out_of_order(in, false);
  CHECK(stream_of(in_order).wait(stream_of(in_order)) == ordered::nothing);
  CHECK(consumer_of(out_of_order).wait(stream_of(out_of_order)) == ordered::barrier);
  CHECK(stream_of(in_order).in_order() && !stream_of(out_of_order).in_order());
  CHECK_THROWS(anystream::value_error, stream_of(out_of_order).wait(stream_of(in_order)));
}

void events_are_asked_without_a_wait(const context& in) {
  const queue on(in);
  const anystream::stream stream = stream_of(on);
  stream.synchronize();
  CHECK(stream.idle());
  gate held(in, on);
  const anystream::event end = stream.record();
  CHECK(!end.complete() && !stream.idle());
  held.open();
  end.synchronize();
  CHECK(end.complete());
}

// A driver may hold on to a queue for a moment after its last event has ended.
bool is_only_ours(const queue& asked) {
  for (int i = 0; i < 5000 && asked.references() != 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return asked.references() == 1;
}

void nothing_is_left_behind(const context& in, const context& other) {
  const queue producer(in), reader(in), abroad(other);
  for (int i = 0; i < 10; ++i) {
    stream_of(reader).wait(stream_of(producer));
    stream_of(abroad).wait(stream_of(producer));
  }
  producer.finish();
  reader.finish();
  abroad.finish();
  CHECK(is_only_ours(producer) && is_only_ours(reader) && is_only_ours(abroad));
}

void on(opencl_lab::handle device) {
  const context in(device), other(device);
  for (const bool producer : {true, false}) {
    for (const bool reader : {true, false}) two_queues(in, producer, reader);
    two_contexts(in, other, producer);
  }
  three_queues(in);
  one_queue(in);
  events_are_asked_without_a_wait(in);
  nothing_is_left_behind(in, other);
}

}  // namespace

int main() {
  std::vector<opencl_lab::handle> devices;
  for (const char* driver : {"ANYSTREAM_TEST_POCL", "ANYSTREAM_TEST_INTEL_OPENCL"}) {
    if (const auto device = opencl_lab::device_of(driver)) devices.push_back(device);
  }
  if (devices.empty()) return check::skip("no OpenCL driver was found");
  for (const auto device : devices) on(device);
  if (devices.size() == 2) {
    const context one(devices[0]), other(devices[1]);
    two_contexts(one, other, true);
    two_contexts(other, one, true);
    const queue first(one), second(other);
    CHECK(stream_of(first).device().id != stream_of(second).device().id);
  }
  std::printf("%zu OpenCL driver(s)\n", devices.size());
  return check::result();
}
