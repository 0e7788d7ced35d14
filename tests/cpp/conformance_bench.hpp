// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a platform under the conformance suite provides, and the bench that the cases work on.
#pragma once

#include <anystream/c_api.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
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
  // Whether a stream without work says so at once. Where an event is recorded to ask it, that is
  // work of its own, which a thread may need a moment for.
  virtual bool tells_idle() const { return holds(); }
  virtual void hold(anystream_stream* stream) = 0;
  virtual void let_go(anystream_stream* stream) = 0;
  // Returns when nothing can run any more but what is held, or waits for that.
  virtual void settle() = 0;

  // How many objects of the driver are alive that anystream may have made; less than 0 where
  // nobody knows.
  virtual long alive() { return -1; }
  // Driver calls that can be made to fail, and what a test is to see as DriverError's api; of a
  // platform that is registered, its name, a dot and the callback.
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
  explicit bench(under_test& tested) : platform(tested), table(tested.table()) {}

  stream_ptr stream(bool in_order = true, int place = 0) {
    stream_ptr made(platform.make_stream(in_order, place), stream_releaser{&table});
    CHECK(made != nullptr);
    return made;
  }

  int order(const stream_ptr& producer, const stream_ptr& consumer) const {
    std::int32_t how = -1;
    ok(table.stream_order(producer.get(), consumer.get(), &how));
    return how;
  }

  void ok(anystream_status status) const {
    if (status == ANYSTREAM_OK) return check::that(true, "a call of the table");
    anystream_error error{};
    table.last_error(&error);
    check::fail(error.message, std::source_location::current());
  }

  bool idle(const stream_ptr& stream) const {
    std::int32_t answer = 0;
    ok(table.stream_idle(stream.get(), &answer));
    return answer != 0;
  }
  // A runtime may need a while to see that there is nothing.
  bool becomes_idle(const stream_ptr& stream) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!idle(stream)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void finish(const stream_ptr& stream) const {
    std::int32_t how = 0;
    ok(table.stream_synchronize(stream.get(), &how));
  }

  under_test& platform;
  const anystream_api& table;
};

// A reader on one stream of what another, held, is still to write.
struct race {
  bench& with;
  stream_ptr producer, consumer;
  slot data, seen;
  stream_ptr first;  // what was held, where the producer has been replaced since

  explicit race(bench& bench, int from = 0, int to = 0, bool producer_in_order = true,
                bool consumer_in_order = true)
      : with(bench),
        producer(bench.stream(producer_in_order, from)),
        consumer(bench.stream(consumer_in_order, to)),
        data(bench.platform.make_slot(from)),
        seen(bench.platform.make_slot(to)) {}

  void produce(int number) {
    with.platform.hold(producer.get());
    with.platform.write(producer.get(), data, number);
  }
  void read() { with.platform.copy(consumer.get(), seen, data); }
  void check_early(int wanted) { check_early(seen, wanted); }
  void check_early(slot of, int wanted) {
    if (!with.platform.holds()) return;
    with.platform.settle();
    CHECK_EQUAL(with.platform.peek(of), wanted);
  }
  int outcome() {
    with.platform.let_go(first ? first.get() : producer.get());
    with.finish(consumer);
    with.finish(producer);
    return with.platform.peek(seen);
  }
};

}  // namespace conformance
