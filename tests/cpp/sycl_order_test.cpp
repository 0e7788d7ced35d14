// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Order between real SYCL queues with work pending, as a C++ program without Python gets it.
//
// A kernel writes 42 after a while; a copy on another queue reads. Each case first shows that the
// copy is wrong when nothing orders it, then that it is right, and that the host did not wait.
#include <chrono>
#include <memory>
#include <thread>

#include <anystream/anystream.hpp>

#include "check.hpp"
#include "no_python.hpp"
#include "sycl_lab.hpp"

namespace {

using anystream::ordered;
using sycl_lab::command;
using sycl_lab::context;
using sycl_lab::memory;
using sycl_lab::order;
using sycl_lab::queue;
using sycl_lab::slow_writer;

constexpr std::chrono::milliseconds pending_time{120};
constexpr std::size_t width = slow_writer::width;

anystream::stream stream_of(const queue& queue) {
  const anystream::device first{anystream::device_type::one_api, 0};
  return anystream::stream::from_handle(first, reinterpret_cast<std::uintptr_t>(queue.get()));
}

anystream::stream consumer_of(const queue& queue) {
  return stream_of(queue).with_policy(anystream::out_of_order::barrier);
}

command copy(const queue& on, const memory& target, const memory& source) {
  return command(sycl_lab::sycl().DPCTLQueue_Memcpy(on.get(), target.get(), source.get(),
                                                    width * sizeof(int)));
}

// Long work on one queue, and a reader on another or on the same.
class race {
 public:
  race(const queue& producer, const queue& reader)
      : producer_(producer),
        reader_(reader),
        data_(producer, width),
        seen_(reader, width),
        writer_(producer),
        turns_(writer_.turns_of(producer, data_.get(), pending_time)) {}

  command start() {
    data_.set(0);
    seen_.set(0);
    return writer_.start(producer_, data_.get(), 42, turns_);
  }

  std::size_t wrong_elements() {
    copy(reader_, seen_, data_).wait();
    const std::size_t wrong = seen_.count_other_than(42);
    producer_.wait();
    reader_.wait();
    return wrong;
  }

 private:
  const queue& producer_;
  const queue& reader_;
  memory data_;
  memory seen_;
  slow_writer writer_;
  std::uint64_t turns_;
};

// A machine that is busy with other things may let the reader come late, so it is tried again.
void show_that_it_races(race& run) {
  std::size_t wrong = 0;
  for (int attempt = 0; attempt < 5 && wrong == 0; ++attempt) {
    const command work = run.start();
    wrong = run.wrong_elements();
  }
  CHECK(wrong > 0);
}

// The host must not have waited where the order is the device's.
void show_that_it_is_ordered(race& run, const anystream::stream& producer,
                             const anystream::stream& consumer, ordered expected) {
  for (int round = 0; round < 3; ++round) {
    const command work = run.start();
    const ordered how = consumer.wait(producer);
    CHECK(how == expected);
    CHECK(work.complete() == (how == ordered::host_wait));
    CHECK(run.wrong_elements() == 0);
  }
}

void two_queues(order from, order to, context where, ordered expected) {
  const queue producer(from), reader(to, where);
  race run(producer, reader);
  show_that_it_races(run);
  show_that_it_is_ordered(run, stream_of(producer), consumer_of(reader), expected);
}

void every_pair_of_queues_is_ordered_by_event() {
  for (const order from : {order::in, order::out_of}) {
    two_queues(from, order::in, context::of_platform, ordered::event);
    two_queues(from, order::out_of, context::of_platform, ordered::event);
    two_queues(from, order::in, context::of_its_own, ordered::event);
  }
}

// The runtime keeps the barrier back until the other context's event has happened, and a copy on an
// out-of-order queue overtakes it: only the host can wait.
void an_out_of_order_queue_in_another_context_is_waited_for() {
  for (const order from : {order::in, order::out_of})
    two_queues(from, order::out_of, context::of_its_own, ordered::host_wait);
}

void one_out_of_order_queue_gets_a_barrier() {
  const queue both(order::out_of);
  race run(both, both);
  show_that_it_races(run);
  show_that_it_is_ordered(run, stream_of(both), consumer_of(both), ordered::barrier);
}

void one_in_order_queue_needs_nothing() {
  const queue both(order::in);
  race run(both, both);
  show_that_it_is_ordered(run, stream_of(both), stream_of(both), ordered::nothing);
}

// producer -> between, in another context -> reader, an out-of-order queue beside it: what the
// reader would wait for is itself kept back.
void a_kept_back_event_is_waited_for() {
  const queue producer(order::in), between(order::in, context::of_its_own),
      reader(order::out_of, between);
  race run(producer, reader);
  show_that_it_races(run);
  const command work = run.start();
  CHECK(stream_of(between).wait(stream_of(producer)) == ordered::event);
  CHECK(!work.complete());
  CHECK(consumer_of(reader).wait(stream_of(between)) == ordered::host_wait);
  CHECK(run.wrong_elements() == 0);
}

// The same chain with an in-order reader: the device sees to all of it.
void a_chain_through_two_contexts_is_ordered_by_events() {
  const queue producer(order::out_of), between(order::in, context::of_its_own), reader(order::in);
  race run(producer, reader);
  show_that_it_races(run);
  const command work = run.start();
  CHECK(stream_of(between).wait(stream_of(producer)) == ordered::event);
  CHECK(stream_of(reader).wait(stream_of(between)) == ordered::event);
  CHECK(!work.complete());
  CHECK(run.wrong_elements() == 0);
}

void an_event_orders_like_its_stream_and_outlives_it() {
  const queue producer(order::in), reader(order::in);
  race run(producer, reader);
  const command work = run.start();
  const anystream::event end = stream_of(producer).record();
  CHECK(!end.complete());
  stream_of(reader).wait(end);
  CHECK(!end.complete() && !work.complete());
  CHECK(run.wrong_elements() == 0);
  CHECK(end.complete());
}

void waiting_on_the_host_asks_first() {
  const queue producer(order::out_of);
  const queue reader(order::in);
  race run(producer, reader);
  const anystream::stream stream = stream_of(producer);
  CHECK(stream.idle());
  CHECK(stream.synchronize() == ordered::idle);
  const command work = run.start();
  CHECK(!stream.idle());
  CHECK(!work.complete());
  CHECK(stream.synchronize() == ordered::host_wait);
  CHECK(work.complete());
  CHECK(run.wrong_elements() == 0);
}

// Streams hold a copy of the queue, so that the caller's may go; letting a stream go waits for
// nothing.
void a_stream_outlives_the_callers_queue() {
  const queue reader(order::in);
  const memory seen(reader, width);
  const anystream::stream kept = [] {
    const queue gone(order::in);
    return stream_of(gone);
  }();
  CHECK(kept.in_order() && kept.platform() == "sycl");
  CHECK(kept.device() == anystream::device(anystream::device_type::one_api, 0));
  CHECK(stream_of(reader).wait(kept) == ordered::event);
  CHECK(kept.synchronize() != ordered::nothing);
}

void letting_go_of_a_busy_stream_does_not_wait() {
  const queue producer(order::in), reader(order::in);
  race run(producer, reader);
  const command work = run.start();
  {
    const anystream::stream gone = stream_of(producer);
    const anystream::event forgotten = gone.record();
  }
  CHECK(!work.complete());
}

// When the stream has the last reference, and goes just as an event says that all is done. Without
// care Intel's runtime hangs here within a few hundred rounds.
void the_last_stream_of_a_queue_may_go_as_its_work_ends() {
  const queue context_of(order::in);
  const memory data(context_of, width);
  const slow_writer writer(context_of);
  const auto turns = writer.turns_of(context_of, data.get(), std::chrono::milliseconds(1));
  for (int round = 0; round < 1000; ++round) {
    auto theirs = std::make_unique<queue>(order::out_of, context_of, queue::at_the_end::let_go);
    const anystream::stream ours = stream_of(*theirs);
    const command work = writer.start(*theirs, data.get(), 42, turns);
    theirs.reset();
    while (!work.complete()) std::this_thread::yield();
  }
  CHECK(data.count_other_than(42) == 0);
}

// By the runtime's word: two objects of one queue are one, two queues of one device are two.
void sameness_is_the_runtimes_word() {
  using anystream::relation;
  const queue one(order::in), other(order::in), out_of_order(order::out_of);
  CHECK(stream_of(one).view().relation_to(stream_of(one)) == relation::same);
  CHECK(stream_of(one).view().relation_to(stream_of(other)) == relation::different);
  CHECK(stream_of(out_of_order).view().relation_to(stream_of(out_of_order)) ==
        relation::same_out_of_order);
}

void an_out_of_order_consumer_must_be_allowed() {
  const queue producer(order::in), reader(order::out_of);
  CHECK_THROWS(anystream::value_error, stream_of(reader).wait(stream_of(producer)));
}

}  // namespace

int main() {
  sycl_lab::device();  // skips where there is none
  every_pair_of_queues_is_ordered_by_event();
  an_out_of_order_queue_in_another_context_is_waited_for();
  one_out_of_order_queue_gets_a_barrier();
  one_in_order_queue_needs_nothing();
  a_kept_back_event_is_waited_for();
  a_chain_through_two_contexts_is_ordered_by_events();
  an_event_orders_like_its_stream_and_outlives_it();
  waiting_on_the_host_asks_first();
  a_stream_outlives_the_callers_queue();
  letting_go_of_a_busy_stream_does_not_wait();
  the_last_stream_of_a_queue_may_go_as_its_work_ends();
  sameness_is_the_runtimes_word();
  an_out_of_order_consumer_must_be_allowed();
  CHECK(no_python_is_loaded());
  return check::result();
}
