// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back, from the outside: an array goes while its consumer's stream is held, and the memory
// is neither freed nor written again before the consumer has read it.
#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.hpp"
#include "way_back_rig.hpp"

namespace {

using anystream::release;
using way_back_rig::count;
using way_back_rig::f32;
using way_back_rig::freeing;
using way_back_rig::reused;
using way_back_rig::scene;
using way_back_rig::shape;
using way_back_rig::written;

namespace releases = anystream::releases;

constexpr bool frees_in_order = true;
constexpr bool frees_at_once = false;

// What freed memory reads.
bool is_debris(float value) { return std::bit_cast<std::uint32_t>(value) == 0xDDDDDDDDU; }

// ---- policies -----------------------------------------------------------------------------------

// An allocator of the producer's reuses the memory on home as soon as it gets it back.
void home_waits_before_it_reuses() {
  scene with(freeing::in_order);
  {
    const auto a = with.make(release::ordered, frees_in_order);
    a.record_stream(with.consumer);
    with.read_later();
  }
  CHECK_EQUAL(with.memory.releases(), 1);  // at once: its reuse is ordered on the device
  CHECK_EQUAL(releases::pending().number, 0);
  CHECK(with.consumer.pending() == 2);  // the reading and the record
  CHECK(with.home.pending() == 2);      // the wait and the reuse
  CHECK_EQUAL(with.read(), written);
  with.home.stream().synchronize();
  CHECK_EQUAL(with.memory.now(), reused);
}

// And one that frees at once gets it back when all is done.
void what_frees_at_once_is_deferred() {
  scene with(freeing::at_once);
  {
    const auto a = with.make(release::ordered, frees_at_once);
    a.record_stream(with.consumer);
    with.read_later();
  }
  releases::run();
  CHECK_EQUAL(with.memory.releases(), 0);
  CHECK_EQUAL(releases::pending().number, 1);
  CHECK_EQUAL(releases::pending().bytes, count * sizeof(float));
  CHECK(with.home.pending() == 2);  // the wait, and home's own end
  CHECK_EQUAL(with.read(), written);
  CHECK(releases::flush());
  CHECK_EQUAL(with.memory.releases(), 1);
  CHECK(is_debris(with.memory.now()));
  CHECK_EQUAL(releases::pending().number, 0);
}

// Home's own work keeps it too, without any other stream.
void what_home_still_does_is_waited_for() {
  scene with(freeing::at_once);
  with.home.hold();
  {
    const auto a = with.make(release::ordered, frees_at_once);
    with.home.fill(a.data(), 7.0F, count);
  }
  CHECK(with.memory.releases() == 0 && with.home.pending() == 2);
  with.home.resume();
  CHECK(releases::flush());
  CHECK_EQUAL(with.memory.releases(), 1);
}

void nothing_is_done_with_none() {
  scene with(freeing::at_once);
  {
    const auto a = with.make(release::none, frees_at_once);
    a.record_stream(with.consumer);
    with.read_later();
  }
  CHECK_EQUAL(with.memory.releases(), 1);
  CHECK(with.consumer.pending() == 1 && with.home.pending() == 0);
  CHECK(is_debris(with.read()));  // what everyone else's consumers read
}

void deferred_keeps_the_memory_and_lets_home_go_on() {
  for (const bool in_order : {true, false}) {
    scene with(in_order ? freeing::in_order : freeing::at_once);
    {
      const auto a = with.make(release::deferred, in_order);
      a.record_stream(with.consumer);
      with.read_later();
    }
    with.home.stream().synchronize();  // returns: it does not wait for the consumer
    CHECK_EQUAL(with.memory.releases(), 0);
    CHECK_EQUAL(with.read(), written);
    CHECK(releases::flush());
    CHECK_EQUAL(with.memory.releases(), 1);
  }
}

// Whoever lets go is back when the consumer is done: its last operation has run.
void host_waits() {
  for (int trial = 0; trial < 50; ++trial) {
    scene with(freeing::at_once);
    std::atomic<bool> open = false;
    std::atomic<bool> ran = false;
    with.consumer.call([&] {
      while (!open) std::this_thread::yield();
      ran = true;
    });
    std::thread opens;
    {
      const auto a = with.make(release::host, frees_at_once);
      a.record_stream(with.consumer);
      opens = std::thread([&] { open = true; });
    }
    CHECK(ran && with.memory.releases() == 1);
    CHECK_EQUAL(with.home.pending(), 0u);
    opens.join();
  }
}

// ---- users --------------------------------------------------------------------------------------

void one_stream_costs_nothing() {
  scene with(freeing::in_order);
  with.home.hold();
  {
    const auto a = with.make(release::ordered, frees_in_order);
    a.record_stream(with.home);
    a.record_stream(anystream::stream(with.home.stream()));
    const auto lent = anystream::lend_dlpack(a, with.home);
    CHECK_EQUAL(with.home.pending(), 0u);
  }
  CHECK(with.memory.releases() == 1 && with.home.pending() == 1);  // the reuse alone
}

void each_user_is_waited_for_once() {
  scene with(freeing::in_order);
  std::vector<anystream::testing::simulated_stream> users;
  users.reserve(5);
  for (int i = 0; i < 5; ++i) users.push_back(with.place.make_stream());
  {
    const auto a = with.make(release::ordered, frees_in_order);
    for (const auto& user : users) {
      user.hold();
      a.record_stream(user);
      a.record_stream(user.stream().with_policy(anystream::out_of_order::barrier));
    }
  }
  for (const auto& user : users) CHECK_EQUAL(user.pending(), 1u);
  CHECK_EQUAL(with.home.pending(), 6u);  // five waits and the reuse
  for (const auto& user : users) {
    CHECK_EQUAL(with.memory.now(), written);
    user.resume();
  }
  with.home.stream().synchronize();
  CHECK_EQUAL(with.memory.now(), reused);
}

void a_stream_that_the_array_moved_to_is_a_user() {
  scene with(freeing::in_order);
  {
    auto a = with.make(release::ordered, frees_in_order);
    with.read_later();
    a.set_stream(with.consumer);
    a.set_stream(with.home);
  }
  CHECK_EQUAL(with.home.pending(), 2u);
  CHECK_EQUAL(with.read(), written);
}

void an_earlier_home_is_a_user_of_the_next() {
  scene with(freeing::at_once);
  {
    auto a = with.make(release::ordered, frees_at_once);
    with.home.hold();
    with.home.fill(a.data(), 7.0F, count);
    a.set_way_back(with.consumer, release::deferred, frees_in_order);
    CHECK(a.release_policy() == release::deferred);
  }
  CHECK_EQUAL(with.memory.releases(), 0);
  with.home.resume();
  CHECK(releases::flush());
  CHECK_EQUAL(with.memory.releases(), 1);
}

// Of out-of-order queues later operations may be run first: also on the one queue.
void out_of_order_queues_are_held_back() {
  for (int trial = 0; trial < 100; ++trial) {
    scene with(freeing::in_order, false);
    with.home.hold();
    {
      const auto a = with.make(release::ordered, frees_in_order);
      with.home.copy(with.seen.data(), a.data(), sizeof with.seen);
      a.record_stream(with.home);
    }
    CHECK_EQUAL(with.home.pending(), 3u);  // the reading, a barrier, the reuse
    with.home.resume();
    with.home.stream().synchronize();
    CHECK_EQUAL(with.seen[0], written);
  }
}

// ---- the library's own arrays -------------------------------------------------------------------

void own_memory_is_not_freed_under_its_stream() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  stream.hold();
  const void* data = nullptr;
  {
    const auto a = place.empty(shape, f32, stream);
    CHECK(a.release_policy() == release::ordered);
    stream.fill(a.data(), written, count);
    data = a.data();
  }
  float now = 0;
  const auto look = [&] {
    anystream::check(anystream::api().simulated->peek(data, &now, sizeof now));
    return now;
  };
  CHECK(!is_debris(look()));
  CHECK_EQUAL(releases::pending().number, 1);
  stream.resume();
  CHECK(releases::flush());
  CHECK(is_debris(look()));
  CHECK(!anystream::array::empty({}, shape, f32).release_policy());
}

// ---- what is refused ----------------------------------------------------------------------------

void what_is_refused_says_why() {
  scene with(freeing::at_once);
  auto a = with.memory.wrap(with.place);
  const auto cuda = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  CHECK_MESSAGE(anystream::value_error,
                "record_stream: nothing would wait for the stream, since a simulated kDLExtDev "
                "array here has no way back.\n  Set one first, with the stream that its memory "
                "goes back to: set_way_back.",
                a.record_stream(with.consumer));
  const char* other = "a stream of cuda:0 cannot carry the work of a simulated kDLExtDev array.";
  CHECK_MESSAGE(anystream::type_error, other, a.record_stream(cuda));
  CHECK_MESSAGE(anystream::type_error, other, a.set_way_back(cuda, release::ordered, true));
  CHECK_MESSAGE(anystream::type_error, other, anystream::lend_dlpack(a, cuda));
  CHECK_MESSAGE(anystream::value_error,
                "a release is ANYSTREAM_RELEASE_ORDERED (0), _DEFERRED (1), _HOST (2) or _NONE "
                "(3); got 4.",
                a.set_way_back(with.home, static_cast<release>(4), true));
  CHECK(!a.release_policy());
  CHECK_MESSAGE(anystream::value_error,
                "a limit of pending releases is a number from 0 (none) on; got -1.",
                releases::set_limit({-1, 0}));
  const auto plain = anystream::lend_dlpack(a, with.consumer);  // without a way back: an export
  CHECK_EQUAL(with.consumer.pending(), 0u);
}

void a_platform_that_cannot_be_ordered_takes_none_only() {
  const std::array<std::int64_t, 1> extents = {1};
  float value = 0;
  const DLTensor tensor = {
      &value, {kDLCUDA, 0}, 1, f32.dlpack(), const_cast<std::int64_t*>(extents.data()), nullptr, 0};
  auto a = anystream::array::wrap(tensor, 0, {});
  const auto cuda = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  CHECK_THROWS(anystream::driver_unavailable, a.set_way_back(cuda, release::ordered, true));
  a.set_way_back(cuda, release::none, true);
  a.record_stream(cuda);
  CHECK(a.release_policy() == release::none);
}

}  // namespace

int main() {
  releases::use_thread(false);  // what has gone is known at calls
  home_waits_before_it_reuses();
  what_frees_at_once_is_deferred();
  what_home_still_does_is_waited_for();
  nothing_is_done_with_none();
  deferred_keeps_the_memory_and_lets_home_go_on();
  host_waits();
  one_stream_costs_nothing();
  each_user_is_waited_for_once();
  a_stream_that_the_array_moved_to_is_a_user();
  an_earlier_home_is_a_user_of_the_next();
  out_of_order_queues_are_held_back();
  own_memory_is_not_freed_under_its_stream();
  what_is_refused_says_why();
  a_platform_that_cannot_be_ordered_takes_none_only();
  return check::result();
}
