// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the SYCL backend asks of its driver, in order; and that a failure is told and leaks nothing.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <anystream/error.hpp>

#include "backends/sycl.hpp"
#include "check.hpp"
#include "order.hpp"
#include "stream.hpp"
#include "sycl_fake.hpp"

namespace {

using namespace anystream;
using namespace anystream::core;
using sycl_fake::now;
using calls = std::vector<std::string>;

constexpr DLDevice first_device{kDLOneAPI, 0};

// A runtime on a fake driver, with the callers' queues; at its end nothing of the driver is left.
class bench {
 public:
  bench() = default;
  ~bench() {
    for (sycl_queue queue : queues_) sycl_fake::destroy(queue);
    runtime_.reset();
    CHECK(now().alive.empty());
    CHECK(now().memory.empty());
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  sycl_queue queue(bool in_order = true, int device = 0) {
    return queues_.emplace_back(sycl_fake::make_queue(in_order, device));
  }
  const sycl_runtime& runtime() const { return *runtime_; }
  stream_ref stream(sycl_queue queue) const {
    return make_stream(platform_, first_device, queue, {});
  }

 private:
  sycl_driver fake_ = sycl_fake::begin();
  std::unique_ptr<sycl_runtime> runtime_ = std::make_unique<sycl_runtime>(fake_);
  platform platform_{device_type::one_api, "sycl", &find_device(device_type::one_api)->rules,
                     runtime_.get()};
  std::vector<sycl_queue> queues_;
};

// The calls that `action` makes.
calls calls_of(const std::function<void()>& action) {
  now().calls.clear();
  action();
  return now().calls;
}

void one_in_order_queue_needs_no_call() {
  bench with;
  const sycl_queue queue = with.queue();
  const stream_ref a = with.stream(queue), b = with.stream(queue);
  CHECK(a->handle != b->handle);
  CHECK(a->handle != queue);
  CHECK(calls_of([&] { CHECK(order(*a, *b) == ANYSTREAM_ORDERED_NOTHING); }).empty());
  CHECK(calls_of([&] { CHECK(order(*a, *a) == ANYSTREAM_ORDERED_NOTHING); }).empty());
}

void two_queues_need_one_record_and_one_wait() {
  bench with;
  const stream_ref producer = with.stream(with.queue()), consumer = with.stream(with.queue());
  now().event_status = 1;  // the work is pending
  const std::string from = sycl_fake::name(static_cast<sycl_queue>(producer->handle));
  const std::string to = sycl_fake::name(static_cast<sycl_queue>(consumer->handle));
  const calls made =
      calls_of([&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); });
  CHECK(made == calls{"DPCTLQueue_SubmitBarrier(" + from + ")",
                      "DPCTLQueue_SubmitBarrierForEvents(" + to + ", e1)", "DPCTLEvent_Delete(e2)",
                      "DPCTLEvent_Delete(e1)"});
}

// The wait returns at once, and is what makes the work's results visible.
void an_event_that_is_complete_needs_no_barrier() {
  for (const bool in_order : {true, false}) {
    bench with;
    const stream_ref producer = with.stream(with.queue());
    const stream_ref consumer =
        with_policy(*with.stream(with.queue(in_order)), ANYSTREAM_OUT_OF_ORDER_BARRIER);
    const std::string from = sycl_fake::name(static_cast<sycl_queue>(producer->handle));
    const calls made =
        calls_of([&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); });
    CHECK(made == calls{"DPCTLQueue_SubmitBarrier(" + from + ")", "DPCTLEvent_Wait(e1)",
                        "DPCTLEvent_Delete(e1)"});
  }
}

// An event of one device is waited for on another: nothing goes through the host.
void two_devices_are_ordered_by_event() {
  bench with;
  const stream_ref producer = with.stream(with.queue(true, 0));
  const stream_ref consumer = with.stream(with.queue(true, 1));
  CHECK(producer->device.device_id == 0 && consumer->device.device_id == 1);
  CHECK(relation_of(*producer, *consumer) == ANYSTREAM_RELATION_DIFFERENT);
  now().event_status = 1;  // the work is pending
  const std::string from = sycl_fake::name(static_cast<sycl_queue>(producer->handle));
  const std::string to = sycl_fake::name(static_cast<sycl_queue>(consumer->handle));
  const calls made =
      calls_of([&] { CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT); });
  CHECK(made == calls{"DPCTLQueue_SubmitBarrier(" + from + ")",
                      "DPCTLQueue_SubmitBarrierForEvents(" + to + ", e1)", "DPCTLEvent_Delete(e2)",
                      "DPCTLEvent_Delete(e1)"});
}

void one_out_of_order_queue_needs_a_barrier() {
  bench with;
  const sycl_queue queue = with.queue(false);
  const stream_ref a = with.stream(queue);
  const stream_ref b = with_policy(*with.stream(queue), ANYSTREAM_OUT_OF_ORDER_BARRIER);
  const std::string name = sycl_fake::name(static_cast<sycl_queue>(b->handle));
  const calls made = calls_of([&] { CHECK(order(*a, *b) == ANYSTREAM_ORDERED_BARRIER); });
  CHECK(made == calls{"DPCTLQueue_SubmitBarrier(" + name + ")", "DPCTLEvent_Delete(e1)"});
}

// A barrier that the runtime keeps back shows by what it waits for; then the host has to wait.
void a_kept_back_barrier_makes_the_host_wait() {
  bench with;
  const sycl_queue queue = with.queue(false);
  const stream_ref a = with.stream(queue);
  const stream_ref b = with_policy(*with.stream(queue), ANYSTREAM_OUT_OF_ORDER_BARRIER);
  sycl_fake::object host_task;
  now().next_waits = {&host_task};
  now().event_status = 1;
  const calls made = calls_of([&] {
    CHECK_THROWS(driver_error, order(*a, *b));  // the fake's wait ends with the work not complete
  });
  CHECK(std::ranges::count_if(made, [](const std::string& call) {
          return call.starts_with("DPCTLEvent_Wait(");
        }) == 1);
}

std::int32_t how_an_out_of_order_consumer_is_ordered(const std::vector<sycl_fake::object*>& waits) {
  bench with;
  const stream_ref producer = with.stream(with.queue());
  const stream_ref consumer =
      with_policy(*with.stream(with.queue(false)), ANYSTREAM_OUT_OF_ORDER_BARRIER);
  now().event_status = 1;
  const auto event = with.runtime().record(producer->handle);
  now().next_waits = waits;
  const bool on_device = with.runtime().wait(consumer->handle, event);
  with.runtime().destroy_event(event);
  return on_device ? ANYSTREAM_ORDERED_EVENT : ANYSTREAM_ORDERED_HOST_WAIT;
}

void only_a_barrier_that_the_device_has_is_trusted() {
  sycl_fake::object on_device, host_task, of_other_context;
  of_other_context.waits = {&on_device};
  const auto how = how_an_out_of_order_consumer_is_ordered;
  CHECK(how({}) == ANYSTREAM_ORDERED_EVENT);
  CHECK(how({&on_device}) == ANYSTREAM_ORDERED_EVENT);
  CHECK(how({&on_device, &host_task}) == ANYSTREAM_ORDERED_HOST_WAIT);
  CHECK(how({&of_other_context}) == ANYSTREAM_ORDERED_HOST_WAIT);
}

void an_in_order_consumer_never_makes_the_host_wait() {
  bench with;
  const stream_ref producer = with.stream(with.queue(false)), consumer = with.stream(with.queue());
  sycl_fake::object host_task, of_other_context;
  of_other_context.waits = {&host_task};
  now().event_status = 1;
  const auto event = with.runtime().record(producer->handle);
  now().next_waits = {&of_other_context, &host_task};
  CHECK(with.runtime().wait(consumer->handle, event));
  with.runtime().destroy_event(event);
}

void devices_are_numbered_by_their_root() {
  bench with;
  const auto devices = with.runtime().devices();
  CHECK(devices.size() == 2);
  CHECK(std::string(devices[0].kind) == "gpu" && std::string(devices[1].kind) == "cpu");
  CHECK(devices[1].device.device_type == kDLOneAPI && devices[1].device.device_id == 1);
  CHECK(std::string(devices[1].name) == "a fake device");
  const sycl_queue queue = with.queue();
  CHECK(with.runtime().device_of(queue).device_id == 0);
  sycl_fake::object a_part_of_device_1;
  sycl_fake::at(queue)->parent = &a_part_of_device_1;
  CHECK(with.runtime().device_of(queue).device_id == 1);
}

void kinds_come_from_the_device_type() {
  const bench with;
  now().device_types[0] = sycl_accelerator;
  now().device_types[1] = 1 << 3;
  const auto devices = with.runtime().devices();
  CHECK(std::string(devices[0].kind) == "accelerator" && std::string(devices[1].kind) == "other");
}

void a_device_that_is_not_there_is_named() {
  const bench with;
  const auto allocate_on = [&](int id) { with.runtime().allocate({kDLOneAPI, id}, 8, nullptr); };
  CHECK_THROWS(value_error, allocate_on(2));
  CHECK_THROWS(value_error, allocate_on(-1));
}

void memory_is_of_the_default_queue_unless_a_stream_is_named() {
  bench with;
  const sycl_queue queue = with.queue();
  void* theirs = with.runtime().allocate(first_device, 8, queue);
  with.runtime().deallocate(first_device, theirs, queue);
  void* ours = nullptr;
  const calls made = calls_of([&] { ours = with.runtime().allocate(first_device, 0, nullptr); });
  CHECK(made.back() == "DPCTLmalloc_device(1, q2)");
  CHECK(made[made.size() - 2] == "DPCTLQueue_Create(2)");  // in-order
  with.runtime().deallocate(first_device, ours, nullptr);
  CHECK(now().calls.back() == "DPCTLfree_with_queue(q2)");
}

void an_array_outside_the_default_context_is_not_exported() {
  bench with;
  int data = 0;
  const DLTensor tensor{&data, first_device, 0, {}, nullptr, nullptr, 0};
  CHECK_THROWS(exchange_error, with.runtime().check_export(tensor, nullptr));
  now().usm_type = sycl_usm_host;
  with.runtime().check_export(tensor, nullptr);
  CHECK(with.runtime().memory_kind(first_device, &data, nullptr) == ANYSTREAM_MEMORY_HOST);
  with.runtime().check_export({nullptr, first_device, 0, {}, nullptr, nullptr, 0}, nullptr);
}

// In-order queues go at once; out-of-order ones stay for a while.
void out_of_order_queues_are_parked_before_they_go() {
  bench with;
  const auto is_alive = [](sycl_queue queue) { return now().alive.contains(sycl_fake::at(queue)); };
  parked_queues<sycl_queue> parked;
  const sycl_driver fake = sycl_fake::begin();
  const auto start = std::chrono::steady_clock::now();
  const sycl_queue first = sycl_fake::make_queue(false), second = sycl_fake::make_queue(false);
  parked.park(first, start, fake.DPCTLQueue_Delete);
  parked.let_go(start + parked.stay / 2, fake.DPCTLQueue_Delete);
  CHECK(is_alive(first));
  parked.park(second, start + parked.stay, fake.DPCTLQueue_Delete);
  CHECK(!is_alive(first) && is_alive(second));
  parked.let_go_of_all(fake.DPCTLQueue_Delete);
  CHECK(!is_alive(second));

  const auto in_order =
      static_cast<sycl_queue>(with.runtime().retain(first_device, with.queue(), true));
  const auto other =
      static_cast<sycl_queue>(with.runtime().retain(first_device, with.queue(false), true));
  with.runtime().drop(in_order);
  with.runtime().drop(other);
  CHECK(!is_alive(in_order) && is_alive(other));
}

void no_queue_is_no_stream() {
  bench with;
  CHECK_THROWS(value_error, with.runtime().retain(first_device, nullptr, true));
}

// Every function that can give NULL does so once, in a run that uses them all. The error names the
// function, and the bench finds nothing left.
void use_everything(const bench& with, sycl_queue in_order, sycl_queue out_of_order) {
  const stream_ref producer = with.stream(in_order);
  const stream_ref consumer =
      with_policy(*with.stream(out_of_order), ANYSTREAM_OUT_OF_ORDER_BARRIER);
  order(*producer, *consumer);
  order(*consumer, *consumer);
  int data = 0;
  with.runtime().memory_kind(first_device, &data, producer->handle);
  with.runtime().copy(producer->handle, {&data}, {&data}, sizeof data);
  void* memory = with.runtime().allocate(first_device, 8, nullptr);
  with.runtime().deallocate(first_device, memory, nullptr);
}

std::string failure_of(const char* function) {
  bench with;
  const sycl_queue in_order = with.queue(), out_of_order = with.queue(false);
  now().event_status = 1;  // what is complete already is not waited for by a barrier
  now().failing = function;
  try {
    use_everything(with, in_order, out_of_order);
  } catch (const driver_error& error) {
    CHECK(error.code_name() == "NULL" && error.code() == 0);
    CHECK(std::string(error.what()).starts_with(error.api() + " failed: "));
    CHECK(std::string(error.what()).find("DPCTL_VERBOSITY=error") != std::string::npos);
    return error.api();
  }
  return "";
}

void a_failure_names_its_function_and_leaks_nothing() {
  for (const char* function :
       {"DPCTLQueue_Copy", "DPCTLQueue_GetContext", "DPCTLQueue_GetDevice", "DPCTLQueue_Create",
        "DPCTLQueue_SubmitBarrier", "DPCTLQueue_SubmitBarrierForEvents", "DPCTLQueue_Memcpy",
        "DPCTLEvent_GetWaitList", "DPCTLDeviceMgr_GetDevices", "DPCTLDeviceMgr_GetCachedContext",
        "DPCTLDeviceVector_GetAt", "DPCTLmalloc_device"})
    CHECK(failure_of(function) == function);
  CHECK(failure_of("").empty());
}

void an_event_without_a_state_is_an_error() {
  bench with;
  const auto event = with.runtime().record(with.queue());
  now().event_status = sycl_event_unknown;
  CHECK_THROWS(driver_error, with.runtime().complete(event));
  CHECK_THROWS(driver_error, with.runtime().synchronize_event(event));
  with.runtime().destroy_event(event);
}

void idle_polls_and_gives_up() {
  bench with;
  const sycl_queue queue = with.queue();
  CHECK(with.runtime().idle(queue));
  now().event_status = 1;
  CHECK(!with.runtime().idle(queue));
}

void a_second_libsycl_is_refused_by_name() {
  const std::string one = "/opt/a/lib/libsycl.so.8", other = "/opt/b/lib/libsycl.so.9";
  require_one_libsycl(std::vector<std::string>{});
  require_one_libsycl(std::vector{one});
  require_one_libsycl(std::vector{one, one, std::string("/opt/a/../a/lib/libsycl.so.8")});
  try {
    require_one_libsycl(std::vector{one, other});
    CHECK(!"refused");
  } catch (const driver_unavailable& error) {
    const std::string text = error.what();
    CHECK(text.find(one) != std::string::npos && text.find(other) != std::string::npos);
  }
}

}  // namespace

int main() {
  one_in_order_queue_needs_no_call();
  two_queues_need_one_record_and_one_wait();
  an_event_that_is_complete_needs_no_barrier();
  two_devices_are_ordered_by_event();
  one_out_of_order_queue_needs_a_barrier();
  a_kept_back_barrier_makes_the_host_wait();
  only_a_barrier_that_the_device_has_is_trusted();
  an_in_order_consumer_never_makes_the_host_wait();
  devices_are_numbered_by_their_root();
  kinds_come_from_the_device_type();
  a_device_that_is_not_there_is_named();
  memory_is_of_the_default_queue_unless_a_stream_is_named();
  an_array_outside_the_default_context_is_not_exported();
  out_of_order_queues_are_parked_before_they_go();
  no_queue_is_no_stream();
  a_failure_names_its_function_and_leaks_nothing();
  an_event_without_a_state_is_an_error();
  idle_polls_and_gives_up();
  a_second_libsycl_is_refused_by_name();
  return check::result();
}
