// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of the simulated accelerator: holding, order, overtaking, barriers, events, delays.
#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <anystream/error.hpp>

#include "backends/simulated_stream.hpp"
#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using simulated_rig::device;
using simulated_rig::numbers;
using simulated_rig::platform;
using simulated_rig::stream;

void held_stream_starts_nothing() {
  const device where;
  const stream queue{where};
  const numbers array{where};
  queue.hold();
  array.fill(queue, 1);
  array.fill(queue, 2);
  CHECK(queue.pending() == 2);
  CHECK(!platform().idle(queue.handle()));
  CHECK(array.is_poison());
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK(queue.pending() == 0);
  CHECK(platform().idle(queue.handle()));
  CHECK(array.all(2));
}

// What runs when the stream is held ends; what comes after it does not start.
void holding_lets_the_running_operation_end() {
  const device where;
  const stream queue{where};
  const numbers array{where};
  simulated_rig::gate gate;
  gate.close_on(queue);
  gate.entered();
  CHECK(queue.pending() == 1);
  queue.hold();
  array.fill(queue, 1);
  gate.open();
  gate.left();
  CHECK(array.is_poison());
  CHECK(queue.pending() >= 1);
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK(array.all(1));
}

void in_order_runs_first_in_first_out() {
  const device where;
  const stream queue{where};
  std::vector<int> order;
  queue.hold();
  for (int i = 0; i < 100; ++i) queue.call([&order, i] { order.push_back(i); });
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

// The producer's fill and its reader on one and the same queue.
float read_on_one_queue(bool in_order, bool with_barrier) {
  const device where;
  const stream queue{where, in_order};
  const numbers source{where};
  const numbers target{where};
  queue.hold();
  source.fill(queue, 42);
  if (with_barrier) CHECK(platform().barrier(queue.handle()));
  target.copy_from(queue, source);
  queue.resume();
  platform().synchronize(queue.handle());
  return target.first();
}

void out_of_order_overtakes_unless_a_barrier_is_between() {
  for (int i = 0; i < 200; ++i) {
    CHECK(read_on_one_queue(false, false) == numbers::poison());
    CHECK(read_on_one_queue(false, true) == 42);
    CHECK(read_on_one_queue(true, false) == 42);
  }
}

// A barrier covers all earlier work, and holds all later work back.
void barrier_splits_an_out_of_order_queue() {
  const device where;
  const stream queue{where, false};
  std::vector<int> order;
  queue.hold();
  for (int i = 0; i < 3; ++i) queue.call([&order, i] { order.push_back(i); });
  CHECK(platform().barrier(queue.handle()));
  for (int i = 3; i < 6; ++i) queue.call([&order, i] { order.push_back(i); });
  queue.resume();
  platform().synchronize(queue.handle());
  CHECK((order == std::vector<int>{2, 1, 0, 5, 4, 3}));
}

// An event covers earlier work on an out-of-order queue; later work may overtake it.
void record_covers_earlier_work() {
  const device where;
  const stream queue{where, false};
  const simulated_rig::event before{queue};
  queue.hold();
  std::vector<int> order;
  queue.call([&order] { order.push_back(0); });
  queue.call([&order] { order.push_back(1); });
  const simulated_rig::event recorded{queue};
  queue.call([&order] { order.push_back(2); });
  CHECK(!recorded.complete());
  queue.resume();
  recorded.synchronize();
  CHECK(recorded.complete());
  CHECK((order == std::vector<int>{2, 1, 0}));
}

void events_order_streams(bool producer_in_order, bool consumer_in_order, bool one_device) {
  const device here;
  const device there;
  const stream producer{here, producer_in_order};
  const stream consumer{one_device ? here : there, consumer_in_order};
  const numbers source{here};
  const numbers target{one_device ? here : there};
  producer.hold();
  source.fill(producer, 7);
  target.copy_from(consumer, source);  // as without ordering
  platform().synchronize(consumer.handle());
  CHECK(target.is_poison());

  const simulated_rig::event produced{producer};
  CHECK(produced.hold_back(consumer));
  target.copy_from(consumer, source);
  CHECK(consumer.pending() == 2);
  CHECK(!produced.complete());
  CHECK(target.is_poison());
  producer.resume();
  platform().synchronize(consumer.handle());
  CHECK(produced.complete());
  CHECK(target.all(7));
}

void events_order_all_kinds_of_streams() {
  for (const bool producer_in_order : {true, false}) {
    for (const bool consumer_in_order : {true, false}) {
      for (const bool one_device : {true, false}) {
        events_order_streams(producer_in_order, consumer_in_order, one_device);
      }
    }
  }
}

void an_event_outlives_its_stream() {
  const device where;
  auto queue = std::make_unique<stream>(where);
  queue->hold();
  queue->call([] {});
  const simulated_rig::event recorded{*queue};
  queue.reset();  // lifts the hold: what is pending still runs
  recorded.synchronize();
  CHECK(recorded.complete());
}

// Waiting on a held stream lasts until it is resumed, and holds no lock meanwhile.
void waits_last_until_the_stream_is_resumed() {
  for (int i = 0; i < 100; ++i) {
    const device where;
    const stream queue{where};
    queue.hold();
    queue.call([] {});
    const simulated_rig::event recorded{queue};
    std::atomic<bool> resumed = false;
    std::thread for_event{[&] {
      recorded.synchronize();
      CHECK(resumed);
    }};
    std::thread for_stream{[&] {
      platform().synchronize(queue.handle());
      CHECK(resumed);
    }};
    CHECK(queue.pending() == 2);
    CHECK(!recorded.complete());
    resumed = true;
    queue.resume();
    for_event.join();
    for_stream.join();
  }
}

// It waits for what was queued before the call, not for what comes later: here, always more.
void synchronize_is_not_held_up_by_later_work() {
  const device where;
  const stream queue{where};
  std::atomic<bool> stop = false;
  std::latch stopped{1};
  std::function<void()> again = [&] {
    if (stop) return stopped.count_down();
    queue.call(again);
  };
  queue.call(again);
  platform().synchronize(queue.handle());
  CHECK(queue.pending() > 0);
  stop = true;
  stopped.wait();
  platform().synchronize(queue.handle());
}

// What an operation kept alive is let go of before anyone is told that it has ended.
void nothing_of_an_operation_is_left_when_it_has_ended() {
  const auto queue = simulated::stream::start({0, 0, "direct", true, 0, 0});
  for (int i = 0; i < 1000; ++i) {
    auto kept = std::make_shared<int>(i);
    const std::weak_ptr<int> seen = kept;
    queue->submit({.run = [kept = std::move(kept)] {}});
    queue->synchronize();
    CHECK(seen.expired());
  }
  queue->retire();
  CHECK_THROWS(anystream::value_error, queue->submit({}));
}

void delays_are_drawn_from_the_seed() {
  using simulated::delay_before;
  CHECK(delay_before(1, 0, 0, 0) == 0);
  int different = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(delay_before(1, 2, i, 100) == delay_before(1, 2, i, 100));
    CHECK(delay_before(1, 2, i, 100) <= 100);
    if (delay_before(1, 2, i, 100) != delay_before(2, 2, i, 100)) ++different;
    if (delay_before(1, 2, i, 100) != delay_before(1, 3, i, 100)) ++different;
  }
  CHECK(different > 1900);
}

void delays_change_no_result() {
  const device where{11, 200};
  const stream producer{where};
  const stream consumer{where, false};
  const numbers source{where};
  const numbers target{where};
  for (int i = 0; i < 20; ++i) {
    source.fill(producer, static_cast<float>(i));
    const simulated_rig::event produced{producer};
    CHECK(produced.hold_back(consumer));
    target.copy_from(consumer, source);
    platform().synchronize(consumer.handle());
    CHECK(target.all(static_cast<float>(i)));
  }
}

}  // namespace

int main() {
  held_stream_starts_nothing();
  holding_lets_the_running_operation_end();
  in_order_runs_first_in_first_out();
  out_of_order_overtakes_unless_a_barrier_is_between();
  barrier_splits_an_out_of_order_queue();
  record_covers_earlier_work();
  events_order_all_kinds_of_streams();
  an_event_outlives_its_stream();
  waits_last_until_the_stream_is_resumed();
  synchronize_is_not_held_up_by_later_work();
  nothing_of_an_operation_is_left_when_it_has_ended();
  delays_are_drawn_from_the_seed();
  delays_change_no_result();
  return check::result();
}
