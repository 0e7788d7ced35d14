// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Exploring devices as users of the library have them: by the C table alone.
#include <anystream/c_api.h>

#include <cstdint>
#include <string>

#include "check.hpp"

namespace {

const anystream_api& core() { return *anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR); }

const anystream_simulated_api& simulated() { return *core().simulated; }

void ok(anystream_status status) { CHECK_EQUAL(status, ANYSTREAM_OK); }

std::string message() {
  anystream_error error;
  core().last_error(&error);
  return error.message;
}

// Two streams, an array that one of them writes, and one that the other reads it into.
struct bench {
  explicit bench(std::uint64_t seed, const char* fault = nullptr) {
    ok(simulated().explorer_create(seed, fault, &device));
    ok(simulated().stream_create(device, "producer", 1, &producer));
    ok(simulated().stream_create(device, "consumer", 1, &consumer));
    ok(simulated().allocate(device, sizeof(float), &source));
    ok(simulated().allocate(device, sizeof(float), &target));
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench() {
    simulated().stream_release(producer);
    simulated().stream_release(consumer);
    ok(simulated().explorer_close(device));
  }

  void write() const {
    const float seven = 7;
    ok(simulated().fill(producer, source, &seven, sizeof seven, 1));
  }
  void read() const { ok(simulated().copy(consumer, target, source, sizeof(float))); }

  // By the core, as everyone does.
  void order() const {
    anystream_stream* first = nullptr;
    anystream_stream* second = nullptr;
    const auto handle = [](void* raw) { return reinterpret_cast<std::uintptr_t>(raw); };
    ok(core().stream_of_platform("simulated", handle(producer), {nullptr, nullptr}, &first));
    ok(core().stream_of_platform("simulated", handle(consumer), {nullptr, nullptr}, &second));
    std::int32_t how = -1;
    ok(core().stream_order(first, second, &how));
    CHECK_EQUAL(how, ANYSTREAM_ORDERED_EVENT);
    core().stream_release(first);
    core().stream_release(second);
  }

  std::uint64_t findings() const {
    std::uint64_t steps = 0;
    std::uint64_t found = 0;
    ok(simulated().explorer_finish(device));
    ok(simulated().explorer_count(device, &steps, &found));
    return found;
  }

  std::int32_t device = -1;
  void* producer = nullptr;
  void* consumer = nullptr;
  void* source = nullptr;
  void* target = nullptr;
};

// The number of the seeds, of 1,000, at which a mistake is seen.
int seen(bool ordered, const char* fault) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const bench at{seed, fault};
    at.write();
    if (ordered) at.order();
    at.read();
    if (at.findings() > 0) ++wrong;
  }
  return wrong;
}

void a_mistake_is_seen_and_nothing_else() {
  CHECK_EQUAL(seen(true, nullptr), 0);
  CHECK(seen(false, nullptr) > 0);
  for (const char* fault : {"record left out", "record too early", "record on another stream",
                            "wait left out", "wait on another stream", "copy at once",
                            "event ends when given back", "copy overtakes a wait"}) {
    CHECK(seen(true, fault) > 0);
  }
}

void a_finding_says_what_happened() {
  const bench at{0};
  at.read();
  CHECK_EQUAL(at.findings(), 1U);
  anystream_simulated_finding found{};
  ok(simulated().explorer_finding(at.device, 0, &found));
  CHECK_EQUAL(std::string(found.what), "read bytes that no operation has written");
  CHECK_EQUAL(std::string(found.at.stream), "consumer");
  CHECK_EQUAL(std::string(found.at.operation), "copy 4 bytes of memory 1 to memory 2");
  CHECK_EQUAL(std::string(found.memory), "bytes 0 to 3 of memory 1 (4 bytes)");
  CHECK_EQUAL(found.step, 0U);
  anystream_simulated_step step{};
  ok(simulated().explorer_step(at.device, 0, &step));
  CHECK_EQUAL(std::string(step.operation), found.at.operation);
}

void what_is_not_there_is_a_value_error() {
  const bench at{0};
  anystream_simulated_finding found{};
  anystream_simulated_step step{};
  std::int32_t device = 99;
  CHECK_EQUAL(simulated().explorer_finding(at.device, 0, &found), ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(message(),
              "an exploring device: there is no entry 0; explorer_count tells how many there are.");
  CHECK_EQUAL(simulated().explorer_step(at.device, 7, &step), ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(simulated().explorer_create(0, "none such", &device), ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(simulated().explorer_finish(-1), ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(device, 99);
  CHECK(simulated().fault_name(-1) == nullptr && simulated().fault_effect(1000) == nullptr);
  CHECK_EQUAL(std::string(simulated().fault_name(0)), "record left out");
}

void a_wait_that_cannot_end_is_a_driver_error() {
  const bench at{0};
  at.write();
  ok(simulated().stream_hold(at.producer));
  at.write();
  anystream_stream* stream = nullptr;
  const auto handle = reinterpret_cast<std::uintptr_t>(at.producer);
  ok(core().stream_of_platform("simulated", handle, {nullptr, nullptr}, &stream));
  std::int32_t how = -1;
  CHECK_EQUAL(core().stream_synchronize(stream, &how), ANYSTREAM_DRIVER_ERROR);
  anystream_error error;
  core().last_error(&error);
  CHECK_EQUAL(std::string(error.code_name), "DEADLOCK");
  core().stream_release(stream);
}

}  // namespace

int main() {
  a_mistake_is_seen_and_nothing_else();
  a_finding_says_what_happened();
  what_is_not_there_is_a_value_error();
  a_wait_that_cannot_end_is_a_driver_error();
  return check::result();
}
