// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points of the simulated backend, with their faults.
#include "simulated_entries.hpp"

#include <exception>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "simulated_machine.hpp"
#include "simulated_memory.hpp"
#include "simulated_scheduler.hpp"
#include "simulated_stream.hpp"

namespace anystream::core::simulated {
namespace {

fault fault_of(const stream& on) noexcept {
  return on.explorer() != nullptr ? on.explorer()->faults().which() : fault::none;
}

bool is_closed(const stream& on) noexcept {
  return on.explorer() != nullptr && on.explorer()->closed();
}

faulty_device& faults_of(const stream& on) noexcept { return on.explorer()->faults(); }

bool has(const event& recorded, fault one) noexcept {
  return recorded.explorer() != nullptr && recorded.explorer()->faults().has(one);
}

std::shared_ptr<event> complete_event(const stream& on) {
  auto made = on.new_event();
  made->finish();
  return made;
}

// Recorded again, but complete all the while.
std::shared_ptr<event> record_reused(stream& on) {
  std::shared_ptr<event> reused = faults_of(on).take_complete();
  if (!reused) return on.record();
  on.submit({.completes = reused, .covers_earlier = true, .label = "record " + reused->name()});
  return reused;
}

std::shared_ptr<event> record_early(stream& on) {
  auto made = on.new_event();
  on.submit_before_last(
      {.completes = made, .covers_earlier = true, .label = "record " + made->name()});
  return made;
}

std::shared_ptr<event> record_uncovered(stream& on) {
  auto made = on.new_event();
  on.submit({.completes = made, .label = "record " + made->name()});
  return made;
}

std::shared_ptr<event> record_with_fault(stream& on) {
  switch (fault_of(on)) {
    case fault::record_left_out:
      return complete_event(on);
    case fault::record_too_early:
      return record_early(on);
    case fault::record_on_another_stream:
      return on.explorer()->after(on).record();
    case fault::record_covers_nothing:
      return record_uncovered(on);
    case fault::event_reused_too_soon:
      return record_reused(on);
    default:
      return on.record();
  }
}

void run_now(const stream& on, const operation& copy) {
  on.explorer()->told()->begin(on.traits().name, copy.label);
  copy.run();
  on.explorer()->told()->end();
}

// A stream that waits for what nobody will run would wait in vain.
void check_same_device(const stream& on, const event& earlier) {
  if (on.explorer() == earlier.explorer()) return;
  throw value_error(
      "a stream of an exploring device waits for events of the same device only; got an event of "
      "another device.\n  Make all streams of the test on one ExploringDevice.");
}

bool does_free_in_order(const stream& on) {
  if (on.explorer() == nullptr || is_closed(on)) return false;
  return fault_of(on) != fault::free_at_once && fault_of(on) != fault::recycled_at_once;
}

// Freed when the operation lets go of it: also if none is queued, or it never runs.
void queue_free(stream& on, void* memory) {
  memory_map& map = memory_map::instance();
  const auto found = map.at(memory);
  std::shared_ptr<void> last{memory, [&map](void* freed) { map.deallocate(freed); }};
  const bool elsewhere = fault_of(on) == fault::free_on_another_stream;
  stream& frees = elsewhere ? on.explorer()->after(on) : on;
  frees.submit({.run = [last = std::move(last)] {}, .label = "free " + name_of(found)});
}

void tell_free(const void* memory) {
  const auto found = memory_map::instance().at(memory);
  if (found && found->checked) found->checked->told()->host("free " + name_of(found));
}

}  // namespace

// On a device that has been closed nothing is pending; arrays may outlive it, and come back to it.
std::shared_ptr<event> record(stream& on) {
  if (is_closed(on)) return complete_event(on);
  std::shared_ptr<event> made = record_with_fault(on);
  if (on.explorer() == nullptr) return made;
  if (fault_of(on) == fault::wait_for_an_older_event) faults_of(on).remember(on, made);
  if (fault_of(on) == fault::record_gives_the_one_before) {
    if (auto before = faults_of(on).remember(on, made)) made = std::move(before);
  }
  on.explorer()->point();
  return made;
}

void wait(stream& on, const std::shared_ptr<event>& earlier) {
  check_same_device(on, *earlier);
  if (is_closed(on)) return;
  switch (fault_of(on)) {
    case fault::wait_left_out:
      break;
    case fault::wait_on_another_stream:
      on.explorer()->after(on).wait(earlier);
      break;
    case fault::wait_for_an_older_event: {
      const auto before = faults_of(on).recorded_before(earlier);
      on.wait(before ? before : earlier);
      break;
    }
    default:
      on.wait(earlier);
  }
  on.point();
}

void barrier(stream& on) {
  if (is_closed(on)) return;
  switch (fault_of(on)) {
    case fault::barrier_left_out:
      break;
    case fault::barrier_holds_nothing:
      on.submit({.covers_earlier = true, .label = "barrier"});
      break;
    default:
      on.barrier();
  }
  on.point();
}

bool complete(const event& recorded) {
  if (recorded.explorer() != nullptr) recorded.explorer()->point();
  return recorded.complete() || has(recorded, fault::complete_says_yes);
}

bool idle(const stream& on) {
  on.point();
  return on.pending() == 0 || fault_of(on) == fault::idle_says_yes;
}

bool in_order(const stream& on) {
  return on.traits().in_order || fault_of(on) == fault::in_order_says_yes;
}

bool same(const stream* a, const stream* b) {
  const bool one_device = a != nullptr && b != nullptr && a->explorer() == b->explorer();
  return one_device && fault_of(*a) == fault::same_says_yes;
}

void synchronize(stream& on) {
  if (fault_of(on) != fault::synchronize_returns_at_once) on.synchronize();
}

void synchronize_event(event& recorded) {
  if (!has(recorded, fault::synchronize_event_returns_at_once)) recorded.synchronize();
}

void destroy(const std::shared_ptr<event>& recorded) {
  if (recorded->explorer() == nullptr) return;
  if (has(*recorded, fault::event_ends_when_given_back)) recorded->finish();
  if (has(*recorded, fault::event_reused_too_soon)) {
    recorded->explorer()->faults().give_back(recorded);
  }
}

void submit_copy(stream& on, operation copy) {
  switch (fault_of(on)) {
    case fault::copy_at_once:
      run_now(on, copy);
      break;
    case fault::copy_on_another_stream:
      on.explorer()->after(on).submit(std::move(copy));
      break;
    case fault::copy_overtakes_a_wait:
      on.submit_before_wait(std::move(copy));
      break;
    default:
      on.submit(std::move(copy));
  }
  on.point();
}

void* allocate(std::int32_t device, std::size_t bytes) {
  const std::shared_ptr<scheduler> explorer = machine::instance().explorer_of(device);
  memory_map& map = memory_map::instance();
  if (!explorer) return map.allocate(device, bytes);
  if (explorer->faults().has(fault::recycled_at_once)) {
    if (void* const recycled = map.recycle(device, bytes)) return recycled;
  }
  return map.allocate(device, bytes, explorer->told());
}

// On an exploring device a free is an operation of its stream, as it is for a good allocator. With
// no stream, or no one to run it, or no memory for the operation, it is done at once.
void deallocate(void* memory, void* stream) noexcept {
  try {
    const auto on = machine::instance().look_up(stream);
    if (on && does_free_in_order(*on)) return queue_free(*on, memory);
    tell_free(memory);
    memory_map::instance().deallocate(memory);
  } catch (const std::exception&) {
    memory_map::instance().deallocate(memory);
  }
}

void deallocate_at_once(void* memory) {
  tell_free(memory);
  if (memory_map::instance().deallocate(memory)) return;
  throw value_error(
      "simulated memory: freed what is not the start of a live allocation.\n"
      "  Free each allocation once, by the address that allocating it gave.");
}

}  // namespace anystream::core::simulated
