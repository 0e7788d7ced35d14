// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: streams that are captured into a graph are ordered within their capture; what would
// break one is refused before anything is done, and nothing asks a captured stream for its state.
#include <chrono>

#include "cuda_like_rig.hpp"
#include "deferred.hpp"

namespace {

using namespace cuda_like_rig;
using recording::begin_capture;
using recording::end_capture;

template <class Side>
struct pair_of_streams {
  bench<Side> with;
  number from = recording::make_stream(), to = recording::make_stream();
  stream_ref producer = with.kept(from), consumer = with.kept(to);

  pair_of_streams() { with.make_current(context_0); }
  std::int32_t orders() { return order(*producer, *consumer); }
  // Nothing but questions were asked of the driver.
  std::string refused() {
    std::string says;
    const lines work = work_of([&] { says = CHECK_THROWS(ordering_error, orders()); });
    CHECK_EQUAL(text_of(work), "");
    CHECK(now().mode[std::this_thread::get_id()] == 0);
    return says;
  }
};

const lines record_and_wait = {"cuEventCreate(2)", "cuEventRecord(e1, s1)",
                               "cuStreamWaitEvent(s2, e1)", "cuEventDestroy_v2(e1)"};

template <class Side>
void within_one_capture_it_is_recorded() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture), begin_capture(two.to, a_capture);
  check_work<Side>(record_and_wait, [&] { CHECK(two.orders() == ANYSTREAM_ORDERED_EVENT); });
}

template <class Side>
void a_stream_joins_the_capture_that_it_waits_for() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture);
  check_work<Side>(record_and_wait, [&] { CHECK(two.orders() == ANYSTREAM_ORDERED_EVENT); });
  CHECK_EQUAL(now().streams.at(two.to).capture_id, a_capture);
}

template <class Side>
void one_captured_stream_needs_nothing() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture);
  check_work<Side>({}, [&] { CHECK(order(*two.producer, *two.producer) == 0); });
}

// An event of the pool that is recorded into a capture is not used for anything else.
template <class Side>
void a_captured_event_does_not_go_back_to_the_pool() {
  pair_of_streams<Side> two;
  record_event(*two.producer);
  begin_capture(two.from, a_capture);
  check_work<Side>({"cuEventRecord(e1, s1)", "cuEventDestroy_v2(e1)"},
                   [&] { record_event(*two.producer); });
  end_capture(a_capture);
  check_work<Side>({"cuEventCreate(2)", "cuEventRecord(e2, s1)"},
                   [&] { record_event(*two.producer); });
}

template <class Side>
void work_outside_of_the_capture_is_refused() {
  pair_of_streams<Side> two;
  begin_capture(two.to, a_capture);
  CHECK_EQUAL(two.refused(),
              "a stream of " + std::string(to_string(anystream::device({Side::kind, 0}))) +
                  " that is being captured into a graph cannot wait for work outside of the "
                  "capture: the capture would be broken.\n  Have the work done before the capture "
                  "begins (synchronize, and pass producer_stream=-1), or make it part of the "
                  "capture.");
  const auto before = record_event(*two.producer);
  check_work<Side>({}, [&] { CHECK_THROWS(ordering_error, wait_event(*two.consumer, *before)); });
}

template <class Side>
void two_captures_are_refused() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture), begin_capture(two.to, other_capture);
  CHECK(two.refused().find("are being captured into two graphs, and neither can wait for the "
                           "other.\n  Capture both into one") != std::string::npos);
}

// Then nobody knows whether it is one.
template <class Side>
void captures_without_ids_are_refused() {
  pair_of_streams<Side> two;
  two.with.driver().stream_capture = nullptr;
  begin_capture(two.from, a_capture), begin_capture(two.to, other_capture);
  CHECK(two.refused().find("two graphs") != std::string::npos);
}

template <class Side>
void an_invalid_capture_is_refused() {
  for (const bool producers : {true, false}) {
    pair_of_streams<Side> two;
    begin_capture(producers ? two.from : two.to, a_capture, recording::capture_invalid);
    CHECK(two.refused().find("an error has made that capture invalid: what is put into it is "
                             "lost.\n  End the capture, and begin it anew.") != std::string::npos);
    const stream& broken = producers ? *two.producer : *two.consumer;
    check_work<Side>({}, [&] { CHECK_THROWS(ordering_error, record_event(broken)); });
  }
}

template <class Side>
void the_legacy_stream_beside_a_capture_is_refused() {
  for (const bool is_producer : {true, false}) {
    pair_of_streams<Side> two;
    const auto legacy = two.with.bare(Side::legacy);
    (is_producer ? two.producer : two.consumer) = legacy;
    now().legacy_is_implicit = true;
    const std::string says = two.refused();
    CHECK(says.starts_with("the legacy default stream of ") &&
          says.find("cannot be used while a blocking stream is being captured") < says.size());
    check_work<Side>({}, [&] {
      CHECK_THROWS(ordering_error, record_event(*legacy));
      CHECK(!is_idle(*legacy));
      const auto waits = CHECK_THROWS(ordering_error, synchronize(*legacy));
      CHECK(waits.starts_with("the legacy default stream of "));
    });
  }
}

template <class Side>
void the_legacy_stream_does_not_join_a_capture() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture);
  two.consumer = two.with.bare(Side::legacy);
  CHECK(two.refused().find("cannot become part of a capture.\n  Name another stream") !=
        std::string::npos);
}

// By any of the calls that would break it.
template <class Side>
void a_captured_stream_is_not_polled() {
  pair_of_streams<Side> two;
  begin_capture(two.from, a_capture);
  const auto end = record_event(*two.producer);
  check_work<Side>({}, [&] {
    CHECK(!is_idle(*two.producer) && !two.with.engine().surely_idle(two.producer->handle));
    CHECK(!two.with.engine().complete(end->handle));
    const auto says = CHECK_THROWS(ordering_error, synchronize(*two.producer));
    CHECK(says == "the host cannot wait for a " + std::string(Side::title) +
                      " stream that is being captured into a graph: nothing of it runs before the "
                      "graph is launched.\n  End the capture first, or order the work on the "
                      "device.");
    CHECK_THROWS(ordering_error, two.with.engine().synchronize_event(end->handle));
  });
}

template <class Side>
void a_captured_event_is_complete_when_its_capture_has_ended() {
  for (const bool another_follows : {false, true}) {
    pair_of_streams<Side> two;
    begin_capture(two.from, a_capture);
    const auto end = record_event(*two.producer);
    CHECK(!two.with.engine().complete(end->handle));
    end_capture(a_capture);
    if (another_follows) begin_capture(two.from, other_capture);
    check_work<Side>({}, [&] {
      CHECK(two.with.engine().complete(end->handle));
      two.with.engine().synchronize_event(end->handle);
    });
  }
}

// It is asked, so it is kept as long as the event is.
template <class Side>
void a_captured_event_keeps_its_stream() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  const auto destroy = [](void* made) { now().streams.erase(*static_cast<number*>(made)); };
  number theirs = handle;
  stream_ref stream = make_stream(with.platform(), {Side::kind, 0},
                                  reinterpret_cast<stream_handle>(handle), owner(&theirs, destroy));
  begin_capture(handle, a_capture);
  event_ref end = record_event(*stream);
  stream = {};
  CHECK(now().streams.contains(handle));
  end_capture(a_capture);
  CHECK(with.engine().complete(end->handle));
  end.reset();
  CHECK(!now().streams.contains(handle));
}

// Of a mere number nobody knows when the capture ends; the thread's own stream is always there.
template <class Side>
void the_capture_of_a_mere_number_lasts_for_good() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  const auto bare = with.bare(handle), own = with.bare(per_thread);
  begin_capture(handle, a_capture), begin_capture(per_thread, a_capture);
  const auto of_bare = record_event(*bare), of_own = record_event(*own);
  end_capture(a_capture);
  check_work<Side>({}, [&] { CHECK(!with.engine().complete(of_bare->handle)); });
  CHECK(with.engine().complete(of_own->handle));
  elsewhere([&] { CHECK(!with.engine().complete(of_own->handle)); });
}

// It cannot be asked any more; whoever made it part of the capture can. What the graph has so far
// comes before what is captured next, and the work is over with the capture.
template <class Side>
void a_mere_number_that_joined_a_capture_is_not_touched() {
  const bench<Side> with;
  with.make_current(context_0);
  const number from = recording::make_stream(), to = recording::make_stream();
  const auto home = with.kept(from), bare = with.bare(to);
  begin_capture(from, a_capture);
  order(*home, *bare);
  now().streams.erase(to);  // to touch it is a misuse
  event_ref end;
  check_work<Side>({}, [&] { end = record_end(*bare, *home); });
  check_work<Side>({"cuStreamUpdateCaptureDependencies_v2(s1, 2)"}, [&] {
    CHECK_EQUAL(wait_event(*home, *end), ANYSTREAM_ORDERED_EVENT);
    CHECK(!with.engine().complete(end->handle));
  });
  const auto other = with.kept(recording::make_stream());
  CHECK(!with.engine().wait(other->handle, end->handle));
  end_capture(a_capture);
  check_work<Side>({}, [&] { CHECK(with.engine().complete(end->handle)); });
  CHECK(!with.engine().wait(home->handle, end->handle));
}

void locked(const std::function<void()>& action) {
  const std::scoped_lock lock(recording::only().mutex);
  action();
}

bool asked(const std::string& symbol) {
  bool found = false;
  locked([&] { found = asks(symbol); });
  return found;
}

// Another capture of a stream that is known: of the memory's own, or of one met before.
template <class Side>
void all_work_of_a_place_is_not_asked_for_beside_a_known_capture() {
  const std::string waits = Side::has_contexts ? "cuCtxSynchronize" : "hipDeviceSynchronize";
  for (const bool is_home : {true, false}) {
    const bench<Side> with;
    const number captured = recording::make_stream();
    const auto bare = with.bare(recording::make_stream()), other = with.kept(captured);
    order(*bare, *with.kept(recording::make_stream()));
    begin_capture(captured, a_capture);
    if (!is_home) record_event(*other);
    const auto home = is_home ? other : with.kept(recording::make_stream());
    event_ref end;
    locked([] { now().calls.clear(); });
    end = record_end(*bare, *home);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // where the thread could be early
    CHECK(!asked("cuCtxRecordEvent") && !asked(waits) && !with.engine().complete(end->handle));
    if (is_home) CHECK_THROWS(ordering_error, wait_event(*home, *end));
    locked([] { end_capture(a_capture); });
    with.engine().synchronize_event(end->handle);
    CHECK(with.engine().complete(end->handle) && asked(waits));
  }
}

// A capture that another thread has begun is not broken by what is asked here; the rig sees to it
// that the mode is put back.
template <class Side>
void questions_are_asked_in_the_relaxed_mode() {
  pair_of_streams<Side> two;
  const std::string prefix = Side::has_contexts ? "cu" : "hip";
  const auto end = record_event(*two.producer);
  const auto asks_relaxed = [&](const std::string& symbol, const std::function<void()>& action) {
    for (const bool fails : {false, true}) {
      if (fails) now().failing[prefix + symbol] = 999;
      now().calls.clear();
      if (fails) CHECK_THROWS(driver_error, action());
      if (!fails) action();
      CHECK(asks(prefix + symbol) && asks(prefix + "ThreadExchangeStreamCaptureMode"));
      CHECK(recording::mode_here() == 0);
    }
    now().failing.clear();
  };
  asks_relaxed("StreamQuery", [&] { is_idle(*two.producer); });
  asks_relaxed("StreamSynchronize", [&] { two.with.engine().synchronize(two.producer->handle); });
  asks_relaxed("EventQuery", [&] { two.with.engine().complete(end->handle); });
  asks_relaxed("EventSynchronize", [&] { two.with.engine().synchronize_event(end->handle); });
}

}  // namespace

int main() {
  use_release_thread(false);
  ON_BOTH(within_one_capture_it_is_recorded);
  ON_BOTH(a_stream_joins_the_capture_that_it_waits_for);
  ON_BOTH(one_captured_stream_needs_nothing);
  ON_BOTH(a_captured_event_does_not_go_back_to_the_pool);
  ON_BOTH(work_outside_of_the_capture_is_refused);
  ON_BOTH(two_captures_are_refused);
  ON_BOTH(captures_without_ids_are_refused);
  ON_BOTH(an_invalid_capture_is_refused);
  ON_BOTH(the_legacy_stream_beside_a_capture_is_refused);
  ON_BOTH(the_legacy_stream_does_not_join_a_capture);
  ON_BOTH(a_captured_stream_is_not_polled);
  ON_BOTH(a_captured_event_is_complete_when_its_capture_has_ended);
  ON_BOTH(a_captured_event_keeps_its_stream);
  ON_BOTH(the_capture_of_a_mere_number_lasts_for_good);
  ON_BOTH(a_mere_number_that_joined_a_capture_is_not_touched);
  ON_BOTH(all_work_of_a_place_is_not_asked_for_beside_a_known_capture);
  ON_BOTH(questions_are_asked_in_the_relaxed_mode);
  return check::result();
}
