// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What every backend must do, as one suite: order, one stream and two, chains, fans, two places,
// out-of-order queues, failing calls, releases that are put off, and nothing left over.
//
// A backend's test derives a platform from `under_test`, which says how work is queued and held on
// it, and calls run(). All goes through the C table, so that a platform which is registered from
// another language can be tried, too. Nothing is timed: a stream is held, what can run without it
// has run, and readers have either come too early by then or have not.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "conformance_bench.hpp"
#include "conformance_way_back.hpp"

namespace conformance {

// ---- the cases ----------------------------------------------------------------------------------

// Otherwise the other cases would show nothing.
inline void without_an_order_readers_are_early(bench& with, int from, int to) {
  race run(with, from, to);
  with.platform.write(run.consumer.get(), run.seen, -1);
  with.finish(run.consumer);
  run.produce(42);
  run.read();
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 0);
}

inline void a_consumer_waits_on_the_device(bench& with, int from, int to) {
  race run(with, from, to);
  with.platform.write(run.consumer.get(), run.seen, -1);
  with.finish(run.consumer);
  run.produce(42);
  CHECK_EQUAL(with.order(run.producer, run.consumer), ANYSTREAM_ORDERED_EVENT);
  run.read();  // the host got here: it has not waited
  run.check_early(-1);
  if (with.platform.holds()) CHECK(!with.idle(run.consumer));
  CHECK_EQUAL(run.outcome(), 42);
  CHECK(with.becomes_idle(run.consumer));
}

// What is queued on the producer later is not waited for.
inline void later_work_is_not_waited_for(bench& with) {
  race run(with);
  const auto event = [&] {
    anystream_event* made = nullptr;
    with.ok(with.table.event_record(run.producer.get(), &made));
    return made;
  };
  with.platform.write(run.producer.get(), run.data, 1);
  anystream_event* const end = event();
  with.finish(run.producer);
  run.produce(2);
  with.ok(with.table.event_wait(run.consumer.get(), end));
  run.read();
  run.check_early(1);
  std::int32_t complete = 0;
  with.ok(with.table.event_query(end, &complete));
  CHECK_EQUAL(complete, 1);
  with.table.event_release(end);
  CHECK_EQUAL(run.outcome(), 1);
}

inline void one_stream_needs_nothing(bench& with) {
  race run(with);
  std::int32_t relation = -1;
  with.ok(with.table.stream_relation(run.producer.get(), run.producer.get(), &relation));
  CHECK_EQUAL(relation, ANYSTREAM_RELATION_SAME);
  with.ok(with.table.stream_relation(run.producer.get(), run.consumer.get(), &relation));
  CHECK_EQUAL(relation, ANYSTREAM_RELATION_DIFFERENT);
  run.produce(42);
  const long before = with.platform.alive();
  CHECK_EQUAL(with.order(run.producer, run.producer), ANYSTREAM_ORDERED_NOTHING);
  CHECK_EQUAL(with.platform.alive(), before);
  with.platform.copy(run.producer.get(), run.seen, run.data);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void chain_of_three(bench& with) {
  race run(with);
  const stream_ptr between = with.stream();
  const slot passed = with.platform.make_slot(0);
  run.produce(42);
  with.order(run.producer, between);
  with.platform.copy(between.get(), passed, run.data);
  with.order(between, run.consumer);
  with.platform.copy(run.consumer.get(), run.seen, passed);
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void fan_in(bench& with) {
  race run(with);
  const stream_ptr other = with.stream();
  const slot data = with.platform.make_slot(0), seen = with.platform.make_slot(0);
  run.produce(42);
  with.platform.write(other.get(), data, 43);
  with.order(run.producer, run.consumer);
  with.order(other, run.consumer);
  run.read();
  with.platform.copy(run.consumer.get(), seen, data);
  run.check_early(0);
  run.check_early(seen, 0);
  CHECK_EQUAL(run.outcome(), 42);
  CHECK_EQUAL(with.platform.peek(seen), 43);
}

inline void fan_out(bench& with) {
  race run(with);
  const stream_ptr other = with.stream(), third = with.stream();
  const slot seen = with.platform.make_slot(0), free = with.platform.make_slot(0);
  run.produce(42);
  with.order(run.producer, run.consumer);
  with.order(run.producer, other);
  run.read();
  with.platform.copy(other.get(), seen, run.data);
  with.platform.write(third.get(), free, 7);
  with.finish(third);  // nobody asked it to wait
  CHECK_EQUAL(with.platform.peek(free), 7);
  run.check_early(0);
  run.check_early(seen, 0);
  CHECK_EQUAL(run.outcome(), 42);
  with.finish(other);
  CHECK_EQUAL(with.platform.peek(seen), 42);
}

inline void in_order_is_checked(bench& with) {
  const stream_ptr plain = with.stream();
  std::int32_t in_order = -1;
  with.ok(with.table.stream_in_order(plain.get(), &in_order));
  CHECK_EQUAL(in_order, 1);
  with.ok(with.table.stream_check_consumer(plain.get(), "stream"));
  if (!with.platform.has_out_of_order()) return;
  const race run(with, 0, 0, true, false);
  with.ok(with.table.stream_in_order(run.consumer.get(), &in_order));
  CHECK_EQUAL(in_order, 0);
  std::int32_t how = -1;
  CHECK_EQUAL(with.table.stream_order(run.producer.get(), run.consumer.get(), &how),
              ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(how, -1);
}

inline stream_ptr with_barriers(bench& with, const stream_ptr& of) {
  anystream_stream* made = nullptr;
  with.ok(with.table.stream_with_policy(of.get(), ANYSTREAM_OUT_OF_ORDER_BARRIER, &made));
  return stream_ptr(made, stream_releaser{&with.table});
}

// A producer's queue may be any; a consumer's, too, where a barrier is asked for.
inline void out_of_order_queues(bench& with) {
  if (!with.platform.has_out_of_order()) return;
  {
    race run(with, 0, 0, false, true);
    run.produce(42);
    with.order(run.producer, run.consumer);
    run.read();
    run.check_early(0);
    CHECK_EQUAL(run.outcome(), 42);
  }
  {
    race run(with, 0, 0, true, false);
    run.produce(42);
    run.consumer = with_barriers(with, run.consumer);
    with.order(run.producer, run.consumer);
    run.read();
    run.check_early(0);
    CHECK_EQUAL(run.outcome(), 42);
  }
}

inline void one_out_of_order_queue_needs_a_barrier(bench& with) {
  if (!with.platform.has_out_of_order()) return;
  race run(with, 0, 0, false, true);
  run.produce(42);
  run.first = std::move(run.producer);
  run.producer = with_barriers(with, run.first);
  CHECK_EQUAL(with.order(run.producer, run.producer), ANYSTREAM_ORDERED_BARRIER);
  with.platform.copy(run.producer.get(), run.seen, run.data);
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void the_host_waits_where_it_is_asked_to(bench& with) {
  const race run(with);
  with.platform.write(run.producer.get(), run.data, 42);
  std::int32_t how = -1;
  with.ok(with.table.stream_synchronize(run.producer.get(), &how));
  CHECK(how == ANYSTREAM_ORDERED_HOST_WAIT || how == ANYSTREAM_ORDERED_IDLE);
  CHECK_EQUAL(with.platform.peek(run.data), 42);
  with.ok(with.table.stream_synchronize(run.producer.get(), &how));
  if (with.platform.tells_idle()) CHECK_EQUAL(how, ANYSTREAM_ORDERED_IDLE);
}

// ---- failures and leaks -------------------------------------------------------------------------

// A call that fails is told of, nothing is half done, and the next hand-off works.
inline void each_call_may_fail(bench& with) {
  const std::vector<std::string> calls = with.platform.failing();
  int refused = 0;
  for (const std::string& call : calls) {
    race run(with);
    run.produce(42);
    with.platform.fail(call);
    std::int32_t how = -1;
    const anystream_status status =
        with.table.stream_order(run.producer.get(), run.consumer.get(), &how);
    with.platform.fail_nothing();
    if (status != ANYSTREAM_OK) {
      ++refused;
      anystream_error error{};
      with.table.last_error(&error);
      CHECK_EQUAL(status, ANYSTREAM_DRIVER_ERROR);
      CHECK_EQUAL(std::string(error.api), call);
      CHECK_EQUAL(how, -1);
      const std::string function = call.substr(call.rfind('.') + 1);
      CHECK(std::string(error.message).find(function) != std::string::npos);
      with.order(run.producer, run.consumer);
    }
    run.read();
    CHECK_EQUAL(run.outcome(), 42);
  }
  CHECK(calls.empty() || refused > 0);
}

inline void nothing_is_left(bench& with, int trials) {
  const auto once = [&](race& run, int number) {
    run.produce(number);
    with.order(run.producer, run.consumer);
    run.read();
    CHECK_EQUAL(run.outcome(), number);
    with.order(run.consumer, run.producer);
    with.finish(run.producer);
  };
  race run(with);
  once(run, 1);
  const long before = with.platform.alive();
  for (int trial = 2; trial < trials; ++trial) once(run, trial);
  CHECK_EQUAL(with.platform.alive(), before);
}

// ---- the suite ----------------------------------------------------------------------------------

inline void run(under_test& platform, int trials = 20) {
  bench with(platform);
  std::printf("conformance of %s: %d place(s)%s\n", platform.name(), platform.places(),
              platform.has_out_of_order() ? ", out-of-order queues" : "");
  for (int to = 0; to < platform.places(); ++to) {
    if (platform.holds()) without_an_order_readers_are_early(with, 0, to);
    a_consumer_waits_on_the_device(with, 0, to);
  }
  if (platform.holds()) later_work_is_not_waited_for(with);
  one_stream_needs_nothing(with);
  chain_of_three(with);
  fan_in(with);
  fan_out(with);
  in_order_is_checked(with);
  out_of_order_queues(with);
  one_out_of_order_queue_needs_a_barrier(with);
  the_host_waits_where_it_is_asked_to(with);
  a_release_is_put_off_and_done(with, ANYSTREAM_RELEASE_DEFERRED);
  a_release_is_put_off_and_done(with, ANYSTREAM_RELEASE_ORDERED);
  home_waits_for_its_users(with);
  each_call_may_fail(with);
  nothing_is_left(with, trials);
}

}  // namespace conformance
