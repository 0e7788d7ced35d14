// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: streams that are mere numbers, or another thread's, are not touched when an array
// is given back: an event of their whole context stands for them, or a thread that waits for it.
#include <chrono>

#include "cuda_like_rig.hpp"
#include "deferred.hpp"

namespace {

using namespace cuda_like_rig;

void wait_for(const backend& engine, event_handle end) {
  recording::release_synchronize();
  engine.synchronize_event(end);
}

// Until the thread has gone into the driver, or the check fails.
void until_called(const std::string& call) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto called = [&] {
    const std::scoped_lock lock(recording::only().mutex);
    return std::ranges::any_of(now().calls, [&](const auto& each) { return each.text == call; });
  };
  while (!called() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK(called());
}

bool touches(const lines& work, const std::string& stream) {
  return std::ranges::any_of(
      work, [&](const std::string& each) { return each.find(stream) != std::string::npos; });
}

template <class Side>
void only_what_is_kept_is_sure_to_be_there() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  CHECK(!with.engine().may_be_gone(with.kept(handle)->handle));
  CHECK(with.engine().may_be_gone(with.bare(handle)->handle));
  CHECK(!with.engine().may_be_gone(with.bare(Side::legacy)->handle));
}

void an_event_of_the_context_stands_for_a_mere_number() {
  bench<cuda> with;  // NOLINT(misc-const-correctness): of one side it is not
  const number handle = recording::make_stream();
  const auto bare = with.bare(handle);
  order(*bare, *with.kept(recording::make_stream()));  // while the number is good
  now().streams.erase(handle);
  event_ref end;
  check_work<cuda>({"cuCtxSetCurrent(c1)", "cuCtxRecordEvent(c1, e1)", "cuCtxSetCurrent(0)"},
                   [&] { end = record_end(*bare, *bare); });
  CHECK(with.engine().complete(end->handle));
}

// Where the driver has no such event.
template <class Side>
void a_thread_waits_for_the_place_of_a_mere_number() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  if constexpr (Side::has_contexts) with.driver().context_record = nullptr;
  with.make_current(context_0);
  const number handle = recording::make_stream(context_1);
  const auto bare = with.bare(handle, 1), other = with.kept(recording::make_stream());
  order(*bare, *other);
  now().streams.erase(handle);
  now().holds_synchronize = true;
  now().calls.clear();
  const event_ref end = record_end(*bare, *bare), again = record_end(*bare, *bare);
  until_called(words<Side>("cuCtxSynchronize(c2)"));
  CHECK(!with.engine().complete(end->handle));
  CHECK(!with.engine().wait(other->handle, end->handle));  // the host is to wait
  wait_for(with.engine(), end->handle);
  CHECK(with.engine().complete(end->handle));
  CHECK(wait_event(*other, *again) != ANYSTREAM_ORDERED_EVENT);
  CHECK(!touches(calls_of(recording::kind::work), "s1"));
  CHECK_EQUAL(recording::current_here(), context_0);
}

// As its work: there is nothing to wait for.
void nothing_is_awaited_of_a_context_that_is_gone() {
  for (const bool kept : {false, true}) {
    const bench<cuda> with;
    const number own = recording::make_context(0), handle = recording::make_stream(own);
    const auto stream = kept ? with.kept(handle) : with.bare(handle);
    order(*stream, *with.kept(recording::make_stream()));
    recording::destroy_context(own);
    check_work<cuda>({}, [&] {
      const event_ref end = record_end(*stream, *stream);
      CHECK(with.engine().complete(end->handle));
    });
  }
}

template <class Side>
void handle_2_of_another_thread_is_not_touched() {
  bench<Side> with;
  with.make_current(context_0);
  stream_ref theirs;
  elsewhere([&] {
    theirs = with.bare(per_thread);
    record_event(*theirs);
  });
  const auto ours = with.bare(per_thread), other = with.kept(recording::make_stream());
  const lines work = work_of([&] {
    CHECK(!is_idle(*theirs) && !with.engine().surely_idle(theirs->handle));
    const event_ref made = record_event(*theirs), end = record_end(*theirs, *theirs);
    if (!Side::has_contexts) wait_for(with.engine(), end->handle);
    wait_event(*other, *made);
    CHECK(wait_event(*theirs, *end) == ANYSTREAM_ORDERED_IDLE);
    CHECK(order(*theirs, *ours) != ANYSTREAM_ORDERED_NOTHING);
  });
  CHECK(!touches(work, ", 2)") && !touches(work, "Query(2)"));  // ours may wait: "(2, e1)"
  check_work<Side>({"cuCtxSynchronize(c1)"}, [&] { with.engine().synchronize(theirs->handle); });
}

// It is tried again, and holds up no other place meanwhile.
template <class Side>
void a_capture_that_is_in_the_way_is_waited_out() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  if constexpr (Side::has_contexts) with.driver().context_record = nullptr;
  const auto bare = with.bare(recording::make_stream());
  static_cast<void>(with.engine().place_of_stream(bare->device, bare->handle));
  now().synchronize_answers = {recording::capture_unsupported, recording::capture_unsupported};
  const event_ref end = record_end(*bare, *bare);
  with.engine().synchronize_event(end->handle);
  CHECK(with.engine().complete(end->handle));
  CHECK_EQUAL(
      std::ranges::count(calls_of(recording::kind::work), words<Side>("cuCtxSynchronize(c1)")), 3);
}

// The driver does not record an event of a context of which a stream is captured.
void beside_a_capture_a_thread_waits() {
  const bench<cuda> with;
  const auto bare = with.bare(recording::make_stream());
  static_cast<void>(with.engine().place_of_stream(bare->device, bare->handle));
  now().failing["cuCtxRecordEvent"] = recording::capture_unsupported;
  const event_ref end = record_end(*bare, *bare);
  with.engine().synchronize_event(end->handle);
  CHECK(with.engine().complete(end->handle) && now().events.empty());
  CHECK(asks("cuCtxSynchronize"));
}

template <class Side>
void a_wait_that_fails_is_told_to_all_who_ask() {
  bench<Side> with;
  if constexpr (Side::has_contexts) with.driver().context_record = nullptr;
  const auto bare = with.bare(recording::make_stream());
  static_cast<void>(with.engine().place_of_stream(bare->device, bare->handle));
  now().synchronize_answers = {700};
  const event_ref end = record_end(*bare, *bare);
  for (int i = 0; i < 2; ++i) {
    try {
      with.engine().synchronize_event(end->handle);
      CHECK(!"told");
    } catch (const driver_error& error) {
      const std::string symbol = Side::has_contexts ? "cuCtxSynchronize" : "hipDeviceSynchronize";
      CHECK_EQUAL(error.api(), symbol);
      CHECK_EQUAL(error.code(), 700);
      CHECK_EQUAL(error.what(), symbol + " failed with A_NAME (700): a text.");
    }
  }
  CHECK_THROWS(driver_error, with.engine().complete(end->handle));
}

}  // namespace

int main() {
  use_release_thread(false);
  ON_BOTH(only_what_is_kept_is_sure_to_be_there);
  an_event_of_the_context_stands_for_a_mere_number();
  ON_BOTH(a_thread_waits_for_the_place_of_a_mere_number);
  nothing_is_awaited_of_a_context_that_is_gone();
  ON_BOTH(handle_2_of_another_thread_is_not_touched);
  ON_BOTH(a_capture_that_is_in_the_way_is_waited_out);
  beside_a_capture_a_thread_waits();
  ON_BOTH(a_wait_that_fails_is_told_to_all_who_ask);
  return check::result();
}
