// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles of simulated streams: counted, found by name, checked; host functions; a forked child.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include <anystream/error.hpp>

#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using anystream::driver_unavailable;
using anystream::value_error;
using simulated_rig::device;
using simulated_rig::numbers;
using simulated_rig::platform;
using simulated_rig::stream;

void a_handle_that_names_nothing_is_refused(stream_handle handle) {
  const DLDevice where{kDLExtDev, 0};
  CHECK_THROWS(value_error, platform().retain(where, handle, true));
  CHECK_THROWS(value_error, platform().device_of(handle));
  CHECK_THROWS(value_error, platform().in_order(handle));
  CHECK_THROWS(value_error, platform().idle(handle));
  CHECK_THROWS(value_error, platform().synchronize(handle));
  CHECK_THROWS(value_error, platform().barrier(handle));
  CHECK_THROWS(value_error, platform().record(handle));
  CHECK_THROWS(value_error, simulated::hold_stream(handle));
  CHECK_THROWS(value_error, simulated::resume_stream(handle));
  CHECK_THROWS(value_error, simulated::pending_operations(handle));
  CHECK(std::string{simulated::stream_name(handle)}.empty());
  simulated::retain_stream(handle);
  simulated::release_stream(handle);
  platform().drop(handle);
}

void bogus_and_dead_handles_are_refused() {
  int local = 0;
  const device where;
  stream_handle dead = nullptr;
  {
    const stream queue{where};
    dead = queue.handle();
  }
  const stream alive{where};
  CHECK(alive.handle() != dead);  // no handle is used twice
  a_handle_that_names_nothing_is_refused(nullptr);
  a_handle_that_names_nothing_is_refused(&local);
  a_handle_that_names_nothing_is_refused(reinterpret_cast<stream_handle>(std::uintptr_t{7}));
  a_handle_that_names_nothing_is_refused(dead);
}

void handles_are_counted() {
  const device where;
  const stream_handle handle = simulated::create_stream(where.id, "counted", true);
  CHECK(platform().retain({kDLExtDev, where.id}, handle, true) == handle);
  simulated::retain_stream(handle);
  simulated::release_stream(handle);
  platform().drop(handle);
  CHECK(simulated::pending_operations(handle) == 0);
  CHECK(platform().device_of(handle).device_type == kDLExtDev);
  CHECK(platform().device_of(handle).device_id == where.id);
  simulated::release_stream(handle);
  CHECK_THROWS(value_error, simulated::pending_operations(handle));
}

void streams_are_found_by_name() {
  const device where;
  const device elsewhere;
  const stream named{where, true, "producer"};
  const stream unnamed{where, false};
  const stream elsewhere_too{elsewhere, true, "producer"};
  CHECK(std::string{simulated::stream_name(named.handle())} == "producer");
  CHECK(std::string{simulated::stream_name(unnamed.handle())} == "stream 1");
  const stream_handle found = simulated::find_stream(where.id, "producer");
  CHECK(platform().same(found, named.handle()));
  CHECK(!platform().same(found, unnamed.handle()));
  CHECK(!platform().same(found, elsewhere_too.handle()));
  CHECK(platform().in_order(found) && !platform().in_order(unnamed.handle()));
  simulated::release_stream(found);
  CHECK(named.pending() == 0);
  const std::string known =
      check::message_of<value_error>([&] { simulated::find_stream(where.id, "nobody"); });
  CHECK(known.find("\"producer\", \"stream 1\"") != known.npos);
  CHECK_THROWS(value_error, simulated::create_stream(where.id, "producer", true));
  CHECK_THROWS(value_error, simulated::create_stream(-1, nullptr, true));
  CHECK_THROWS(value_error, simulated::find_stream(1 << 30, "producer"));
}

void a_name_is_free_again_once_its_stream_is_dead() {
  const device where;
  for (int i = 0; i < 3; ++i) const stream again{where, true, "again"};
  const stream taken{where, true, "stream 4"};
  const stream next{where};
  CHECK(std::string{simulated::stream_name(next.handle())} == "stream 4'");
}

void devices_are_listed() {
  const device where{3, 4};
  const auto all = platform().devices();
  CHECK(all.size() == static_cast<std::size_t>(where.id) + 1);
  CHECK(all.back().device.device_id == where.id);
  CHECK(all.back().device.device_type == kDLExtDev);
  CHECK(std::string{all.back().platform} == "simulated");
  CHECK(std::string{all.back().kind} == "accelerator");
  CHECK(platform().serves(anystream::device_type::ext_dev));
  CHECK(!platform().serves(anystream::device_type::cpu));
}

// Pending work outlives the last handle, and a hold does not.
void released_streams_run_dry() {
  const device where;
  const numbers array{where};
  std::latch done{1};
  {
    const stream queue{where};
    queue.hold();
    array.fill(queue, 9);
    queue.call([&done] { done.count_down(); });
  }
  done.wait();
  CHECK(array.all(9));
}

struct counts {
  int called = 0;
  int dropped = 0;
  std::latch over{1};
};

void call_counting(stream_handle handle, counts& into) {
  simulated::call(
      handle, [](void* context) { ++static_cast<counts*>(context)->called; }, &into,
      [](void* context) {
        ++static_cast<counts*>(context)->dropped;
        static_cast<counts*>(context)->over.count_down();
      });
}

void a_host_function_is_dropped_exactly_once() {
  const device where;
  const stream queue{where};
  counts ran;
  call_counting(queue.handle(), ran);
  ran.over.wait();
  platform().synchronize(queue.handle());
  CHECK(ran.called == 1 && ran.dropped == 1);
  counts refused;
  CHECK_THROWS(value_error, call_counting(nullptr, refused));
  CHECK(refused.called == 0 && refused.dropped == 1);
  simulated::call(queue.handle(), [](void*) {}, nullptr, nullptr);
  platform().synchronize(queue.handle());
}

// What a child of a fork sees: no call hangs, nothing runs, and what would need a thread says so.
void check_in_child(const stream& queue, const numbers& array) {
  CHECK_THROWS(driver_unavailable, platform().require());
  CHECK_THROWS(driver_unavailable, platform().synchronize(queue.handle()));
  CHECK_THROWS(driver_unavailable, platform().record(queue.handle()));
  CHECK_THROWS(driver_unavailable, simulated::create_device(0, 0));
  CHECK_THROWS(driver_unavailable, array.peek());
  CHECK(!platform().owns(array.memory()));
  CHECK(platform().devices().empty());
  simulated::retain_stream(queue.handle());
  simulated::release_stream(queue.handle());
  platform().deallocate({kDLExtDev, 0}, array.memory(), nullptr);
}

void a_forked_child_does_not_hang() {
  const device where;
  const stream queue{where};
  const numbers array{where};
  queue.hold();
  array.fill(queue, 1);
  const simulated_rig::event pending{queue};
  const pid_t child = fork();
  if (child == 0) {
    check_in_child(queue, array);
    CHECK(!pending.complete());
    CHECK_THROWS(driver_unavailable, pending.synchronize());
    _exit(check::result());
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  queue.resume();
  pending.synchronize();
  CHECK(array.all(1));
}

// The process ends below with an operation pending on a held stream, and another that runs.
void leave_a_held_stream_behind() {
  const device where;
  const stream_handle held = simulated::create_stream(where.id, "held", true);
  simulated::hold_stream(held);
  call_counting(held, *new counts);
  const stream_handle busy = simulated::create_stream(where.id, "busy", true);
  static const std::latch never{1};
  simulated::call(busy, [](void*) { never.wait(); }, nullptr, nullptr);
}

}  // namespace

int main() {
  bogus_and_dead_handles_are_refused();
  handles_are_counted();
  streams_are_found_by_name();
  a_name_is_free_again_once_its_stream_is_dead();
  devices_are_listed();
  released_streams_run_dry();
  a_host_function_is_dropped_exactly_once();
  a_forked_child_does_not_hang();
  leave_a_held_stream_behind();
  return check::result();
}
