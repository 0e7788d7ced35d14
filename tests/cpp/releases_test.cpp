// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of releases that wait for the device: who works it off, its bound, and its end.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "check.hpp"
#include "way_back_rig.hpp"

namespace {

using namespace std::chrono_literals;
using anystream::array;
using anystream::release;
using anystream::testing::simulated_device;
using way_back_rig::count;
using way_back_rig::f32;
using way_back_rig::freeing;
using way_back_rig::scene;
using way_back_rig::shape;

namespace releases = anystream::releases;

constexpr std::uint64_t bytes = count * sizeof(float);

bool soon(const std::function<bool()>& so) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!so() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  return so();
}

// Drops so many arrays with the stream's work pending.
void drop_arrays(int number, const simulated_device& place,
                 const anystream::testing::simulated_stream& stream) {
  for (int i = 0; i < number; ++i) {
    const array a = place.empty(shape, f32, stream);
    stream.fill(a.data(), 1.0F, count);
  }
}

void the_thread_needs_no_call() {
  releases::use_thread(true);
  for (int round = 0; round < 2; ++round) {  // the second finds it asleep
    scene with(freeing::at_once);
    with.home.hold();
    {
      const auto a = with.make(release::ordered, false);
      with.home.fill(a.data(), 1.0F, count);
    }
    CHECK_EQUAL(with.memory.releases(), 0);
    with.home.resume();
    CHECK(soon([&] { return with.memory.releases() == 1; }));
    CHECK(soon([] { return releases::pending().number == 0; }));
    std::this_thread::sleep_for(20ms);
  }
  releases::use_thread(false);
}

void without_it_calls_do() {
  const simulated_device place;
  const auto stream = place.make_stream();
  stream.hold();
  drop_arrays(3, place, stream);
  CHECK_EQUAL(releases::pending().number, 3);
  releases::run();
  CHECK_EQUAL(releases::pending().number, 3);
  stream.resume();
  CHECK(stream.stream().synchronize() == anystream::ordered::idle ||
        releases::pending().number == 0);
  releases::run();
  CHECK_EQUAL(releases::pending().number, 0);
}

void a_flush_ends_in_time_or_with_the_last() {
  const simulated_device place;
  const auto stream = place.make_stream();
  stream.hold();
  drop_arrays(2, place, stream);
  const auto before = std::chrono::steady_clock::now();
  CHECK(!releases::flush(0));
  CHECK(!releases::flush(0.05));
  CHECK(std::chrono::steady_clock::now() - before >= 50ms);
  std::thread resumes([&] { stream.resume(); });
  CHECK(releases::flush(60));
  resumes.join();
  CHECK_EQUAL(releases::pending().bytes, 0u);
  CHECK(releases::flush() && releases::flush(0));
}

// The stream runs on operation by operation: there is room before all is done.
void who_needs_room_waits_for_the_oldest() {
  for (const auto& limit : {releases::waiting{2, 0}, releases::waiting{0, 2 * bytes + 1}}) {
    const simulated_device place;
    const auto first = place.make_stream();
    const auto second = place.make_stream();
    for (const auto* stream : {&first, &second}) stream->hold();
    releases::set_limit(limit);
    drop_arrays(2, place, first);
    releases::wait_for_room();  // there is: returns
    CHECK_EQUAL(releases::pending().number, 2);
    drop_arrays(2, place, second);
    std::thread resumes([&] { first.resume(); });
    releases::wait_for_room();
    CHECK_EQUAL(releases::pending().number, 2);
    resumes.join();
    CHECK_EQUAL(second.pending(), 4u);  // what is not the oldest was not waited for
    releases::set_limit({0, 0});
    drop_arrays(50, place, second);
    releases::wait_for_room();  // no limit
    second.resume();
    CHECK(releases::flush());
  }
  releases::set_limit({1024, std::uint64_t{256} << 20});
}

struct calling_owner {
  // One entry that is due, and not in this thread's hands.
  void call() {
    const auto other = place.make_stream();
    other.hold();
    drop_arrays(1, place, other);
    other.resume();
    other.stream().record().synchronize();
    const auto before = releases::pending().number;
    releases::run();
    releases::wait_for_room();
    CHECK(!releases::flush());
    CHECK_EQUAL(releases::pending().number, before);
    ++calls;
  }

  const simulated_device& place;
  int calls = 0;
};

// The same where nothing is ordered for it.
void an_owner_may_call_the_library_without_a_way_back() {
  for (const bool has_one : {false, true}) {
    const simulated_device place;
    const auto stream = place.make_stream();
    const array memory = place.empty(shape, f32, stream);
    calling_owner owner{place};
    {
      auto a = array::wrap(memory.tensor(), 0,
                           {&owner, [](void* self) { static_cast<calling_owner*>(self)->call(); }});
      if (has_one) a.set_way_back(stream, release::none, false);
    }
    CHECK_EQUAL(owner.calls, 1);
    CHECK(releases::flush());
  }
}

// What it calls lets go of nothing else, and does not wait for what its thread has in hand.
void an_owner_may_call_the_library() {
  const simulated_device place;
  const auto stream = place.make_stream();
  const array memory = place.empty(shape, f32, stream);
  calling_owner owner{place};
  stream.hold();
  {
    auto a = array::wrap(memory.tensor(), 0,
                         {&owner, [](void* self) { static_cast<calling_owner*>(self)->call(); }});
    a.set_way_back(stream, release::ordered, false);
    stream.fill(a.data(), 1.0F, count);
  }
  drop_arrays(2, place, stream);
  stream.resume();
  stream.stream().record().synchronize();  // so that all three are taken in hand at once
  releases::set_limit({1, 0});
  CHECK(releases::flush());
  CHECK_EQUAL(owner.calls, 1);
  releases::set_limit({1024, std::uint64_t{256} << 20});
}

void ten_threads_let_go_at_once() {
  constexpr int threads = 10;
  constexpr int rounds = 300;
  const simulated_device place;
  const auto home = place.make_stream("home");
  const auto consumer = place.make_stream("consumer");
  const array memory = place.empty(shape, f32, home);
  std::atomic<int> released = 0;
  const auto body = [&](int policy) {
    for (int i = 0; i < rounds; ++i) {
      auto a =
          array::wrap(memory.tensor(), 0,
                      {&released, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }});
      a.set_way_back(home, static_cast<release>(policy % 3), i % 2 == 0);
      a.record_stream(consumer);
      const auto lent = anystream::lend_dlpack(a, i % 3 == 0 ? consumer : home);
      if (i % 16 == 0) releases::wait_for_room();
      if (i % 7 == 0) a.order_back();
    }
  };
  releases::use_thread(true);
  releases::set_limit({64, 0});
  std::vector<std::thread> all;
  all.reserve(threads);
  for (int thread = 0; thread < threads; ++thread) all.emplace_back(body, thread);
  for (std::thread& each : all) each.join();
  CHECK(releases::flush());
  CHECK_EQUAL(released.load(), threads * rounds);
  CHECK_EQUAL(releases::pending().bytes, 0u);
  releases::use_thread(false);
}

// One array, used, lent and ordered by all at once.
void one_array_is_lent_by_all() {
  const simulated_device place;
  const auto home = place.make_stream("home");
  const auto consumer = place.make_stream("consumer");
  const array a = place.empty(shape, f32, home);
  std::vector<std::thread> all;
  all.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    all.emplace_back([&, thread] {
      for (int i = 0; i < 300; ++i) {
        const auto lent = anystream::lend_dlpack(a, consumer);
        if (thread == 0) a.order_back();
        if (thread == 1) a.record_stream(consumer);
      }
    });
  }
  for (std::thread& each : all) each.join();
  a.order_back();
  CHECK(a.order_back() == anystream::ordered::nothing);
}

// All of them order at once: none forgets what another has recorded since, nor anything twice.
void one_array_is_ordered_by_all() {
  const simulated_device place;
  const auto home = place.make_stream("home");
  const auto consumer = place.make_stream("consumer");
  const array a = place.empty(shape, f32, home);
  std::vector<std::thread> all;
  all.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    all.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        a.record_stream(consumer);
        a.order_back();
      }
    });
  }
  for (std::thread& each : all) each.join();
  a.order_back();
  CHECK(a.order_back() == anystream::ordered::nothing);
  a.record_stream(consumer);
  CHECK(a.order_back() == anystream::ordered::event);
  CHECK(a.order_back() == anystream::ordered::nothing);
}

// Last, since what is left then stays for good.
void after_the_end_nothing_is_let_go_of() {
  scene with(freeing::at_once);
  releases::use_thread(true);
  with.home.hold();
  {
    const auto a = with.make(release::ordered, false);
    with.home.fill(a.data(), 1.0F, count);
  }
  releases::stop(0.02);
  CHECK(releases::pending().number == 0 && releases::pending().bytes == 0);
  with.home.resume();
  with.home.stream().synchronize();
  releases::run();
  CHECK_EQUAL(with.memory.releases(), 0);
  with.home.hold();
  drop_arrays(1, with.place, with.home);
  with.home.resume();
  with.home.stream().record().synchronize();
  CHECK_EQUAL(releases::pending().number, 1);  // no thread; a call does it
  releases::run();
  CHECK_EQUAL(releases::pending().number, 0);
  releases::stop(-1);
}

}  // namespace

int main() {
  the_thread_needs_no_call();
  without_it_calls_do();
  a_flush_ends_in_time_or_with_the_last();
  who_needs_room_waits_for_the_oldest();
  an_owner_may_call_the_library();
  an_owner_may_call_the_library_without_a_way_back();
  ten_threads_let_go_at_once();
  one_array_is_lent_by_all();
  one_array_is_ordered_by_all();
  after_the_end_nothing_is_let_go_of();
  return check::result();
}
