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

#include <anystream/c_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace conformance {

// A slot is a piece of device memory that holds one number; 0 at first.
using slot = int;

class under_test {
 public:
  virtual ~under_test() = default;

  virtual const anystream_api& table() const = 0;
  virtual const char* name() const = 0;

  // Places between which streams may differ: devices, contexts. At least one.
  virtual int places() const { return 1; }
  virtual bool has_out_of_order() const { return false; }
  // A new stream of the library's; NULL fails the test. Released by who asked.
  virtual anystream_stream* make_stream(bool in_order, int place) = 0;

  virtual slot make_slot(int place) = 0;
  // Queues a write of the number, and a copy from one slot to another.
  virtual void write(anystream_stream* on, slot to, int number) = 0;
  virtual void copy(anystream_stream* on, slot to, slot from) = 0;
  virtual int peek(slot of) = 0;       // what is there now, in order with nothing
  virtual void* data_of(slot of) = 0;  // DLTensor.data; its byte_offset is 0
  virtual DLDevice device_of(slot of) = 0;
  virtual const char* platform() const { return ""; }

  // Nothing that is queued from here on starts, until it is let go. Where a runtime cannot be held
  // (a thread of its own waits for what is, and all else with it), long work is begun instead: then
  // what is read is looked at, but not when; that the platform races is for a test of its own.
  virtual bool holds() const { return true; }
  virtual void hold(anystream_stream* stream) = 0;
  virtual void let_go(anystream_stream* stream) = 0;
  // Returns when nothing can run any more but what is held, or waits for that.
  virtual void settle() = 0;

  // How many objects of the driver are alive that anystream may have made; less than 0 where
  // nobody knows.
  virtual long alive() { return -1; }
  // Driver calls that can be made to fail, and what a test is to see as DriverError's api.
  virtual std::vector<std::string> failing() const { return {}; }
  virtual void fail([[maybe_unused]] const std::string& call) {}
  virtual void fail_nothing() {}
};

struct stream_releaser {
  const anystream_api* table;
  void operator()(anystream_stream* stream) const noexcept { table->stream_release(stream); }
};
using stream_ptr = std::unique_ptr<anystream_stream, stream_releaser>;

// One rig of streams and slots on a platform.
class bench {
 public:
  explicit bench(under_test& platform) : platform_(platform), table_(platform.table()) {}

  stream_ptr stream(bool in_order = true, int place = 0) {
    stream_ptr made(platform_.make_stream(in_order, place), stream_releaser{&table_});
    CHECK(made != nullptr);
    return made;
  }

  int order(const stream_ptr& producer, const stream_ptr& consumer) {
    std::int32_t how = -1;
    ok(table_.stream_order(producer.get(), consumer.get(), &how));
    return how;
  }

  void ok(anystream_status status) {
    if (status == ANYSTREAM_OK) return check::that(true, "a call of the table");
    anystream_error error{};
    table_.last_error(&error);
    check::fail(error.message, std::source_location::current());
  }

  bool idle(const stream_ptr& stream) {
    std::int32_t answer = 0;
    ok(table_.stream_idle(stream.get(), &answer));
    return answer != 0;
  }
  void finish(const stream_ptr& stream) {
    std::int32_t how = 0;
    ok(table_.stream_synchronize(stream.get(), &how));
  }

  under_test& platform_;
  const anystream_api& table_;
};

// ---- the cases ----------------------------------------------------------------------------------

// A reader on one stream of what another, held, is still to write.
struct race {
  bench& with;
  stream_ptr producer, consumer;
  slot data, seen;
  stream_ptr first;  // what was held, where the producer has been replaced since

  race(bench& bench, int from = 0, int to = 0, bool producer_in_order = true,
       bool consumer_in_order = true)
      : with(bench),
        producer(bench.stream(producer_in_order, from)),
        consumer(bench.stream(consumer_in_order, to)),
        data(bench.platform_.make_slot(from)),
        seen(bench.platform_.make_slot(to)) {}

  void produce(int number) {
    with.platform_.hold(producer.get());
    with.platform_.write(producer.get(), data, number);
  }
  void read() { with.platform_.copy(consumer.get(), seen, data); }
  void check_early(int wanted) { check_early(seen, wanted); }
  void check_early(slot of, int wanted) {
    if (!with.platform_.holds()) return;
    with.platform_.settle();
    CHECK_EQUAL(with.platform_.peek(of), wanted);
  }
  int outcome() {
    with.platform_.let_go(first ? first.get() : producer.get());
    with.finish(consumer);
    with.finish(producer);
    return with.platform_.peek(seen);
  }
};

// Otherwise the other cases would show nothing.
inline void without_an_order_readers_are_early(bench& with, int from, int to) {
  race run(with, from, to);
  with.platform_.write(run.consumer.get(), run.seen, -1);
  with.finish(run.consumer);
  run.produce(42);
  run.read();
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 0);
}

inline void a_consumer_waits_on_the_device(bench& with, int from, int to) {
  race run(with, from, to);
  with.platform_.write(run.consumer.get(), run.seen, -1);
  with.finish(run.consumer);
  run.produce(42);
  CHECK_EQUAL(with.order(run.producer, run.consumer), ANYSTREAM_ORDERED_EVENT);
  run.read();  // the host got here: it has not waited
  run.check_early(-1);
  if (with.platform_.holds()) CHECK(!with.idle(run.consumer));
  CHECK_EQUAL(run.outcome(), 42);
  if (with.platform_.holds()) CHECK(with.idle(run.consumer));
}

// What is queued on the producer later is not waited for.
inline void later_work_is_not_waited_for(bench& with) {
  race run(with);
  const auto event = [&] {
    anystream_event* made = nullptr;
    with.ok(with.table_.event_record(run.producer.get(), &made));
    return made;
  };
  with.platform_.write(run.producer.get(), run.data, 1);
  anystream_event* const end = event();
  with.finish(run.producer);
  run.produce(2);
  with.ok(with.table_.event_wait(run.consumer.get(), end));
  run.read();
  run.check_early(1);
  std::int32_t complete = 0;
  with.ok(with.table_.event_query(end, &complete));
  CHECK_EQUAL(complete, 1);
  with.table_.event_release(end);
  CHECK_EQUAL(run.outcome(), 1);
}

inline void one_stream_needs_nothing(bench& with) {
  race run(with);
  std::int32_t relation = -1;
  with.ok(with.table_.stream_relation(run.producer.get(), run.producer.get(), &relation));
  CHECK_EQUAL(relation, ANYSTREAM_RELATION_SAME);
  with.ok(with.table_.stream_relation(run.producer.get(), run.consumer.get(), &relation));
  CHECK_EQUAL(relation, ANYSTREAM_RELATION_DIFFERENT);
  const long before = with.platform_.alive();
  run.produce(42);
  CHECK_EQUAL(with.order(run.producer, run.producer), ANYSTREAM_ORDERED_NOTHING);
  CHECK_EQUAL(with.platform_.alive(), before);
  with.platform_.copy(run.producer.get(), run.seen, run.data);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void chain_of_three(bench& with) {
  race run(with);
  const stream_ptr between = with.stream();
  const slot passed = with.platform_.make_slot(0);
  run.produce(42);
  with.order(run.producer, between);
  with.platform_.copy(between.get(), passed, run.data);
  with.order(between, run.consumer);
  with.platform_.copy(run.consumer.get(), run.seen, passed);
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void fan_in(bench& with) {
  race run(with);
  const stream_ptr other = with.stream();
  const slot data = with.platform_.make_slot(0), seen = with.platform_.make_slot(0);
  run.produce(42);
  with.platform_.write(other.get(), data, 43);
  with.order(run.producer, run.consumer);
  with.order(other, run.consumer);
  run.read();
  with.platform_.copy(run.consumer.get(), seen, data);
  run.check_early(0);
  run.check_early(seen, 0);
  CHECK_EQUAL(run.outcome(), 42);
  CHECK_EQUAL(with.platform_.peek(seen), 43);
}

inline void fan_out(bench& with) {
  race run(with);
  const stream_ptr other = with.stream(), third = with.stream();
  const slot seen = with.platform_.make_slot(0), free = with.platform_.make_slot(0);
  run.produce(42);
  with.order(run.producer, run.consumer);
  with.order(run.producer, other);
  run.read();
  with.platform_.copy(other.get(), seen, run.data);
  with.platform_.write(third.get(), free, 7);
  with.finish(third);  // nobody asked it to wait
  CHECK_EQUAL(with.platform_.peek(free), 7);
  run.check_early(0);
  run.check_early(seen, 0);
  CHECK_EQUAL(run.outcome(), 42);
  with.finish(other);
  CHECK_EQUAL(with.platform_.peek(seen), 42);
}

inline void in_order_is_checked(bench& with) {
  const stream_ptr plain = with.stream();
  std::int32_t in_order = -1;
  with.ok(with.table_.stream_in_order(plain.get(), &in_order));
  CHECK_EQUAL(in_order, 1);
  with.ok(with.table_.stream_check_consumer(plain.get(), "stream"));
  if (!with.platform_.has_out_of_order()) return;
  race run(with, 0, 0, true, false);
  with.ok(with.table_.stream_in_order(run.consumer.get(), &in_order));
  CHECK_EQUAL(in_order, 0);
  std::int32_t how = -1;
  CHECK_EQUAL(with.table_.stream_order(run.producer.get(), run.consumer.get(), &how),
              ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(how, -1);
}

inline stream_ptr with_barriers(bench& with, const stream_ptr& of) {
  anystream_stream* made = nullptr;
  with.ok(with.table_.stream_with_policy(of.get(), ANYSTREAM_OUT_OF_ORDER_BARRIER, &made));
  return stream_ptr(made, stream_releaser{&with.table_});
}

// A producer's queue may be any; a consumer's, too, where a barrier is asked for.
inline void out_of_order_queues(bench& with) {
  if (!with.platform_.has_out_of_order()) return;
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
  if (!with.platform_.has_out_of_order()) return;
  race run(with, 0, 0, false, true);
  run.produce(42);
  run.first = std::move(run.producer);
  run.producer = with_barriers(with, run.first);
  CHECK_EQUAL(with.order(run.producer, run.producer), ANYSTREAM_ORDERED_BARRIER);
  with.platform_.copy(run.producer.get(), run.seen, run.data);
  run.check_early(0);
  CHECK_EQUAL(run.outcome(), 42);
}

inline void the_host_waits_where_it_is_asked_to(bench& with) {
  race run(with);
  with.platform_.write(run.producer.get(), run.data, 42);
  std::int32_t how = -1;
  with.ok(with.table_.stream_synchronize(run.producer.get(), &how));
  CHECK(how == ANYSTREAM_ORDERED_HOST_WAIT || how == ANYSTREAM_ORDERED_IDLE);
  CHECK_EQUAL(with.platform_.peek(run.data), 42);
  with.ok(with.table_.stream_synchronize(run.producer.get(), &how));
  if (with.platform_.holds()) CHECK_EQUAL(how, ANYSTREAM_ORDERED_IDLE);
}

// ---- the way back -------------------------------------------------------------------------------

// Memory of a library that frees at once: what is in it then shows whether that was too early.
struct library_memory {
  bench& with;
  slot data;
  int given_back = 0;

  anystream_array* wrap() {
    std::int64_t shape = 1;
    const DLTensor tensor = {with.platform_.data_of(data),
                             with.platform_.device_of(data),
                             1,
                             {kDLInt, 32, 1},
                             &shape,
                             nullptr,
                             0};
    const anystream_owner owner = {
        this, [](void* self) { ++static_cast<library_memory*>(self)->given_back; }};
    anystream_array* made = nullptr;
    with.ok(with.table_.array_wrap(&tensor, 0, with.platform_.platform(), owner, &made));
    return made;
  }
};

// By the policy DEFERRED and by ORDERED of a library that frees at once.
inline void a_release_is_put_off_and_done(bench& with, std::int32_t policy) {
  race run(with);
  library_memory memory{with, run.data};
  anystream_array* const array = memory.wrap();
  with.ok(with.table_.array_set_way_back(array, run.producer.get(), policy, 0));
  with.ok(with.table_.array_record_stream(array, run.consumer.get()));
  with.platform_.hold(run.consumer.get());
  run.read();
  with.table_.array_release(array);
  with.platform_.settle();
  with.table_.releases_run();
  CHECK_EQUAL(memory.given_back, 0);
  std::int64_t pending = 0;
  with.table_.releases_pending(&pending, nullptr);
  CHECK(pending >= 1);
  with.platform_.let_go(run.consumer.get());
  std::int32_t all = 0;
  with.ok(with.table_.releases_flush(-1, &all));
  CHECK_EQUAL(all, 1);
  CHECK_EQUAL(memory.given_back, 1);
}

// What the producer queues after it comes after the consumer's work.
inline void home_waits_for_its_users(bench& with) {
  race run(with);
  library_memory memory{with, run.data};
  with.platform_.write(run.producer.get(), run.data, 42);
  with.finish(run.producer);
  anystream_array* const array = memory.wrap();
  with.ok(with.table_.array_set_way_back(array, run.producer.get(), ANYSTREAM_RELEASE_ORDERED, 1));
  with.ok(with.table_.array_record_stream(array, run.consumer.get()));
  with.platform_.hold(run.consumer.get());
  run.read();
  with.table_.array_release(array);
  CHECK_EQUAL(memory.given_back, 1);
  with.platform_.write(run.producer.get(), run.data, -1);
  with.platform_.settle();
  CHECK_EQUAL(with.platform_.peek(run.data), 42);
  with.platform_.let_go(run.consumer.get());
  with.finish(run.consumer);
  with.finish(run.producer);
  CHECK_EQUAL(with.platform_.peek(run.seen), 42);
  CHECK_EQUAL(with.platform_.peek(run.data), -1);
}

// ---- failures and leaks -------------------------------------------------------------------------

// A call that fails is told of, nothing is half done, and the next hand-off works.
inline void each_call_may_fail(bench& with) {
  const std::vector<std::string> calls = with.platform_.failing();
  int refused = 0;
  for (const std::string& call : calls) {
    race run(with);
    run.produce(42);
    with.platform_.fail(call);
    std::int32_t how = -1;
    const anystream_status status =
        with.table_.stream_order(run.producer.get(), run.consumer.get(), &how);
    with.platform_.fail_nothing();
    if (status != ANYSTREAM_OK) {
      ++refused;
      anystream_error error{};
      with.table_.last_error(&error);
      CHECK_EQUAL(status, ANYSTREAM_DRIVER_ERROR);
      CHECK_EQUAL(std::string(error.api), call);
      CHECK_EQUAL(how, -1);
      CHECK(std::string(error.message).find(call) != std::string::npos);
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
  const long before = with.platform_.alive();
  for (int trial = 2; trial < trials; ++trial) once(run, trial);
  CHECK_EQUAL(with.platform_.alive(), before);
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
