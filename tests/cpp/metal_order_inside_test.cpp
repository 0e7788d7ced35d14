// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Metal: the messages that order one queue after another, and what the queues then do. Producers
// are held and let go by the test, so that no time is involved.
#include <atomic>
#include <thread>

#include "deferred.hpp"
#include "metal_rig.hpp"

namespace {

using namespace metal_rig;
using metal_double::commit_work;
using metal_double::hold;
using metal_double::let_go;
using metal_double::settle;

void one_queue_needs_no_message() {
  bench with;
  object* const queue = with.queue();
  const auto a = with.stream(queue), b = with.stream(queue);
  check_lines(calls_of([&] { CHECK(order(*a, *b) == ANYSTREAM_ORDERED_NOTHING); }), {});
}

void two_queues_need_one_signal_and_one_wait() {
  bench with;
  object* const first = with.queue();
  hold(first);
  const auto producer = with.stream(first), consumer = with.stream(with.queue());
  const auto orders = [&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); };
  check_lines(calls_of(orders),
              {"e1 = d1 newSharedEvent", "b1 = q1 commandBuffer", "b1 signal e1 1", "b1 commit",
               "b2 = q2 commandBuffer", "b2 wait e1 1", "b2 commit"});
  check_lines(calls_of(orders), {"b3 = q1 commandBuffer", "b3 signal e1 2", "b3 commit",
                                 "b4 = q2 commandBuffer", "b4 wait e1 2", "b4 commit"});
}

void what_has_ended_is_not_waited_for() {
  bench with;
  object* const first = with.queue();
  const auto producer = with.stream(first), consumer = with.stream(with.queue());
  const auto event = record_event(*producer);
  settle(first);
  check_lines(calls_of([&] { CHECK(wait_event(*consumer, *event) == ANYSTREAM_ORDERED_EVENT); }),
              {});
}

// The work of the consumer's that comes after the order runs after what the producer had then.
void check_order_of(object* first, object* second, const std::function<void()>& orders) {
  hold(first);
  commit_work(first, "write");
  orders();
  commit_work(second, "read");
  settle(second);
  check_lines(done(), {});
  let_go(first);
  settle(first);
  settle(second);
  check_lines(done(), {"write", "read"});
}

void a_consumer_waits_for_its_producer() {
  bench with;
  object *const first = with.queue(), *const second = with.queue();
  const auto producer = with.stream(first), consumer = with.stream(second);
  check_order_of(first, second, [&] { order(*producer, *consumer); });
}

// A shared event is one for all devices.
void two_devices_are_ordered_by_event() {
  bench with;
  object *const first = with.queue(0), *const second = with.queue(1);
  const auto producer = with.stream(first), consumer = with.stream(second);
  CHECK_EQUAL(producer->device.device_id, 0);
  CHECK_EQUAL(consumer->device.device_id, 1);
  CHECK(with.engine().orders_across(producer->device, consumer->device));
  check_order_of(first, second,
                 [&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); });
}

void a_chain_of_three() {
  bench with;
  object *const a = with.queue(), *const b = with.queue(), *const c = with.queue();
  const auto first = with.stream(a), second = with.stream(b), third = with.stream(c);
  hold(a);
  commit_work(a, "1");
  order(*first, *second);
  commit_work(b, "2");
  order(*second, *third);
  commit_work(c, "3");
  settle(c);
  check_lines(done(), {});
  let_go(a);
  for (object* each : {a, b, c}) settle(each);
  check_lines(done(), {"1", "2", "3"});
}

void fan_in() {
  bench with;
  object *const a = with.queue(), *const b = with.queue(), *const c = with.queue();
  const auto first = with.stream(a), second = with.stream(b), consumer = with.stream(c);
  for (object* each : {a, b}) hold(each);
  commit_work(a, "1");
  commit_work(b, "2");
  order(*first, *consumer);
  order(*second, *consumer);
  commit_work(c, "3");
  let_go(a);
  settle(a);
  settle(c);
  check_lines(done(), {"1"});
  let_go(b);
  settle(b);
  settle(c);
  check_lines(done(), {"1", "2", "3"});
}

void fan_out_has_one_event_and_a_value_each() {
  bench with;
  object* const first = with.queue();
  const auto producer = with.stream(first);
  const auto b = with.stream(with.queue()), c = with.stream(with.queue());
  hold(first);
  order(*producer, *b);
  check_lines(calls_of([&] { order(*producer, *c); }),
              {"b3 = q1 commandBuffer", "b3 signal e1 2", "b3 commit", "b4 = q3 commandBuffer",
               "b4 wait e1 2", "b4 commit"});
}

// All handles of one queue have the event of the queue, which goes with the last of them.
void an_event_is_the_queues_and_goes_with_its_last_stream() {
  bench with;
  object* const queue = with.queue();
  auto a = with.stream(queue), b = with.stream(queue);
  auto end = record_event(*a);
  with.stream(queue);  // one that goes takes nothing along
  check_lines(calls_of([&] { end = record_event(*b); }),
              {"b2 = q1 commandBuffer", "b2 signal e1 2", "b2 commit"});
  CHECK_EQUAL(queue->references, 3);
  a = {};
  b = {};
  CHECK_EQUAL(queue->references, 1);
  settle(queue);
  CHECK(with.engine().complete(end->handle));  // an event outlives its stream
  end.reset();
  a = with.stream(queue);
  check_lines(calls_of([&] { end = record_event(*a); }),
              {"e2 = d1 newSharedEvent", "b3 = q1 commandBuffer", "b3 signal e2 1", "b3 commit"});
}

void the_host_waits_for_a_queue() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  hold(queue);
  commit_work(queue, "write");
  CHECK(!is_idle(*stream));
  std::thread other([&] { let_go(queue); });
  CHECK(synchronize(*stream) != ANYSTREAM_ORDERED_NOTHING);
  other.join();
  check_lines(done(), {"write"});
}

void an_event_is_asked_without_waiting() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  hold(queue);
  const auto end = record_event(*stream);
  check_lines(calls_of([&] { CHECK(!with.engine().complete(end->handle)); }), {});
  let_go(queue);
  check_lines(calls_of([&] { synchronize_event(*end); }), {"b1 waitUntilCompleted"});
  CHECK(with.engine().complete(end->handle));
}

void a_barrier_holds_back_untracked_work_of_one_queue() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  hold(queue);
  check_lines(calls_of([&] { CHECK(with.engine().barrier(stream->handle)); }),
              {"e1 = d1 newSharedEvent", "b1 = q1 commandBuffer", "b1 signal e1 1", "b1 commit",
               "b2 = q1 commandBuffer", "b2 wait e1 1", "b2 commit"});
}

// What is not committed is not in the queue, and nobody can wait for it: libraries that hold such
// work are to commit it first.
void uncommitted_work_is_not_waited_for() {
  bench with;
  object *const first = with.queue(), *const second = with.queue();
  const auto producer = with.stream(first), consumer = with.stream(second);
  object* const encoded = with.mine(metal_double::encode(first, "write"));
  order(*producer, *consumer);
  commit_work(second, "read");
  settle(first);
  settle(second);
  check_lines(done(), {"read"});
  metal_double::commit(encoded);
  settle(first);
  check_lines(done(), {"read", "write"});
}

// Each round adds nothing: what one hand-off takes, it gives back.
void many_hand_offs_leave_no_reference() {
  bench with;
  object *const a = with.queue(), *const b = with.queue();
  const auto producer = with.stream(a), consumer = with.stream(b);
  const auto round = [&] {
    for (int i = 0; i < 100; ++i) order(*producer, *consumer);
    settle(a);
    settle(b);
  };
  round();
  const long before = references();
  round();
  CHECK_EQUAL(references(), before);
}

void values_of_many_threads_are_signalled_in_order() {
  bench with;
  object* const queue = with.queue();
  object* const others[] = {with.queue(), with.queue(), with.queue(), with.queue()};
  hold(queue);
  now().slow_signals = true;
  std::vector<std::thread> threads;
  for (object* other : others) {
    threads.emplace_back([&with, queue, other] {
      const auto producer = with.stream(queue), consumer = with.stream(other);
      for (int i = 0; i < 50; ++i) order(*producer, *consumer);
    });
  }
  for (std::thread& each : threads) each.join();
  let_go(queue);
  settle(queue);  // at the end of the bench: no value went back
  for (object* other : others) settle(other);
}

void memory_goes_back_when_its_last_user_is_done() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  hold(queue);
  static std::atomic<bool> freed;
  freed = false;
  static int somebody;
  deferred_releases one(1);
  one.front().after.emplace_back(record_event(*stream));
  one.front().memory = owner(&somebody, [](void*) { freed = true; });
  release_when_complete(std::move(one));
  run_finished_releases();
  CHECK(!freed);
  let_go(queue);
  settle(queue);
  while (!freed) run_finished_releases();  // the releases' own thread may be at it
  CHECK(freed);
}

}  // namespace

int main() {
  one_queue_needs_no_message();
  two_queues_need_one_signal_and_one_wait();
  what_has_ended_is_not_waited_for();
  a_consumer_waits_for_its_producer();
  two_devices_are_ordered_by_event();
  a_chain_of_three();
  fan_in();
  fan_out_has_one_event_and_a_value_each();
  an_event_is_the_queues_and_goes_with_its_last_stream();
  the_host_waits_for_a_queue();
  an_event_is_asked_without_waiting();
  a_barrier_holds_back_untracked_work_of_one_queue();
  uncommitted_work_is_not_waited_for();
  many_hand_offs_leave_no_reference();
  values_of_many_threads_are_signalled_in_order();
  memory_goes_back_when_its_last_user_is_done();
  return check::result();
}
