// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler of exploring devices: one thread, one order a seed, waits that end or say why not.
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <anystream/error.hpp>

#include "backends/simulated_journal.hpp"
#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using simulated_rig::numbers;
using simulated_rig::platform;
using simulated_rig::stream;

struct explorer : simulated_rig::device {
  explicit explorer(std::uint64_t seed, const char* fault = "")
      : device{simulated::create_explorer(seed, fault), existing{}} {}
  explorer(const explorer&) = delete;
  explorer& operator=(const explorer&) = delete;
  ~explorer() { simulated::close_explorer(id); }

  void finish() const { simulated::finish_explorer(id); }
  const simulated::journal& told() const { return simulated::journal_of(id); }
  std::string schedule() const {
    std::string all;
    for (std::uint64_t index = 0; index < told().steps(); ++index) {
      const simulated::step& ran = *told().step_at(index);
      all += ran.stream + ": " + ran.operation + "\n";
    }
    return all;
  }
};

// Two streams, four operations each, ordered or not; gives the order in which they ran.
std::vector<int> run_eight(std::uint64_t seed, bool in_order = true) {
  const explorer where{seed};
  const stream a{where, in_order, "a"};
  const stream b{where, in_order, "b"};
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    a.call([&order, i] { order.push_back(i); });
    b.call([&order, i] { order.push_back(10 + i); });
  }
  where.finish();
  CHECK_EQUAL(order.size(), 8U);
  return order;
}

void one_seed_gives_one_order() {
  for (std::uint64_t seed = 0; seed < 200; ++seed) CHECK(run_eight(seed) == run_eight(seed));
}

// 70 orders keep both streams in order.
void seeds_give_all_orders_that_the_streams_allow() {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) orders.insert(run_eight(seed));
  CHECK_EQUAL(orders.size(), 70U);
}

void an_out_of_order_stream_runs_in_any_order() {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) orders.insert(run_eight(seed, false));
  CHECK(orders.size() > 1000);
}

void everything_runs_in_the_calling_thread() {
  const explorer where{1};
  const stream queue{where};
  std::set<std::thread::id> threads;
  for (int i = 0; i < 50; ++i) queue.call([&] { threads.insert(std::this_thread::get_id()); });
  platform().synchronize(queue.handle());
  CHECK(threads == std::set{std::this_thread::get_id()});
}

void an_event_orders_two_streams_in_every_schedule() {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const explorer where{seed};
    const stream producer{where};
    const stream consumer{where};
    const numbers source{where};
    const numbers target{where};
    source.fill(producer, 7);
    {
      const simulated_rig::event written{producer};
      CHECK(written.hold_back(consumer));
    }
    target.copy_from(consumer, source);
    platform().synchronize(consumer.handle());
    CHECK(target.all(7));
    CHECK_EQUAL(where.told().findings(), 0U);
  }
}

void a_barrier_splits_an_out_of_order_stream() {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const explorer where{seed};
    const stream queue{where, false};
    std::string order;
    for (const char letter : {'a', 'a', 'a'}) queue.call([&order, letter] { order += letter; });
    CHECK(platform().barrier(queue.handle()));
    for (const char letter : {'b', 'b', 'b'}) queue.call([&order, letter] { order += letter; });
    where.finish();
    CHECK_EQUAL(order, "aaabbb");
  }
}

void a_wait_that_cannot_end_says_what_is_pending() {
  const explorer where{3};
  const stream queue{where, true, "queue"};
  queue.hold();
  queue.call([] {});
  CHECK_MESSAGE(anystream::driver_error,
                "the host waits for stream \"queue\", which can never be complete: no operation "
                "can start.\n  stream \"queue\" is held, with 1 pending\n  A held stream is to be "
                "released, and an event to be recorded where it can be reached, before the host "
                "waits.",
                platform().synchronize(queue.handle()));
  CHECK_EQUAL(where.told().findings(), 1U);
  where.finish();  // lifts the hold
  CHECK_EQUAL(queue.pending(), 0U);
}

// The host waits on a, which is held; b, and a again, wait behind it.
void a_chain_that_begins_on_a_held_stream_is_told() {
  const explorer where{0};
  const stream a{where, true, "a"};
  const stream b{where, true, "b"};
  a.hold();
  b.hold();
  a.call([] {});
  const simulated_rig::event first{a};
  CHECK(first.hold_back(b));
  const simulated_rig::event second{b};
  CHECK(second.hold_back(a));
  const simulated_rig::event third{a};
  b.resume();
  CHECK_THROWS(anystream::driver_error, third.synchronize());
  a.resume();
  third.synchronize();
  CHECK(third.complete());
}

void an_operation_may_wait_for_others() {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const explorer where{seed};
    const stream a{where};
    const stream b{where};
    std::string order;
    b.call([&] { order += 'b'; });
    a.call([&] {
      platform().synchronize(b.handle());
      order += 'a';
    });
    where.finish();
    CHECK_EQUAL(order, "ba");
  }
}

void an_operation_that_waits_for_itself_is_found() {
  const explorer where{0};
  const stream queue{where, true, "queue"};
  std::string told;
  queue.call([&] {
    told = CHECK_THROWS(anystream::driver_error, platform().synchronize(queue.handle()));
  });
  where.finish();
  CHECK(told.find("\"queue\" is in an operation that waits") != std::string::npos);
}

// Other threads hold, ask and queue; the device's own thread runs what there is. What they wait for
// must have ended: that thread may wait for them.
void other_threads_are_served() {
  const explorer where{5};
  const stream queue{where};
  int ran = 0;
  std::thread::id by;
  std::thread{[&] {
    queue.call([&] {
      ++ran;
      by = std::this_thread::get_id();
    });
    CHECK(!platform().idle(queue.handle()));
    CHECK_THROWS(anystream::value_error, platform().synchronize(queue.handle()));
  }}.join();
  where.finish();
  std::thread{[&] {
    platform().synchronize(queue.handle());
    CHECK(platform().idle(queue.handle()));
  }}.join();
  CHECK_EQUAL(ran, 1);
  CHECK(by == std::this_thread::get_id());
}

void the_schedule_is_text() {
  const explorer where{0};
  const numbers memory{where};
  {
    const stream queue{where, true, "queue"};
    memory.fill(queue, 1);
    const simulated_rig::event written{queue};
    written.synchronize();
    CHECK_EQUAL(where.schedule(), "queue: fill 1024 bytes of memory 1\nqueue: record event 1\n");
  }
}

void another_device_is_refused() {
  const explorer where{0};
  const simulated_rig::device usual;
  const stream inside{where};
  const stream outside{usual};
  const numbers memory{where};
  CHECK_THROWS(anystream::value_error, memory.fill(outside, 1));
  const simulated_rig::event here{inside};
  const simulated_rig::event there{outside};
  CHECK_THROWS(anystream::value_error, here.hold_back(outside));
  CHECK_THROWS(anystream::value_error, there.hold_back(inside));
  CHECK_THROWS(anystream::value_error, simulated::finish_explorer(usual.id));
}

void a_closed_device_is_forgotten() {
  const std::size_t before = platform().devices().size();
  std::int32_t id = 0;
  {
    const explorer where{0};
    id = where.id;
    CHECK_EQUAL(platform().devices().size(), before + 1);
  }
  CHECK_EQUAL(platform().devices().size(), before);
  CHECK_THROWS(anystream::value_error, simulated::create_stream(id, "", true));
}

// Also where a handle is left: nobody polls, waits or keeps memory for what will never run.
void closing_lets_go_of_what_is_queued() {
  const simulated_rig::device where{simulated::create_explorer(0, ""),
                                    simulated_rig::device::existing{}};
  const stream queue{where};
  queue.hold();
  std::weak_ptr<int> kept;
  {
    const auto held = std::make_shared<int>(0);
    kept = held;
    queue.call([held] {});
  }
  const simulated_rig::event recorded{queue};
  void* const memory = simulated::allocate_memory(where.id, 16);
  platform().deallocate({kDLExtDev, where.id}, memory, queue.handle());
  CHECK(!kept.expired() && platform().owns(memory) && !recorded.complete());
  std::thread waiting{[&] { recorded.synchronize(); }};
  simulated::close_explorer(where.id);
  waiting.join();
  CHECK(kept.expired() && !platform().owns(memory) && recorded.complete());
  CHECK(platform().idle(queue.handle()));
  CHECK_MESSAGE(anystream::value_error,
                "simulated stream \"stream 0\": its exploring device was closed; use the device's "
                "streams within its own schedule.",
                queue.call([] {}));
  CHECK_THROWS(anystream::value_error, simulated::close_explorer(where.id));
}

}  // namespace

int main() {
  one_seed_gives_one_order();
  seeds_give_all_orders_that_the_streams_allow();
  an_out_of_order_stream_runs_in_any_order();
  everything_runs_in_the_calling_thread();
  an_event_orders_two_streams_in_every_schedule();
  a_barrier_splits_an_out_of_order_stream();
  a_wait_that_cannot_end_says_what_is_pending();
  a_chain_that_begins_on_a_held_stream_is_told();
  an_operation_may_wait_for_others();
  an_operation_that_waits_for_itself_is_found();
  other_threads_are_served();
  the_schedule_is_text();
  another_device_is_refused();
  a_closed_device_is_forgotten();
  closing_lets_go_of_what_is_queued();
  return check::result();
}
