// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The uses of an array that lives long: what many of them leave, and what of two threads one may
// not take from the other.
#include <cstddef>

#include "exchange.hpp"
#include "release_error.hpp"
#include "way_back.hpp"
#include "way_back_bench.hpp"

namespace {

using namespace way_back_bench;

void lend_once(array& lent, stream& user) {
  auto* managed = lend_versioned(lent, &user);
  managed->deleter(managed);
  now().calls.clear();
}

// ---- what is left -------------------------------------------------------------------------------

constexpr int many = 100'000;

// Whatever its order, a stream's last event covers the earlier ones.
void many_loans_leave_one_event_a_stream() {
  for (const bool in_order : {true, false}) {
    bench with;
    const stream_ref other = with.stream(in_order);
    const auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
    std::size_t most = 0;
    for (int i = 0; i < many && most <= 2; ++i) {
      lend_once(*a, i % 3 == 0 ? *with.consumer : *other);
      most = std::max(most, a->back->left().size());
    }
    CHECK_EQUAL(most, 2u);
    CHECK(now().alive.size() < 20);
  }
}

void many_ends_by_order_back_leave_one_event() {
  bench with;
  const auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  for (int i = 0; i < 100; ++i) {
    const stream_ref again = make_stream(*a->platform, first_device, with.consumer->handle, {});
    record_stream(*a, *again);  // another object each time, one queue
    order_back(*a);
  }
  CHECK_EQUAL(a->back->left().size(), 1u);
}

void what_is_complete_is_not_kept() {
  bench with;
  const auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  lend_once(*a, *with.consumer);
  with.complete_all();
  lend_once(*a, *with.stream());
  CHECK_EQUAL(a->back->left().size(), 1u);
}

// An event that was left while another was on its way may be the later one.
void only_earlier_events_are_covered() {
  bench with;
  const auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  way_back& back = *a->back;
  const auto event_now = [&] {
    return way_back::events{std::shared_ptr<const event>(record_event(*with.consumer))};
  };
  back.leave(with.consumer, event_now(), back.now());
  const way_back::point before = back.now();
  const auto slow = event_now();
  const auto later = event_now();
  back.leave(with.consumer, later, back.now());
  back.leave(with.consumer, slow, before);
  CHECK(back.left() == (way_back::events{later.front(), slow.front()}));
}

// The memory waits for what is left, however the array goes.
void what_is_left_keeps_the_memory() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  lend_once(*a, *with.consumer);
  a = {};
  run_finished_releases();
  CHECK_EQUAL(with.released, 0);
  with.complete_all();
  run_finished_releases();
  CHECK_EQUAL(with.released, 1);
}

// ---- two threads --------------------------------------------------------------------------------

void two_that_order_at_once_forget_nothing_new() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*a, *with.consumer);
  meanwhile = [&] {
    order_back(*a);
    record_stream(*a, *with.consumer);  // more than the outer one has seen
  };
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_NOTHING);
}

// A count of which more was taken than there was by then would have gone below zero, and a further
// use been none.
void two_that_order_at_once_forget_each_use_once() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  for (int i = 0; i < 2; ++i) record_stream(*a, *with.consumer);
  meanwhile = [&] {
    order_back(*a);
    record_stream(*a, *with.consumer);
  };
  order_back(*a);
  record_stream(*a, *with.consumer);
  lend_once(*a, *with.consumer);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  CHECK(a->back->users().empty());
}

// ---- a way back that is set while the array is lent ---------------------------------------------

void set_home(array& of, const stream_ref& home) {
  set_way_back(of, home.get(), ANYSTREAM_RELEASE_ORDERED, frees_in_order);
}

using loan_of = DLManagedTensorVersioned;

struct setting {
  const char* name;
  void (*set)(array& lent, const bench& with);
  bool begins_without = false;
};

// Its end is ordered by the way back that there is by then.
void a_loan_may_begin_before_the_way_back() {
  const setting settings[] = {
      {"none, then one",
       [](array& lent, const bench& with) {
         set_way_back(lent, nullptr, 0, true);
         set_home(lent, with.home);
       }},
      {"the same again", [](array& lent, const bench& with) { set_home(lent, with.home); }},
      {"without order, then with it",
       [](array& lent, const bench& with) {
         set_way_back(lent, with.home.get(), ANYSTREAM_RELEASE_NONE, true);
         set_home(lent, with.home);
       }},
      {"by another home",
       [](array& lent, const bench& with) {
         set_home(lent, with.consumer);  // which is the loan's stream
         set_home(lent, with.home);
       }},
      {"the first", [](array& lent, const bench& with) { set_home(lent, with.home); }, true},
  };
  for (const setting& each : settings) {
    bench with;
    const auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
    if (each.begins_without) set_way_back(*a, nullptr, 0, true);
    loan_of* lent = lend_versioned(*a, with.consumer.get());
    each.set(*a, with);
    order_back(*a);
    now().made["e"] = 0;
    check_calls(with.calls_of([&] { lent->deleter(lent); }),
                {with.record(with.consumer), with.wait(1)}, each.name);
    CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_NOTHING);
    CHECK(a->back->users().empty());
  }
}

void a_loan_to_a_former_home_is_ordered() {
  bench with;
  const auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  loan_of* lent = lend_versioned(*a, with.home.get());
  set_home(*a, with.consumer);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  check_calls(with.calls_of([&] { lent->deleter(lent); }),
              {with.record(with.home),
               "DPCTLQueue_SubmitBarrierForEvents(" + with.name(with.consumer) + ", e3)"},
              "of a former home");
}

void a_loan_may_outlive_the_way_back() {
  for (const bool of_none : {false, true}) {
    bench with;
    auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
    loan_of* lent = lend_versioned(*a, with.consumer.get());
    const auto policy = of_none ? ANYSTREAM_RELEASE_NONE : ANYSTREAM_RELEASE_ORDERED;
    set_way_back(*a, of_none ? with.home.get() : nullptr, policy, frees_in_order);
    check_calls(with.calls_of([&] { lent->deleter(lent); }), {}, "without order");
    a = {};
    CHECK_EQUAL(with.released, 1);
  }
}

// The earlier one's end is not taken for the later one's, on one stream.
void a_loan_of_an_earlier_way_back_ends_for_itself() {
  bench with;
  const auto a = with.make(ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  loan_of* earlier = lend_versioned(*a, with.consumer.get());
  set_way_back(*a, nullptr, 0, true);
  set_home(*a, with.home);
  loan_of* later = lend_versioned(*a, with.consumer.get());
  earlier->deleter(earlier);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_EVENT);
  later->deleter(later);
  CHECK_EQUAL(order_back(*a), ANYSTREAM_ORDERED_NOTHING);
}

}  // namespace

int main() {
  use_release_thread(false);
  on_release_error(listen, nullptr);
  many_loans_leave_one_event_a_stream();
  many_ends_by_order_back_leave_one_event();
  what_is_complete_is_not_kept();
  only_earlier_events_are_covered();
  what_is_left_keeps_the_memory();
  two_that_order_at_once_forget_nothing_new();
  two_that_order_at_once_forget_each_use_once();
  a_loan_may_begin_before_the_way_back();
  a_loan_to_a_former_home_is_ordered();
  a_loan_may_outlive_the_way_back();
  a_loan_of_an_earlier_way_back_ends_for_itself();
  return check::result();
}
