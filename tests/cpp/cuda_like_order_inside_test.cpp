// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: the calls that order one stream after another, in order, and the events they take.
#include "cuda_like_rig.hpp"
#include "deferred.hpp"

namespace {

using namespace cuda_like_rig;

template <class Side>
void one_stream_needs_no_call() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  const auto a = with.kept(handle), b = with.kept(handle);
  check_work<Side>({}, [&] { CHECK(order(*a, *a) == ANYSTREAM_ORDERED_NOTHING); });
  check_work<Side>({}, [&] { CHECK(order(*a, *b) == ANYSTREAM_ORDERED_NOTHING); });
}

template <class Side>
void two_streams_need_one_record_and_one_wait() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  const auto producer = with.kept(recording::make_stream());
  const auto consumer = with.kept(recording::make_stream());
  const auto orders = [&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); };
  check_work<Side>({"cuEventCreate(2)", "cuEventRecord(e1, s1)", "cuStreamWaitEvent(s2, e1)"},
                   orders);
  check_work<Side>({"cuEventRecord(e1, s1)", "cuStreamWaitEvent(s2, e1)"}, orders);
}

// CUDA may refuse to record or to wait there, whatever stream it is given.
void a_thread_without_a_context_is_lent_one() {
  const bench<cuda> with;
  const auto producer = with.kept(recording::make_stream());
  const auto consumer = with.kept(recording::make_stream());
  const auto orders = [&] { order(*producer, *consumer); };
  check_work<cuda>(
      {"cuCtxSetCurrent(c1)", "cuEventCreate(2)", "cuEventRecord(e1, s1)", "cuCtxSetCurrent(0)",
       "cuCtxSetCurrent(c1)", "cuStreamWaitEvent(s2, e1)", "cuCtxSetCurrent(0)"},
      orders);
  check_work<cuda>({"cuCtxSetCurrent(c1)", "cuEventRecord(e1, s1)", "cuCtxSetCurrent(0)",
                    "cuCtxSetCurrent(c1)", "cuStreamWaitEvent(s2, e1)", "cuCtxSetCurrent(0)"},
                   orders);
  CHECK_EQUAL(recording::current_here(), 0u);
}

// What is current is changed for the calls that depend on it only, and put back.
template <class Side>
void two_devices_are_ordered_by_event() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  const auto producer = with.kept(recording::make_stream(context_1), 1);
  const auto consumer = with.kept(recording::make_stream(context_0), 0);
  const auto orders = [&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); };
  check_work<Side>({"cuCtxSetCurrent(c2)", "cuEventCreate(2)", "cuEventRecord(e1, s1)",
                    "cuCtxSetCurrent(c1)", "cuStreamWaitEvent(s2, e1)"},
                   orders);
  check_work<Side>({"cuEventRecord(e1, s1)", "cuStreamWaitEvent(s2, e1)"}, orders);
  CHECK_EQUAL(recording::current_here(), context_0);
}

template <class Side>
void default_streams_need_their_place() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  const auto producer = with.bare(Side::legacy, 1), consumer = with.bare(per_thread, 1);
  const auto orders = [&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); };
  orders();
  const lines work = work_of(orders);
  lines wanted;
  for (const char* call : {"", "", "cuEventRecord(e1, 0)", "cuStreamWaitEvent(2, e1)"}) {
    wanted.insert(wanted.end(), {"cuCtxSetCurrent(c2)", call, "cuCtxSetCurrent(c1)"});
  }
  std::erase(wanted, "");
  CHECK_EQUAL(text_of(work), text_of(words<Side>(wanted)));
  CHECK_EQUAL(recording::current_here(), context_0);
}

void a_users_own_context_is_used_and_stays_current() {
  bench<cuda> with;  // NOLINT(misc-const-correctness): of one side it is not
  now().initialized = true;
  const number own = recording::make_context(0);
  with.make_current(own);
  const auto producer = with.bare(1), consumer = with.kept(recording::make_stream(own));
  check_work<cuda>({"cuEventCreate(2)", "cuEventRecord(e1, 0)", "cuStreamWaitEvent(s1, e1)"},
                   [&] { order(*producer, *consumer); });
  const auto other = with.kept(recording::make_stream());
  check_work<cuda>({"cuCtxSetCurrent(c1)", "cuEventCreate(2)", "cuEventRecord(e2, s2)",
                    "cuCtxSetCurrent(c3)", "cuStreamWaitEvent(s1, e2)"},
                   [&] { order(*other, *consumer); });
  CHECK_EQUAL(recording::current_here(), own);
}

// Of a default stream on a device that nobody has used yet, the primary context is retained once.
void a_primary_context_is_retained_once() {
  const bench<cuda> with;
  const auto a = with.bare(1), b = with.bare(1), c = with.kept(recording::make_stream());
  check_work<cuda>({"cuDevicePrimaryCtxRetain(0)"},
                   [&] { with.engine().place_of_stream(a->device, a->handle); });
  check_work<cuda>({}, [&] { with.engine().place_of_stream(b->device, b->handle); });
}

template <class Side>
void nothing_is_made_in_the_steady_state() {
  const bench<Side> with;
  const auto here = with.kept(recording::make_stream());
  const auto there = with.kept(recording::make_stream(context_1), 1);
  const auto legacy = with.bare(Side::legacy);
  const auto round = [&] {
    for (const auto* a : {&here, &there, &legacy}) {
      for (const auto* b : {&here, &there, &legacy}) order(**a, **b);
    }
  };
  round();
  const std::uint64_t before = events_created();
  now().calls.clear();
  for (int i = 0; i < 1000; ++i) round();
  CHECK_EQUAL(events_created() - before, 0u);
  CHECK(!asks(words<Side>("cuEventCreate()").substr(0, words<Side>("cuEventCreate()").size() - 2)));
  CHECK_EQUAL(now().events.size(), 2u);  // one for each device
}

// Its own events only: those of the other device stay on their shelf.
template <class Side>
void events_are_pooled_by_place() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  const auto here = with.kept(recording::make_stream());
  const auto there = with.kept(recording::make_stream(context_1), 1);
  with.make_current(context_0);
  record_event(*here);
  check_work<Side>(
      {"cuCtxSetCurrent(c2)", "cuEventCreate(2)", "cuEventRecord(e2, s2)", "cuCtxSetCurrent(c1)"},
      [&] { record_event(*there); });
  check_work<Side>({"cuEventRecord(e1, s1)"}, [&] { record_event(*here); });
}

// The event that went with the context is not touched, and another is made.
void a_context_that_is_gone_takes_its_events_along() {
  for (const bool comes_back : {false, true}) {
    const bench<cuda> with;
    number own = recording::make_context(0);
    const auto gone = with.kept(recording::make_stream(own));
    const auto held = record_event(*gone);
    record_event(*gone);  // and one is kept
    comes_back ? recording::reset_context(own) : recording::destroy_context(own);
    const auto other = with.kept(recording::make_stream());
    check_work<cuda>({}, [&] {
      CHECK(with.engine().complete(held->handle));
      with.engine().synchronize_event(held->handle);
      CHECK(wait_event(*other, *held) == ANYSTREAM_ORDERED_EVENT);  // with its work
    });
    if (!comes_back) continue;
    const auto anew = with.kept(recording::make_stream(own));
    check_work<cuda>(
        {"cuCtxSetCurrent(c3)", "cuEventCreate(2)", "cuEventRecord(e3, s3)", "cuCtxSetCurrent(0)"},
        [&] { record_event(*anew); });
  }
}

template <class Side>
void an_event_tells_the_end_of_the_work() {
  bench<Side> with;
  with.make_current(context_0);
  const number handle = recording::make_stream();
  const auto stream = with.kept(handle);
  now().streams.at(handle).busy = true;
  const auto end = record_event(*stream);
  check_work<Side>({"cuEventQuery(e1)"}, [&] { CHECK(!with.engine().complete(end->handle)); });
  check_work<Side>({"cuEventSynchronize(e1)"},
                   [&] { with.engine().synchronize_event(end->handle); });
  check_work<Side>({"cuEventQuery(e1)"}, [&] { CHECK(with.engine().complete(end->handle)); });
}

}  // namespace

int main() {
  use_release_thread(false);
  ON_BOTH(one_stream_needs_no_call);
  ON_BOTH(two_streams_need_one_record_and_one_wait);
  a_thread_without_a_context_is_lent_one();
  ON_BOTH(two_devices_are_ordered_by_event);
  ON_BOTH(default_streams_need_their_place);
  a_users_own_context_is_used_and_stays_current();
  a_primary_context_is_retained_once();
  ON_BOTH(nothing_is_made_in_the_steady_state);
  ON_BOTH(events_are_pooled_by_place);
  a_context_that_is_gone_takes_its_events_along();
  ON_BOTH(an_event_tells_the_end_of_the_work);
  return check::result();
}
