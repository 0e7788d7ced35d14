// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool of events: in the steady state none is made, and who waits for one is not disturbed.
#include <cstdint>
#include <utility>

#include "array.hpp"
#include "check.hpp"
#include "deferred.hpp"
#include "event.hpp"
#include "order.hpp"
#include "release.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;

constexpr bool frees_in_order = true;

array_ref simulated_array(stream& home, stream& consumer, int& released) {
  std::int64_t shape = 1;
  static float memory;
  const DLTensor tensor = {&memory, home.device, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
  owner keep(&released, [](void* count) { ++*static_cast<int*>(count); });
  auto made = wrap_memory(tensor, 0, *home.platform, std::move(keep));
  set_way_back(*made, &home, ANYSTREAM_RELEASE_ORDERED, frees_in_order);
  record_stream(*made, consumer);
  return made;
}

void no_event_is_made_in_the_steady_state() {
  const simulated_rig::device place;
  const simulated_rig::stream a(place), b(place);
  const auto home = make_described_stream("simulated", a.handle(), {});
  const auto consumer = make_described_stream("simulated", b.handle(), {});
  int released = 0;
  std::uint64_t before = 0;
  constexpr int rounds = 100'000;
  for (int round = 0; round < rounds; ++round) {
    if (round == 1) before = events_created();
    order(*home, *consumer);
    simulated_array(*home, *consumer, released) = {};
  }
  CHECK_EQUAL(released, rounds);
  CHECK_EQUAL(events_created() - before, 0u);
  empty_event_pool();
  order(*home, *consumer);
  CHECK_EQUAL(events_created() - before, 1u);
}

// A handle is recorded again while its first record is pending: who waits for that still does.
void a_pooled_event_does_not_disturb_who_waits_for_it() {
  const simulated_rig::device place;
  const simulated_rig::stream a(place), b(place), idle(place);
  const auto home = make_described_stream("simulated", a.handle(), {});
  const auto other = make_described_stream("simulated", idle.handle(), {});
  const auto consumer = make_described_stream("simulated", b.handle(), {});
  const simulated_rig::numbers from(place), to(place);
  a.hold();
  from.fill(a, 7.0F);
  order(*home, *consumer);
  const auto again = record_event(*other);  // by the same handle
  simulated_rig::platform().synchronize_event(again->handle);
  to.copy_from(b, from);
  CHECK(b.pending() == 2 && to.is_poison());
  a.resume();
  synchronize(*consumer);
  CHECK(to.all(7.0F));
}

void events_of_two_devices_are_not_mixed() {
  empty_event_pool();
  const simulated_rig::device one, other;
  const simulated_rig::stream a(one), b(other);
  const auto first = make_described_stream("simulated", a.handle(), {});
  const auto second = make_described_stream("simulated", b.handle(), {});
  const void* const handle = record_event(*first)->handle;
  const auto kept = record_event(*second);
  CHECK(kept->handle != handle);
  CHECK(record_event(*first)->handle == handle);
}

}  // namespace

int main() {
  use_release_thread(false);
  no_event_is_made_in_the_steady_state();
  a_pooled_event_does_not_disturb_who_waits_for_it();
  events_of_two_devices_are_not_mixed();
  return check::result();
}
