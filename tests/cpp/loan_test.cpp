// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back of an array that lives on: at order_back, and at the end of each loan.
#include <atomic>
#include <cstdint>
#include <thread>

#include "check.hpp"
#include "way_back_rig.hpp"

namespace {

using anystream::ordered;
using anystream::release;
using way_back_rig::count;
using way_back_rig::freeing;
using way_back_rig::scene;
using way_back_rig::written;

namespace releases = anystream::releases;

constexpr bool frees_in_order = true;
constexpr bool frees_at_once = false;

void order_back_lets_the_producer_write() {
  scene with(freeing::in_order);
  {
    const auto a = with.make(release::ordered, frees_in_order);
    a.record_stream(with.consumer);
    with.read_later();
    CHECK(a.order_back() == ordered::event);
    with.home.fill(a.data(), 7.0F, count);
    CHECK(with.home.pending() == 2 && with.memory.releases() == 0);
    CHECK(a.order_back() == ordered::nothing);  // its users are forgotten
    CHECK_EQUAL(with.consumer.pending(), 2u);
    CHECK_EQUAL(with.read(), written);
    with.home.stream().synchronize();
    CHECK_EQUAL(with.memory.now(), 7.0F);
    with.home.hold();
  }
  CHECK(with.home.pending() == 1 && with.memory.releases() == 1);
}

// A copy reads its source on its own stream.
void a_queued_copy_is_a_use() {
  scene with(freeing::in_order);
  const auto a = with.make(release::ordered, frees_in_order);
  with.consumer.hold();
  const auto copy = a.copy_to(with.place.device(), with.consumer);
  CHECK(a.order_back() == ordered::event);
  with.home.fill(a.data(), 7.0F, count);
  with.consumer.copy(with.seen.data(), copy.data(), sizeof with.seen);
  CHECK_EQUAL(with.read(), written);
}

void order_back_by_each_policy() {
  scene with(freeing::at_once);
  auto a = with.make(release::host, frees_in_order);
  a.record_stream(with.consumer);
  CHECK(with.consumer.stream().synchronize() == ordered::idle);
  std::atomic<bool> open = false;
  with.consumer.call([&] {
    while (!open) std::this_thread::yield();
  });
  std::thread opens([&] { open = true; });
  const ordered how = a.order_back();
  opens.join();
  CHECK(how == ordered::host_wait || how == ordered::idle);
  CHECK_EQUAL(with.consumer.pending(), 0u);
  a.set_way_back(with.home, release::none, frees_in_order);
  CHECK(a.order_back() == ordered::nothing);
  a.set_way_back({}, release::ordered, frees_in_order);
  CHECK(a.order_back() == ordered::nothing && !a.release_policy());
}

void order_back_of_what_is_deferred_keeps_the_memory() {
  scene with(freeing::at_once);
  {
    const auto a = with.make(release::deferred, frees_in_order);
    a.record_stream(with.consumer);
    with.read_later();
    CHECK(a.order_back() == ordered::nothing);
    CHECK_EQUAL(with.home.pending(), 0u);
    CHECK_EQUAL(with.consumer.pending(), 2u);
  }
  CHECK_EQUAL(with.consumer.pending(), 2u);  // no second record
  CHECK_EQUAL(with.memory.releases(), 0);
  CHECK_EQUAL(with.read(), written);
  CHECK(releases::flush());
  CHECK_EQUAL(with.memory.releases(), 1);
}

// The consumer's library lets go of its tensor with its work queued; the array lives on.
void the_end_of_a_loan_orders_the_work_so_far() {
  scene with(freeing::in_order);
  {
    const auto a = with.make(release::ordered, frees_in_order);
    for (std::uint64_t loans = 1; loans <= 3; ++loans) {
      auto lent = anystream::lend_dlpack_versioned(a, with.consumer);
      if (loans == 1) with.read_later();
      CHECK_EQUAL(with.home.pending(), loans - 1);  // nothing before its end
      lent.reset();
      CHECK_EQUAL(with.home.pending(), loans);
    }
    with.home.fill(a.data(), 7.0F, count);
    CHECK_EQUAL(with.read(), written);
    with.home.stream().synchronize();
    CHECK_EQUAL(with.memory.now(), 7.0F);
    with.home.hold();
  }
  CHECK_EQUAL(with.home.pending(), 1u);  // the reuse: all loans were ordered at their ends
}

void the_last_loan_may_outlive_the_array() {
  scene with(freeing::at_once);
  auto lent = [&] {
    const auto a = with.make(release::ordered, frees_at_once);
    return anystream::lend_dlpack(a, with.consumer);
  }();
  CHECK(with.memory.releases() == 0 && releases::pending().number == 0);
  with.read_later();
  lent.reset();
  CHECK_EQUAL(releases::pending().number, 1);
  CHECK_EQUAL(with.read(), written);
  CHECK(releases::flush());
  CHECK_EQUAL(with.memory.releases(), 1);
}

void a_loan_is_a_use_while_it_lasts() {
  scene with(freeing::in_order);
  const auto a = with.make(release::ordered, frees_in_order);
  auto lent = anystream::lend_dlpack(a, with.consumer);
  with.read_later();
  CHECK(a.order_back() == ordered::event);
  CHECK(a.order_back() == ordered::event);  // it may have done more since
  CHECK_EQUAL(with.home.pending(), 2u);
  lent.reset();
  CHECK_EQUAL(with.home.pending(), 3u);
  CHECK(a.order_back() == ordered::nothing);
}

}  // namespace

int main() {
  releases::use_thread(false);  // what has gone is known at calls
  order_back_lets_the_producer_write();
  a_queued_copy_is_a_use();
  order_back_by_each_policy();
  order_back_of_what_is_deferred_keeps_the_memory();
  the_end_of_a_loan_orders_the_work_so_far();
  the_last_loan_may_outlive_the_array();
  a_loan_is_a_use_while_it_lasts();
  return check::result();
}
