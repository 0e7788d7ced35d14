// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The main job, from C++: an array with work pending on one held stream is handed to another.
#include <array>
#include <atomic>
#include <cstdint>

#include <anystream/anystream.hpp>
#include <anystream/testing.hpp>

#include "check.hpp"
#include "no_python.hpp"

namespace {

using anystream::array;
using anystream::ordered;
using anystream::testing::simulated_device;
using anystream::testing::simulated_stream;

constexpr std::size_t count = 64;
constexpr std::array<std::int64_t, 1> shape = {count};
constexpr anystream::dtype f32(kDLFloat, 32);

using block = std::array<float, count>;

// Queues reading the array into `out`, on the consumer's stream.
void read(const simulated_stream& consumer, const array& a, block& out) {
  consumer.copy(out.data(), a.data(), sizeof out);
}

void without_an_order_the_reader_sees_poison() {
  const simulated_device place;
  const auto producer = place.make_stream("producer");
  const auto consumer = place.make_stream("consumer");
  const array a = place.empty(shape, f32, producer);
  producer.hold();
  producer.fill(a.data(), 42.0F, count);
  block out{};
  read(consumer, a, out);
  consumer.stream().synchronize();
  CHECK(out[0] != 42.0F && out[count - 1] != 42.0F);
  producer.resume();
}

// Each way to order; in each the reader does not run before the producer is released.
template <class Order>
void the_reader_waits(bool producer_in_order, bool consumer_in_order, Order order) {
  const simulated_device place;
  const auto producer = place.make_stream("producer", producer_in_order);
  const auto consumer = place.make_stream("consumer", consumer_in_order);
  const array a = place.empty(shape, f32, producer);
  producer.hold();
  producer.fill(a.data(), 42.0F, count);
  order(a, consumer.stream().with_policy(anystream::out_of_order::barrier));
  CHECK(!a.stream().idle());  // the call has returned, and the host was not blocked
  block out{};
  read(consumer, a, out);
  CHECK(consumer.pending() > 0 && out[0] == 0.0F);
  producer.resume();
  consumer.stream().synchronize();
  CHECK(out[0] == 42.0F && out[count - 1] == 42.0F);
}

void every_way_and_every_kind_of_queue() {
  for (const bool producer : {true, false}) {
    for (const bool consumer : {true, false}) {
      the_reader_waits(producer, consumer, [](const array& a, const anystream::stream& s) {
        CHECK(s.wait(a.stream()) == ordered::event);
      });
      the_reader_waits(producer, consumer, [](const array& a, const anystream::stream& s) {
        CHECK(anystream::order({.producer = a.stream(), .consumer = s}) == ordered::event);
      });
      the_reader_waits(producer, consumer, [](const array& a, const anystream::stream& s) {
        s.wait(a.stream().record());
      });
    }
  }
}

void one_stream_needs_nothing() {
  const simulated_device place;
  const auto in_order = place.make_stream();
  const anystream::stream again(in_order.stream());
  CHECK(again.wait(in_order) == ordered::nothing);
  const auto queue = place.make_stream("queue", false);
  CHECK_MESSAGE(anystream::value_error,
                "order(consumer=…): the stream that will use the array must be in-order; got an "
                "out-of-order queue on " +
                    to_string(place.device()) +
                    ".\n  Make the queue in-order, or have a barrier put into it: "
                    "anystream.Stream(q, out_of_order=\"barrier\").",
                queue.stream().wait(queue));
  const auto allowed = queue.stream().with_policy(anystream::out_of_order::barrier);
  CHECK(allowed.wait(queue) == ordered::barrier);
}

void events_can_be_asked_and_outlive_their_stream() {
  const simulated_device place;
  std::atomic<bool> ran = false;
  const auto make = [&] {
    const auto stream = place.make_stream();
    stream.hold();
    stream.call([&] { ran = true; });
    anystream::event made = stream.stream().record();
    CHECK(!made.complete() && made.device() == place.device());
    stream.resume();
    return made;
  };
  const anystream::event event = make();
  event.synchronize();
  CHECK(event.complete() && ran);
}

void a_stream_of_another_platform_is_refused() {
  const simulated_device place;
  const auto stream = place.make_stream();
  array a = place.empty(shape, f32, stream);
  const auto cuda = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  CHECK_MESSAGE(anystream::type_error,
                "a stream of cuda:0 cannot carry the work of a simulated kDLExtDev array.",
                a.set_stream(cuda));
  a.set_stream({});
  CHECK(!a.stream());
}

void an_array_knows_its_platform_by_its_pointer() {
  const simulated_device place;
  const auto stream = place.make_stream();
  const array a = place.empty(shape, f32, stream);
  const array b = anystream::import_dlpack(anystream::export_dlpack(a));
  CHECK(b.platform() == "simulated" && !b.stream());
  CHECK(b.memory_kind() == anystream::memory_kind::device);
  CHECK_MESSAGE(anystream::exchange_error,
                "a view for the host needs memory that the host may read; got a simulated "
                "kDLExtDev array in device memory.\n  Copy it to the host, or allocate it as host "
                "or shared memory.",
                b.host_view());
}

}  // namespace

int main() {
  without_an_order_the_reader_sees_poison();
  every_way_and_every_kind_of_queue();
  one_stream_needs_nothing();
  events_can_be_asked_and_outlive_their_stream();
  a_stream_of_another_platform_is_refused();
  an_array_knows_its_platform_by_its_pointer();
  CHECK(no_python_is_loaded());
  return check::result();
}
