// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// From one OpenCL context to another, whose drivers take no event of each other's: an event of the
// consumer's context, which the producer's driver sets when its own has ended. It does so on a
// thread of its own, so nobody waits.
//
// The bridge is the consumer's event itself, with two references: ours, until the consumer has its
// barrier, and the callback's, which is given back by the callback. That always comes: every event
// ends, with an error at worst, and an error goes on to the consumer's event.
#include "backends/opencl.hpp"
#include "backends/opencl_calls.hpp"

namespace anystream::core {
namespace {

void set_bridge(opencl_event, std::int32_t state, void* context) {
  const auto bridge = static_cast<opencl_event>(context);
  const auto functions = functions_of(bridge);
  functions.clSetUserEventStatus(bridge, state < 0 ? state : opencl_event_complete);
  functions.clReleaseEvent(bridge);
}

owned_opencl_event make_bridge(opencl_context context) {
  int code = opencl_success;
  const opencl_event made = functions_of(context).clCreateUserEvent(context, &code);
  if (made == nullptr || code != opencl_success) {
    fail_in_opencl("clCreateUserEvent", code, "no event of a context could be made");
  }
  return owned_opencl_event(made);
}

}  // namespace

void wait_across_contexts(opencl_queue queue, opencl_event event) {
  const owned_opencl_event bridge =
      make_bridge(of_queue<opencl_context>(queue, opencl_queue_context));
  const auto functions = functions_of(bridge.get());
  check_opencl(functions.clRetainEvent(bridge.get()), "clRetainEvent",
               "an event could not be kept");
  owned_opencl_event callbacks_own(bridge.get());
  check_opencl(functions_of(event).clSetEventCallback(event, opencl_event_complete, &set_bridge,
                                                      bridge.get()),
               "clSetEventCallback", "an event could not be asked to tell its end");
  static_cast<void>(callbacks_own.release());  // NOLINT(bugprone-unused-return-value): it has it
  const opencl_event awaited = bridge.get();
  check_opencl(functions_of(queue).clEnqueueBarrierWithWaitList(queue, 1U, &awaited, nullptr),
               "clEnqueueBarrierWithWaitList", "a queue could not be made to wait");
}

}  // namespace anystream::core
