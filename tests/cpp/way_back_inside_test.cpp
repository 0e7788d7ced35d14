// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the way back asks of a driver, call by call, and what becomes of the memory when one fails.
#include <algorithm>
#include <string>

#include <anystream/error.hpp>

#include "check.hpp"
#include "exchange.hpp"
#include "order.hpp"
#include "release_error.hpp"
#include "way_back_bench.hpp"

namespace {

using namespace way_back_bench;

static_assert(sizeof(anystream_array::back) == sizeof(void*));

// ---- calls --------------------------------------------------------------------------------------

void one_stream_needs_no_call() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  const stream_ref again = make_stream(*a->platform, first_device, with.home->handle, {});
  CHECK(again->handle != with.home->handle);
  check_calls(with.calls_of([&] {
    record_stream(*a, *again);
    auto* lent = lend_versioned(*a, again.get());
    lent->deleter(lent);
    CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_NOTHING);
    a = {};
  }),
              {}, "of one stream");
  CHECK_EQUAL(with.released, 1);
}

void two_streams_need_a_record_and_a_wait() {
  for (const bool by_loan : {false, true}) {
    bench with;
    auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
    check_calls(with.calls_of([&] { order(*with.home, *with.consumer); }),
                {with.record(with.home),
                 "DPCTLQueue_SubmitBarrierForEvents(" + with.name(with.consumer) + ", e1)"},
                "of the way there");
    auto* lent = by_loan ? lend_managed(*a, with.consumer.get()) : nullptr;
    if (!by_loan) record_stream(*a, *with.consumer);
    check_calls(with.calls_of([&] {
      a = {};
      if (lent != nullptr) lent->deleter(lent);
    }),
                {with.record(with.consumer), with.wait(3)}, "of the way back");
    CHECK_EQUAL(with.released, 1);
  }
}

void home_is_recorded_for_who_frees_at_once() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_at_once);
  record_stream(*a, *with.consumer);
  check_calls(with.calls_of([&] { a = {}; }),
              {with.record(with.consumer), with.wait(1), with.record(with.home)}, "of a release");
  run_finished_releases();
  CHECK_EQUAL(with.released, 0);
  with.complete_all();
  run_finished_releases();
  CHECK_EQUAL(with.released, 1);
}

void what_is_complete_goes_at_once() {
  bench with;
  with.complete_all();
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_at_once);
  a = {};
  CHECK(with.released == 1 && count_pending_releases().number == 0);
}

void deferred_puts_nothing_into_home() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  record_stream(*a, *with.consumer);
  check_calls(with.calls_of([&] { a = {}; }), {with.record(with.consumer)}, "of a release");
  CHECK_EQUAL(with.released, 0);
  with.complete_all();
  run_finished_releases();
  CHECK_EQUAL(with.released, 1);
}

bool waits(const calls& all) {
  return std::ranges::any_of(
      all, [](const std::string& call) { return call.starts_with("DPCTLEvent_Wait("); });
}

// The runtime keeps a barrier of an out-of-order home back, as behind a host task: the device does
// not see to the order, and nobody waits in a destructor, so the memory stays until it is complete.
void a_home_that_cannot_be_held_back_is_no_host_wait() {
  for (const bool by_loan : {false, true}) {
    bench with;
    with.home = with.stream(false);
    auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
    auto* lent = by_loan ? lend_managed(*a, with.consumer.get()) : nullptr;
    if (!by_loan) record_stream(*a, *with.consumer);
    sycl_fake::object on_device, host_task;
    kept_back = {&on_device, &host_task};
    CHECK(!waits(with.calls_of([&] {
      if (lent != nullptr) lent->deleter(lent);
      a = {};
    })));
    CHECK(with.released == 0 && count_pending_releases().number == 1);
    with.complete_all();
    run_finished_releases();
    CHECK_EQUAL(with.released, 1);
  }
}

void order_back_waits_on_the_host_where_the_device_does_not() {
  bench with;
  with.home = with.stream(false);
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  auto* lent = lend_managed(*a, with.consumer.get());
  sycl_fake::object on_device, host_task;
  kept_back = {&on_device, &host_task};
  lent->deleter(lent);
  // The fake's wait ends with the work not complete, which is an error.
  CHECK(waits(with.calls_of([&] { CHECK_THROWS(driver_error, order_back(*a)); })));
  with.complete_all();
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_IDLE);
  CHECK(with.calls_of([&] { CHECK(order_back(*a) == ANYSTREAM_ORDERED_NOTHING); }).empty());
}

void home_itself_out_of_order_gets_a_barrier() {
  bench with;
  with.home = with.stream(false);
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.home);
  check_calls(with.calls_of([&] { a = {}; }), {with.record(with.home)}, "of a release");
  CHECK_EQUAL(with.released, 1);
  a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.home);
  sycl_fake::object host_task;
  now().next_waits = {&host_task};
  a = {};
  CHECK(with.released == 1 && count_pending_releases().number == 1);
}

// ---- errors -------------------------------------------------------------------------------------

void what_cannot_be_recorded_stays_for_good() {
  bench with;
  const std::size_t kept = count_kept_for_good();
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.consumer);
  now().failing = "DPCTLQueue_SubmitBarrier";
  a = {};
  CHECK(told.size() == 1 && with.released == 0 && count_kept_for_good() == kept + 1);
  CHECK(told.front().find("a stream's work could not be ordered: DPCTLQueue_SubmitBarrier") !=
        std::string::npos);
  now().failing.clear();
  with.complete_all();
  run_finished_releases();
  CHECK(told.size() == 1 && with.released == 0 && count_pending_releases().number == 0);
}

void a_loan_whose_end_cannot_be_told_keeps_the_memory() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  auto* lent = lend_managed(*a, with.consumer.get());
  now().failing = "DPCTLQueue_SubmitBarrier";
  lent->deleter(lent);
  CHECK_EQUAL(told.size(), 1u);
  now().failing.clear();
  with.complete_all();
  a = {};
  CHECK(told.size() == 1 && with.released == 0);
}

// The user's end is known, so the memory can go when that is complete.
void where_home_cannot_wait_the_memory_does() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.consumer);
  now().failing = "DPCTLQueue_SubmitBarrierForEvents";
  a = {};
  CHECK(told.size() == 1 && with.released == 0 && count_pending_releases().number == 1);
  now().failing.clear();
  with.complete_all();
  run_finished_releases();
  CHECK(told.size() == 1 && with.released == 1);
}

void what_cannot_be_asked_any_more_stays_for_good() {
  for (const bool later : {false, true}) {
    bench with;
    auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
    record_stream(*a, *with.consumer);
    if (later) a = {};
    now().event_status = sycl_event_unknown;
    a = {};
    run_finished_releases();
    CHECK(told.size() == 1 && with.released == 0 && count_pending_releases().number == 0);
    with.complete_all();
    run_finished_releases();
    CHECK(told.size() == 1 && with.released == 0);
  }
}

void what_cannot_be_waited_for_stays_for_good() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  record_stream(*a, *with.consumer);
  a = {};
  CHECK(flush_releases({}));  // the fake's wait ends with the work not complete
  CHECK(told.size() == 1 && with.released == 0);
}

// Once a release, however much of it fails.
void one_release_tells_one_error() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.consumer);
  record_stream(*a, *with.stream());
  now().failing = "DPCTLQueue_SubmitBarrierForEvents";
  a = {};
  now().event_status = sycl_event_unknown;
  run_finished_releases();
  CHECK(told.size() == 1 && with.released == 0);
}

void order_back_throws_and_can_be_tried_again() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.consumer);
  for (const char* failing : {"DPCTLQueue_SubmitBarrier", "DPCTLQueue_SubmitBarrierForEvents"}) {
    now().failing = failing;
    CHECK_THROWS(driver_error, order_back(*a));
  }
  now().failing.clear();
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  a = {};
  CHECK(told.empty() && with.released == 1);
}

}  // namespace

int main() {
  use_release_thread(false);
  on_release_error(listen, nullptr);
  one_stream_needs_no_call();
  two_streams_need_a_record_and_a_wait();
  home_is_recorded_for_who_frees_at_once();
  what_is_complete_goes_at_once();
  deferred_puts_nothing_into_home();
  a_home_that_cannot_be_held_back_is_no_host_wait();
  order_back_waits_on_the_host_where_the_device_does_not();
  home_itself_out_of_order_gets_a_barrier();
  what_cannot_be_recorded_stays_for_good();
  a_loan_whose_end_cannot_be_told_keeps_the_memory();
  where_home_cannot_wait_the_memory_does();
  what_cannot_be_asked_any_more_stays_for_good();
  what_cannot_be_waited_for_stays_for_good();
  one_release_tells_one_error();
  order_back_throws_and_can_be_tried_again();
  return check::result();
}
