// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator as users of the library have it: by the C table alone.
#include <anystream/c_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "check.hpp"

namespace {

const anystream_api& core() { return *anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR); }

const anystream_simulated_api& simulated() { return *core().simulated; }

constexpr std::size_t count = 64;
constexpr std::size_t bytes = count * sizeof(float);
constexpr const char* platform = "simulated";

void ok(anystream_status status) {
  CHECK(status == ANYSTREAM_OK);
  if (status != ANYSTREAM_OK) {
    anystream_error error;
    core().last_error(&error);
    std::fprintf(stderr, "  %s\n", error.message);
  }
}

std::string message() {
  anystream_error error;
  core().last_error(&error);
  return error.message;
}

// A stream of the simulation, and the same as a stream of the core's.
struct stream_pair {
  stream_pair(std::int32_t device, bool in_order) {
    ok(simulated().stream_create(device, nullptr, in_order ? 1 : 0, &raw));
    anystream_stream* refusing = nullptr;
    ok(core().stream_of_platform(platform, reinterpret_cast<std::uintptr_t>(raw),
                                 {nullptr, nullptr}, &refusing));
    ok(core().stream_with_policy(refusing, ANYSTREAM_OUT_OF_ORDER_BARRIER, &stream));
    core().stream_release(refusing);
  }
  stream_pair(const stream_pair&) = delete;
  stream_pair& operator=(const stream_pair&) = delete;
  ~stream_pair() {
    core().stream_release(stream);
    simulated().stream_release(raw);
  }

  void* raw = nullptr;
  anystream_stream* stream = nullptr;
};

struct memory {
  explicit memory(std::int32_t device) { ok(simulated().allocate(device, bytes, &data)); }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() { ok(simulated().deallocate(data)); }

  bool all(float value) const {
    std::array<float, count> now{};
    ok(simulated().peek(data, now.data(), bytes));
    for (const float held : now) {
      if (held != value) return false;
    }
    return true;
  }

  void* data = nullptr;
};

std::int32_t new_device() {
  std::int32_t id = -1;
  ok(simulated().device_create(0, 0, &id));
  return id;
}

std::uint64_t pending(const stream_pair& on) {
  std::uint64_t operations = 99;
  ok(simulated().stream_pending(on.raw, &operations));
  return operations;
}

void fill(const stream_pair& on, const memory& target, float value) {
  ok(simulated().fill(on.raw, target.data, &value, sizeof value, count));
}

void read(const stream_pair& on, const memory& target, const memory& source) {
  ok(simulated().copy(on.raw, target.data, source.data, bytes));
}

// The hand-off: fill on the producer's held stream, order, copy on the consumer's.
void order_by_the_table(bool producer_in_order, bool consumer_in_order) {
  const std::int32_t device = new_device();
  const stream_pair producer{device, producer_in_order};
  const stream_pair consumer{device, consumer_in_order};
  const memory source{device};
  const memory target{device};
  ok(simulated().stream_hold(producer.raw));
  fill(producer, source, 42);
  read(consumer, target, source);  // as without anystream
  std::int32_t how = -1;
  ok(core().stream_synchronize(consumer.stream, &how));
  CHECK(!target.all(42));

  ok(core().stream_order(producer.stream, consumer.stream, &how));
  CHECK(how == ANYSTREAM_ORDERED_EVENT);
  read(consumer, target, source);
  CHECK(pending(producer) == 2);
  CHECK(!target.all(42));
  ok(simulated().stream_resume(producer.raw));
  ok(core().stream_synchronize(consumer.stream, &how));
  CHECK(target.all(42));
}

void one_queue_needs_a_barrier_only_out_of_order(bool in_order) {
  const std::int32_t device = new_device();
  const stream_pair queue{device, in_order};
  const memory source{device};
  const memory target{device};
  ok(simulated().stream_hold(queue.raw));
  fill(queue, source, 42);
  std::int32_t how = -1;
  ok(core().stream_order(queue.stream, queue.stream, &how));
  CHECK(how == (in_order ? ANYSTREAM_ORDERED_NOTHING : ANYSTREAM_ORDERED_BARRIER));
  read(queue, target, source);
  CHECK(pending(queue) == (in_order ? 2u : 3u));
  ok(simulated().stream_resume(queue.raw));
  ok(core().stream_synchronize(queue.stream, &how));
  CHECK(target.all(42));
  ok(core().stream_synchronize(queue.stream, &how));
  CHECK(how == ANYSTREAM_ORDERED_IDLE);
}

void streams_describe_themselves() {
  const std::int32_t device = new_device();
  const stream_pair queue{device, false};
  CHECK(core().stream_device(queue.stream).device_type == kDLExtDev);
  CHECK(core().stream_device(queue.stream).device_id == device);
  CHECK(std::string{core().stream_platform(queue.stream)} == platform);
  std::int32_t in_order = -1;
  ok(core().stream_in_order(queue.stream, &in_order));
  CHECK(in_order == 0);
  CHECK(std::string{simulated().stream_name(queue.raw)} == "stream 0");
  void* found = nullptr;
  ok(simulated().find_stream(device, "stream 0", &found));
  CHECK(found == queue.raw);
  simulated().stream_release(found);
}

// A stream of the core's is a reference: it lives on when the one it was made from is released.
void the_core_keeps_what_it_wraps() {
  const std::int32_t device = new_device();
  void* raw = nullptr;
  anystream_stream* stream = nullptr;
  ok(simulated().stream_create(device, "kept", 1, &raw));
  ok(core().stream_from_handle({kDLExtDev, device}, platform, reinterpret_cast<std::uintptr_t>(raw),
                               {nullptr, nullptr}, &stream));
  simulated().stream_release(raw);
  std::int32_t idle = 0;
  ok(core().stream_idle(stream, &idle));
  CHECK(idle == 1);
  core().stream_release(stream);
  CHECK(simulated().stream_hold(raw) == ANYSTREAM_VALUE_ERROR);
}

void failures_are_statuses_with_a_message() {
  const std::int32_t device = new_device();
  const memory array{device};
  void* stream = nullptr;
  std::uint64_t operations = 99;
  float value = 0;
  CHECK(simulated().stream_create(-3, nullptr, 1, &stream) == ANYSTREAM_VALUE_ERROR);
  CHECK(message().find("got -3") != std::string::npos);
  CHECK(simulated().find_stream(device, "nobody", &stream) == ANYSTREAM_VALUE_ERROR);
  CHECK(message().find("It has: none.") != std::string::npos);
  CHECK(stream == nullptr);
  CHECK(simulated().stream_pending(&value, &operations) == ANYSTREAM_VALUE_ERROR);
  CHECK(operations == 99);
  CHECK(simulated().stream_hold(nullptr) == ANYSTREAM_VALUE_ERROR);
  CHECK(simulated().stream_resume(&value) == ANYSTREAM_VALUE_ERROR);
  CHECK(simulated().peek(array.data, &value, bytes + 1) == ANYSTREAM_VALUE_ERROR);
  CHECK(simulated().deallocate(&value) == ANYSTREAM_VALUE_ERROR);
  CHECK(simulated().fill(&value, array.data, &value, 4, 1) == ANYSTREAM_VALUE_ERROR);
  CHECK(simulated().copy(&value, array.data, &value, 4) == ANYSTREAM_VALUE_ERROR);
  anystream_stream* wrapped = nullptr;
  CHECK(core().stream_of_platform(platform, 12345, {nullptr, nullptr}, &wrapped) ==
        ANYSTREAM_VALUE_ERROR);
  CHECK(wrapped == nullptr);
}

void host_functions_run_on_the_streams_thread() {
  const std::int32_t device = new_device();
  const stream_pair queue{device, true};
  struct seen {
    std::thread::id thread;
    int dropped = 0;
  } result;
  ok(simulated().call(
      queue.raw, [](void* to) { static_cast<seen*>(to)->thread = std::this_thread::get_id(); },
      &result, [](void* to) { ++static_cast<seen*>(to)->dropped; }));
  std::int32_t how = -1;
  ok(core().stream_synchronize(queue.stream, &how));
  CHECK(result.thread != std::this_thread::get_id());
  CHECK(result.dropped == 1);
  CHECK(simulated().call(nullptr, nullptr, &result, [](void* to) {
    ++static_cast<seen*>(to)->dropped;
  }) == ANYSTREAM_VALUE_ERROR);
  CHECK(result.dropped == 2);
}

// What host memory belongs to is kept until the copy has run, whatever order the queue picks, and
// is let go of when there is nothing to copy.
void a_copy_keeps_its_host_memory(bool in_order) {
  const std::int32_t device = new_device();
  const stream_pair queue{device, in_order};
  const memory array{device};
  auto* const host = new std::array<float, count>;
  host->fill(3);
  static std::atomic<int> released;
  released = 0;
  const anystream_owner owner{host, [](void* memory) {
                                delete static_cast<std::array<float, count>*>(memory);
                                ++released;
                              }};
  ok(simulated().stream_hold(queue.raw));
  ok(simulated().copy_keeping(queue.raw, array.data, host->data(), bytes, owner));
  CHECK(released == 0);
  ok(simulated().stream_resume(queue.raw));
  std::int32_t how = -1;
  ok(core().stream_synchronize(queue.stream, &how));
  CHECK(released == 1);
  CHECK(array.all(3));
  const anystream_owner unused{nullptr, [](void*) { ++released; }};
  CHECK(simulated().copy_keeping(queue.raw, array.data, host, bytes + 1, unused) ==
        ANYSTREAM_VALUE_ERROR);
  CHECK(released == 2);
}

}  // namespace

int main() {
  for (const bool producer_in_order : {true, false}) {
    for (const bool consumer_in_order : {true, false}) {
      order_by_the_table(producer_in_order, consumer_in_order);
    }
    one_queue_needs_a_barrier_only_out_of_order(producer_in_order);
    a_copy_keeps_its_host_memory(producer_in_order);
  }
  streams_describe_themselves();
  the_core_keeps_what_it_wraps();
  failures_are_statuses_with_a_message();
  host_functions_run_on_the_streams_thread();
  return check::result();
}
