// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the OpenCL backend calls, in which order, with each call failing in turn, and what is left.
#include <anystream/error.hpp>

#include "backends/opencl.hpp"
#include "check.hpp"
#include "opencl_fake.hpp"

namespace {

using namespace anystream;
using namespace anystream::core;
using opencl_fake::at;
using opencl_fake::now;
using opencl_fake::object;

using calls = std::vector<std::string>;

// One platform of two devices, a context of each.
struct bench {
  bench() { now() = {}; }

  object* platform = opencl_fake::make_platform(2);
  object* context = opencl_fake::make_context(platform->lists[0]);
  object* other_context = opencl_fake::make_context(platform->lists[1]);
  opencl_runtime runtime;

  object* queue(std::uint64_t properties = 0) const {
    return opencl_fake::make_queue(context, properties);
  }
};

std::string joined(const calls& all) {
  std::string text;
  for (const auto& one : all) {
    if (one.starts_with("clGet")) continue;  // questions: what they change is nothing
    text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

template <class Action>
std::string made_by(const Action& action) {
  now().calls.clear();
  action();
  return joined(now().calls);
}

// Every function that `action` calls fails once: the error names it, and nothing is left behind.
template <class Action>
void fails_at_each_call(const calls& functions, const Action& action) {
  for (const std::string& function : functions) {
    const auto alive = now().alive;
    now().failing = function;
    try {
      action();
      CHECK(!"failed");
    } catch (const driver_error& error) {
      CHECK_EQUAL(error.api(), function);
      CHECK_EQUAL(error.code(), -5);
      CHECK_EQUAL(error.code_name(), "CL_OUT_OF_RESOURCES");
      CHECK(std::string(error.what()).starts_with(function + " failed with -5 (CL_OUT_OF_RES"));
    }
    now().failing.clear();
    CHECK(now().alive == alive);
  }
}

void a_queue_is_kept_and_let_go_of() {
  bench with;
  object* const queue = with.queue();
  CHECK_EQUAL(made_by([&] { CHECK(with.runtime.retain({kDLOpenCL, 0}, queue, true) == queue); }),
              "clRetainCommandQueue(q1)");
  CHECK_EQUAL(queue->references, 2);
  CHECK_EQUAL(made_by([&] { with.runtime.drop(queue); }), "clReleaseCommandQueue(q1)");
  CHECK_EQUAL(queue->references, 1);
  fails_at_each_call({"clGetCommandQueueInfo", "clRetainCommandQueue"},
                     [&] { with.runtime.retain({kDLOpenCL, 0}, queue, true); });
  CHECK(with.runtime.same(queue, queue) && !with.runtime.same(queue, with.queue()));
  CHECK(with.runtime.in_order(queue));
  CHECK(!with.runtime.in_order(with.queue(opencl_out_of_order)));
}

void the_last_reference_to_an_out_of_order_queue_is_parked() {
  bench with;
  object* const queue = with.queue(opencl_out_of_order);
  with.runtime.retain({kDLOpenCL, 0}, queue, true);
  CHECK_EQUAL(made_by([&] { with.runtime.drop(queue); }), "clReleaseCommandQueue(q1)");
  CHECK_EQUAL(made_by([&] { with.runtime.drop(queue); }), "");  // for a second
  CHECK(now().alive.contains(queue));
}

void what_is_no_queue_is_refused() {
  bench with;
  const auto retain = [&](void* theirs) { with.runtime.retain({kDLOpenCL, 0}, theirs, true); };
  const std::string fix = ".\n  Pass the queue itself: with pyopencl, the CommandQueue.";
  const std::string text = "an OpenCL stream is a cl_command_queue of the host's; got ";
  CHECK_MESSAGE(value_error, text + "NULL" + fix, retain(nullptr));
  const std::string none = text + "a handle that cannot be an object of OpenCL's" + fix;
  CHECK_MESSAGE(value_error, none, retain(reinterpret_cast<void*>(0x1000)));
  void* words[2] = {};
  CHECK_MESSAGE(value_error, none, retain(words));  // no table
  CHECK_MESSAGE(value_error, none, retain(reinterpret_cast<char*>(with.queue()) + 1));
  CHECK_MESSAGE(value_error, text + "a queue on the device" + fix,
                retain(with.queue(opencl_out_of_order | opencl_on_device)));
}

void a_marker_is_flushed_and_a_barrier_waits_for_it() {
  bench with;
  object *const producer = with.queue(), *const consumer = with.queue();
  event_handle event = nullptr;
  CHECK_EQUAL(made_by([&] { event = with.runtime.record(producer); }),
              "clEnqueueMarkerWithWaitList(q1); clFlush(q1)");
  CHECK_EQUAL(made_by([&] { CHECK(with.runtime.wait(consumer, event)); }),
              "clEnqueueBarrierWithWaitList(q2 after e1)");
  CHECK(!with.runtime.complete(event));
  fails_at_each_call({"clGetEventInfo", "clGetCommandQueueInfo", "clEnqueueBarrierWithWaitList"},
                     [&] { with.runtime.wait(consumer, event); });
  fails_at_each_call({"clEnqueueMarkerWithWaitList", "clFlush"},
                     [&] { with.runtime.record(producer); });
  fails_at_each_call({"clWaitForEvents"}, [&] { with.runtime.synchronize_event(event); });
  CHECK_EQUAL(made_by([&] { with.runtime.synchronize_event(event); }), "clWaitForEvents(e1)");
  CHECK_EQUAL(made_by([&] { CHECK(with.runtime.wait(consumer, event)); }), "clWaitForEvents(e1)");
  with.runtime.destroy_event(event);
  CHECK(!now().alive.contains(at(event)));
  CHECK_EQUAL(made_by([&] { CHECK(with.runtime.barrier(consumer)); }),
              "clEnqueueBarrierWithWaitList(q2)");
}

void another_context_is_bridged_without_a_wait() {
  bench with;
  object* const consumer = opencl_fake::make_queue(with.other_context);
  const event_handle event = with.runtime.record(with.queue());
  const auto wait = [&] { CHECK(with.runtime.wait(consumer, event)); };
  CHECK_EQUAL(made_by(wait),
              "clCreateUserEvent(c2); clRetainEvent(u1); clSetEventCallback(e1); "
              "clEnqueueBarrierWithWaitList(q1 after u1); clReleaseEvent(u1)");
  CHECK_EQUAL(made_by([&] { opencl_fake::end(at(event), opencl_event_complete); }),
              "clSetUserEventStatus(u1, 0); clReleaseEvent(u1)");
}

void a_bridge_carries_a_failure_on_and_leaves_nothing() {
  bench with;
  object* const consumer = opencl_fake::make_queue(with.other_context);
  const event_handle event = with.runtime.record(with.queue());
  with.runtime.wait(consumer, event);
  CHECK_EQUAL(made_by([&] { opencl_fake::end(at(event), -9999); }),
              "clSetUserEventStatus(u1, -9999); clReleaseEvent(u1)");
  const event_handle next = with.runtime.record(with.queue());
  const auto wait = [&] { with.runtime.wait(consumer, next); };
  fails_at_each_call({"clCreateUserEvent", "clRetainEvent", "clSetEventCallback"}, wait);
  now().failing = "clEnqueueBarrierWithWaitList";  // the producer's driver has the callback by then
  CHECK_THROWS(driver_error, wait());
  now().failing.clear();
  const std::size_t alive = now().alive.size();
  CHECK_EQUAL(made_by([&] { opencl_fake::end(at(next), opencl_event_complete); }),
              "clSetUserEventStatus(u4, 0); clReleaseEvent(u4)");
  CHECK_EQUAL(now().alive.size(), alive - 1);
}

void work_that_failed_is_an_error_to_whoever_asks() {
  bench with;
  const event_handle event = with.runtime.record(with.queue());
  at(event)->status = -14;
  const std::string text =
      "work that was to be waited for on an OpenCL queue has failed, says clGetEventInfo: its "
      "event ended with -14 (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST).\n  What it was to "
      "write is not there. Look into what was put on that queue, or into the events that it was "
      "made to wait for.";
  object* const consumer = with.queue();
  CHECK_MESSAGE(driver_error, text, with.runtime.complete(event));
  CHECK_MESSAGE(driver_error, text, with.runtime.wait(consumer, event));
  CHECK_MESSAGE(driver_error, text, with.runtime.synchronize_event(event));
  try {
    with.runtime.complete(event);
  } catch (const driver_error& error) {
    CHECK_EQUAL(error.api(), "clGetEventInfo");
    CHECK_EQUAL(error.code(), -14);
    CHECK_EQUAL(error.code_name(), "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
  }
}

void memory_is_a_handle_with_an_offset() {
  bench with;
  object *const queue = with.queue(), *const from = opencl_fake::make_buffer(with.context),
                *const to = opencl_fake::make_buffer(with.context);
  char host[16];
  const auto copy = [&](location target, location source) {
    return made_by([&] { with.runtime.copy(queue, target, source, 8); });
  };
  CHECK_EQUAL(copy({to, 4}, {from, 12}), "clEnqueueCopyBuffer(q1, m1+12, 8 to m2+4)");
  CHECK_EQUAL(copy({host, 4, true}, {from, 12}), "clEnqueueReadBuffer(q1, m1+12, 8)");
  CHECK_EQUAL(copy({to, 4}, {host, 4, true}), "clEnqueueWriteBuffer(q1, m2+4, 8)");
  CHECK_EQUAL(made_by([&] { with.runtime.copy(queue, {to}, {from}, 0); }), "");
  fails_at_each_call({"clEnqueueCopyBuffer"}, [&] { copy({to}, {from}); });
  fails_at_each_call({"clEnqueueReadBuffer"}, [&] { copy({host, 0, true}, {from}); });
  fails_at_each_call({"clEnqueueWriteBuffer"}, [&] { copy({to}, {host, 0, true}); });
  now().failing = "clEnqueueCopyBuffer";
  now().code = opencl_invalid_context;
  CHECK_THROWS(exchange_error, copy({to}, {from}));
}

void memory_is_made_in_the_streams_context() {
  bench with;
  object* const queue = with.queue();
  void* const made = with.runtime.allocate({kDLOpenCL, 0}, 24, queue);
  CHECK(at(made)->context == with.context);
  with.runtime.deallocate({kDLOpenCL, 0}, made, queue);
  CHECK(!now().alive.contains(at(made)));
  CHECK(with.runtime.frees_in_order({kDLOpenCL, 0}, queue));
  CHECK_EQUAL(made_by([&] { with.runtime.allocate({kDLOpenCL, 0}, 0, queue); }),
              "clCreateBuffer(1)");
  CHECK_THROWS(value_error, with.runtime.allocate({kDLOpenCL, 0}, 24, nullptr));
  fails_at_each_call({"clGetCommandQueueInfo", "clCreateBuffer"},
                     [&] { with.runtime.allocate({kDLOpenCL, 0}, 24, queue); });
}

void the_kind_of_memory_is_the_buffers() {
  bench with;
  object* const queue = with.queue();
  const auto kind = [&](const void* memory) {
    return with.runtime.memory_kind({kDLOpenCL, 0}, memory, queue);
  };
  CHECK_EQUAL(kind(opencl_fake::make_buffer(with.context)), ANYSTREAM_MEMORY_DEVICE);
  for (const opencl_flags flag : {opencl_use_host_pointer, opencl_allocate_host_pointer}) {
    CHECK_EQUAL(kind(opencl_fake::make_buffer(with.context, flag)), ANYSTREAM_MEMORY_HOST);
  }
  object* const on_svm = opencl_fake::make_buffer(with.context, opencl_use_host_pointer);
  on_svm->on_svm = 1;
  CHECK_EQUAL(kind(on_svm), ANYSTREAM_MEMORY_SHARED);
  CHECK_EQUAL(kind(nullptr), ANYSTREAM_MEMORY_UNKNOWN);
  void* words[2] = {words, nullptr};  // an object, though none of this driver's
  CHECK_EQUAL(kind(words), ANYSTREAM_MEMORY_UNKNOWN);
  CHECK_EQUAL(with.runtime.memory_kind({kDLOpenCL, 0}, on_svm, nullptr), ANYSTREAM_MEMORY_UNKNOWN);
}

void memory_is_mapped_on_the_stream() {
  bench with;
  object *const queue = with.queue(), *const unordered = with.queue(opencl_out_of_order),
                *const memory = opencl_fake::make_buffer(with.context, opencl_use_host_pointer);
  const auto map = [&](object* on, bool writable) {
    return made_by(
        [&] { CHECK(with.runtime.map(on, {memory, 8}, 16, writable) == now().mapped.data()); });
  };
  CHECK_EQUAL(map(queue, true), "clEnqueueMapBuffer(q1, m1+8, 16, flags 3)");
  CHECK_EQUAL(map(queue, false), "clEnqueueMapBuffer(q1, m1+8, 16, flags 1)");
  CHECK_EQUAL(map(unordered, false),
              "clEnqueueBarrierWithWaitList(q2); clEnqueueMapBuffer(q2, m1+8, 16, flags 1)");
  CHECK_EQUAL(made_by([&] { with.runtime.unmap(queue, memory, now().mapped.data()); }),
              "clEnqueueUnmapMemObject(q1, m1+0, 0); clFlush(q1)");
  fails_at_each_call({"clEnqueueMapBuffer"}, [&] { map(queue, true); });
}

void devices_are_numbered_a_platform_at_a_time() {
  bench with;
  object* const later = opencl_fake::make_platform(2);
  object* const second = opencl_fake::make_queue(with.other_context);
  CHECK_EQUAL(with.runtime.device_of(second).device_id, 1);  // as its platform lists it
  CHECK_EQUAL(with.runtime.device_of(with.queue()).device_id, 0);
  object* const there = opencl_fake::make_context(later->lists[1]);
  CHECK_EQUAL(with.runtime.device_of(opencl_fake::make_queue(there)).device_id, 3);
  object* const part = opencl_fake::make("d");
  part->context = later;
  part->device = later->lists[0];
  object* const parts = opencl_fake::make_context(part);
  CHECK_EQUAL(with.runtime.device_of(opencl_fake::make_queue(parts)).device_id, 2);
  object* const memory = opencl_fake::make_buffer(there);
  CHECK_EQUAL(with.runtime.locate({kDLOpenCL, 0}, memory).device_id, 3);
  CHECK_THROWS(value_error, with.runtime.locate({kDLOpenCL, 0}, reinterpret_cast<void*>(64)));
  bench anew;
  object* const queue = anew.queue();
  fails_at_each_call({"clGetCommandQueueInfo", "clGetDeviceInfo", "clGetDeviceIDs"},
                     [&] { anew.runtime.device_of(queue); });
}

void an_idle_queue_is_told_by_its_marker() {
  bench with;
  object* const queue = with.queue();
  CHECK(!with.runtime.idle(queue));  // the fake's markers do not end
  fails_at_each_call({"clEnqueueMarkerWithWaitList", "clFlush", "clGetEventInfo"},
                     [&] { with.runtime.idle(queue); });
  fails_at_each_call({"clEnqueueMarkerWithWaitList", "clFlush", "clWaitForEvents"},
                     [&] { with.runtime.synchronize(queue); });
  const std::size_t alive = now().alive.size();
  with.runtime.synchronize(queue);
  CHECK_EQUAL(now().alive.size(), alive);
}

}  // namespace

int main() {
  a_queue_is_kept_and_let_go_of();
  the_last_reference_to_an_out_of_order_queue_is_parked();
  what_is_no_queue_is_refused();
  a_marker_is_flushed_and_a_barrier_waits_for_it();
  another_context_is_bridged_without_a_wait();
  a_bridge_carries_a_failure_on_and_leaves_nothing();
  work_that_failed_is_an_error_to_whoever_asks();
  memory_is_a_handle_with_an_offset();
  memory_is_made_in_the_streams_context();
  the_kind_of_memory_is_the_buffers();
  memory_is_mapped_on_the_stream();
  devices_are_numbered_a_platform_at_a_time();
  an_idle_queue_is_told_by_its_marker();
  return check::result();
}
