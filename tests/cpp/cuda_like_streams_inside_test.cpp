// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: which streams are one, and what is asked of the driver to know.
#include "cuda_like_rig.hpp"

namespace {

using namespace cuda_like_rig;

template <class Side>
void one_handle_is_one_stream() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  const auto a = with.kept(handle), b = with.bare(handle);
  CHECK(a->handle != b->handle &&
        with.engine().native(a->handle) == with.engine().native(b->handle));
  CHECK(with.engine().same(a->handle, a->handle) && with.engine().same(a->handle, b->handle));
  record_event(*a);  // now the driver was asked about one of them
  CHECK(with.engine().same(a->handle, b->handle) && with.engine().same(b->handle, a->handle));
  check_work<Side>({}, [&] { CHECK(order(*a, *b) == ANYSTREAM_ORDERED_NOTHING); });
}

template <class Side>
void no_driver_is_asked_where_handles_differ() {
  const bench<Side> with;
  const auto a = with.kept(recording::make_stream()), b = with.kept(recording::make_stream());
  now().calls.clear();
  CHECK(!with.engine().same(a->handle, b->handle));
  CHECK(with.engine().in_order(a->handle) && !with.engine().may_be_gone(a->handle));
  CHECK(now().calls.empty());
}

// A stream is looked at when it is first used, and not when its handle comes in.
template <class Side>
void a_handle_that_comes_in_is_not_looked_at() {
  const bench<Side> with;
  check_work<Side>({}, [&] { static_cast<void>(with.bare(recording::streams + 77)); });
  CHECK(now().calls.empty());
}

void null_and_1_are_one_stream() {
  const bench<cuda> with;
  const auto null = with.bare(0), legacy = with.bare(1), per_thread_stream = with.bare(per_thread);
  CHECK(with.engine().same(null->handle, legacy->handle));
  CHECK(!with.engine().same(null->handle, per_thread_stream->handle));
  CHECK(with.engine().native(null->handle) == reinterpret_cast<void*>(1));
  CHECK(!with.engine().may_be_gone(null->handle));
}

void the_default_stream_of_hip_is_null() {
  const bench<hip> with;
  CHECK(with.engine().native(with.bare(0)->handle) == nullptr);
  CHECK(!with.engine().may_be_gone(with.bare(0)->handle));
}

template <class Side>
void handle_2_is_another_stream_in_each_thread() {
  const bench<Side> with;
  const auto here = with.bare(per_thread), again = with.bare(per_thread);
  CHECK(with.engine().same(here->handle, again->handle));
  stream_ref there;
  elsewhere([&] {
    there = with.bare(per_thread);
    CHECK(!with.engine().may_be_gone(there->handle) && with.engine().may_be_gone(here->handle));
  });
  CHECK(!with.engine().same(here->handle, there->handle));
  CHECK(with.engine().may_be_gone(there->handle) && !with.engine().may_be_gone(here->handle));
}

// Each device has its own default stream.
template <class Side>
void default_streams_of_two_devices_differ() {
  const bench<Side> with;
  const auto first = with.bare(Side::legacy, 0), second = with.bare(Side::legacy, 1);
  CHECK(!with.engine().same(first->handle, second->handle));
  record_event(*first), record_event(*second);
  CHECK(!with.engine().same(first->handle, second->handle));
}

// The user's own context has other default streams than the device's primary one.
void default_streams_of_two_contexts_differ() {
  bench<cuda> with;  // NOLINT(misc-const-correctness): of one side it is not
  now().initialized = true;
  const number own = recording::make_context(0);
  with.make_current(own);
  const auto in_own = with.bare(1);
  with.make_current(0);
  const auto in_primary = with.bare(1), again = with.bare(1);
  CHECK(!with.engine().same(in_own->handle, in_primary->handle));
  CHECK(with.engine().same(in_primary->handle, again->handle));
}

// The handle of a destroyed stream is soon another's: only its id tells.
void a_reused_handle_is_another_stream() {
  const bench<cuda> with;
  const number handle = recording::make_stream();
  const auto first = with.bare(handle);
  record_event(*first);
  recording::reuse(handle);
  const auto second = with.bare(handle);
  CHECK(!with.engine().same(first->handle, second->handle));
  CHECK(order(*second, *second) == ANYSTREAM_ORDERED_NOTHING);
}

// Where the driver has no ids, handles are all there is.
void without_ids_handles_tell() {
  bench<cuda> with;
  with.driver().stream_id = nullptr;
  const number handle = recording::make_stream();
  const auto a = with.bare(handle), b = with.bare(handle);
  record_event(*a), record_event(*b);
  CHECK(with.engine().same(a->handle, b->handle));
}

template <class Side>
void a_busy_stream_is_not_idle() {
  const bench<Side> with;
  const number handle = recording::make_stream();
  const auto stream = with.kept(handle);
  CHECK(is_idle(*stream) && with.engine().surely_idle(stream->handle));
  now().streams.at(handle).busy = true;
  CHECK(!is_idle(*stream));
  CHECK(synchronize(*stream) == ANYSTREAM_ORDERED_HOST_WAIT);
  CHECK(synchronize(*stream) == ANYSTREAM_ORDERED_IDLE);
  CHECK(!with.engine().surely_idle(with.bare(handle)->handle));
}

void a_stream_of_a_destroyed_context_is_not_touched() {
  for (const auto& end : {recording::destroy_context, recording::reset_context}) {
    const bench<cuda> with;
    const number own = recording::make_context(0);
    const auto gone = with.kept(recording::make_stream(own));
    const auto other = with.kept(recording::make_stream());
    CHECK(order(*gone, *other) == ANYSTREAM_ORDERED_EVENT);
    end(own);
    const lines work = work_of([&] {
      const auto says = CHECK_THROWS(value_error, record_event(*gone));
      CHECK(says ==
            "a CUDA stream on cuda:0 is gone: its context was destroyed, or its device "
            "reset.\n  Make a new stream.");
      CHECK_THROWS(value_error, order(*gone, *other));
      CHECK_THROWS(value_error, order(*other, *gone));
      CHECK_THROWS(value_error, with.engine().synchronize(gone->handle));
      CHECK_THROWS(value_error, with.engine().copy(gone->handle, {}, {}, 8));
      CHECK(with.engine().idle(gone->handle));  // as its work is gone, too
    });
    CHECK_EQUAL(text_of(work), "");
  }
}

// It is there again, with the device.
void a_default_stream_outlives_a_reset() {
  const bench<cuda> with;
  const auto legacy = with.bare(1), other = with.kept(recording::make_stream(context_1), 1);
  order(*legacy, *other);
  recording::reset_context(context_0);
  CHECK(order(*legacy, *other) == ANYSTREAM_ORDERED_EVENT);
  CHECK(with.engine().idle(legacy->handle));
}

template <class Side>
void devices_are_listed() {
  const bench<Side> with;
  const auto devices = with.engine().devices();
  CHECK_EQUAL(devices.size(), 2u);
  CHECK(std::string(devices[1].name) == "a recording device" && devices[1].device.device_id == 1);
  CHECK(std::string(devices[1].platform) == Side::name && std::string(devices[1].kind) == "gpu");
  now().failing[words<Side>("cuInit(").substr(0, words<Side>("cuInit(").size() - 1)] = 100;
  CHECK(with.engine().devices().empty());
}

}  // namespace

int main() {
  ON_BOTH(one_handle_is_one_stream);
  ON_BOTH(no_driver_is_asked_where_handles_differ);
  ON_BOTH(a_handle_that_comes_in_is_not_looked_at);
  null_and_1_are_one_stream();
  the_default_stream_of_hip_is_null();
  ON_BOTH(handle_2_is_another_stream_in_each_thread);
  ON_BOTH(default_streams_of_two_devices_differ);
  default_streams_of_two_contexts_differ();
  a_reused_handle_is_another_stream();
  without_ids_handles_tell();
  ON_BOTH(a_busy_stream_is_not_idle);
  a_stream_of_a_destroyed_context_is_not_touched();
  a_default_stream_outlives_a_reset();
  ON_BOTH(devices_are_listed);
  return check::result();
}
