// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A platform registered through the C table: what it can do, and what is refused.
#include <anystream/c_api.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "registered_rig.hpp"

namespace {

using namespace registered_rig;

// ---- what is shown ------------------------------------------------------------------------------

void two_streams_are_ordered() {
  queue first, second;
  int done = 0;
  bool held = true;
  {
    const stream_of producer(vulkan, "", first), consumer(vulkan, "", second);
    CHECK_EQUAL(first.uses, 1);
    CHECK_EQUAL(std::string(core().stream_platform(producer.raw)), "lab");
    first.steps.emplace_back([&] { return !held; });
    std::int32_t how = -1;
    ok(core().stream_order(producer.raw, consumer.raw, &how));
    CHECK_EQUAL(how, ANYSTREAM_ORDERED_EVENT);
    second.steps.emplace_back([&] { return ++done, true; });
    second.run();
    CHECK_EQUAL(done, 0);
    std::int32_t idle = 1;
    ok(core().stream_idle(consumer.raw, &idle));
    CHECK_EQUAL(idle, 0);
    held = false;
    first.run();
    second.run();
    CHECK_EQUAL(done, 1);
    ok(core().stream_order(producer.raw, producer.raw, &how));
    CHECK_EQUAL(how, ANYSTREAM_ORDERED_NOTHING);
  }
  CHECK_EQUAL(first.uses, 0);
  CHECK_EQUAL(now.events, 0);
}

void an_out_of_order_stream_takes_a_barrier() {
  queue theirs;
  theirs.in_order = false;
  const stream_of refusing(vulkan, "lab", theirs);
  CHECK_EQUAL(core().stream_check_consumer(refusing.raw, "handoff(stream=…)"),
              ANYSTREAM_VALUE_ERROR);
  anystream_stream* lenient = nullptr;
  ok(core().stream_with_policy(refusing.raw, ANYSTREAM_OUT_OF_ORDER_BARRIER, &lenient));
  std::int32_t how = -1;
  ok(core().stream_order(lenient, lenient, &how));
  CHECK_EQUAL(how, ANYSTREAM_ORDERED_BARRIER);
  core().stream_release(lenient);
}

void arguments_are_resolved() {
  queue theirs;
  theirs.device = 3;
  anystream_argument given{};
  given.kind = ANYSTREAM_ARGUMENT_CAPSULE;
  given.capsule_name = "lab_queue";
  given.handle = reinterpret_cast<std::uintptr_t>(&theirs);
  given.got = "a capsule";
  given.where = "f(stream=…)";
  anystream_resolution found{};
  ok(core().stream_resolve(vulkan, "", &given, {nullptr, nullptr}, &found));
  CHECK_EQUAL(found.form, ANYSTREAM_FORM_STREAM);
  CHECK_EQUAL(core().stream_device(found.stream).device_id, 3);
  core().stream_release(found.stream);
  given.kind = ANYSTREAM_ARGUMENT_OBJECT;
  given.family = "lab";
  ok(core().stream_resolve(vulkan, "", &given, {nullptr, nullptr}, &found));
  core().stream_release(found.stream);
  given.kind = ANYSTREAM_ARGUMENT_UNKNOWN;
  CHECK_EQUAL(core().stream_resolve(vulkan, "", &given, {nullptr, nullptr}, &found),
              ANYSTREAM_TYPE_ERROR);
  CHECK(says("a lab kDLVulkan array takes None, -1, a lab.Queue, or a \"lab_queue\" capsule"));
  given.kind = ANYSTREAM_ARGUMENT_INTEGER;
  given.integer = 64;
  CHECK_EQUAL(core().stream_resolve(vulkan, "", &given, {nullptr, nullptr}, &found),
              ANYSTREAM_TYPE_ERROR);
}

void memory_is_copied_and_given_back() {
  queue theirs;
  const stream_of stream(vulkan, "", theirs);
  std::array<float, 4> values = {1, 2, 3, 4};
  std::int64_t shape = 4;
  const DLTensor tensor = {values.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
  anystream_array *host = nullptr, *there = nullptr, *back = nullptr;
  ok(core().array_wrap(&tensor, 0, "", {nullptr, nullptr}, &host));
  ok(core().array_copy(host, vulkan, stream.raw, &there));
  CHECK_EQUAL(std::string(core().array_platform(there)), "lab");
  ok(core().array_copy(there, {kDLCPU, 0}, nullptr, &back));
  const auto* copied = static_cast<const float*>(core().array_tensor(back)->data);
  CHECK_EQUAL(copied[3], 4.0F);
  CHECK_EQUAL(now.memory, 1);
  for (anystream_array* each : {host, back, there}) core().array_release(each);
  core().releases_run();
  CHECK_EQUAL(now.memory, 0);
  CHECK_EQUAL(now.events, 0);
}

void a_release_waits_for_its_users() {
  queue first, second;
  bool held = true;
  const stream_of home(vulkan, "", first), user(vulkan, "", second);
  float value = 0;
  std::int64_t shape = 1;
  const DLTensor tensor = {&value, vulkan, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
  static int released;
  released = 0;
  anystream_array* array = nullptr;
  ok(core().array_wrap(&tensor, 0, "", {&released, [](void* at) { ++*static_cast<int*>(at); }},
                       &array));
  ok(core().array_set_way_back(array, home.raw, ANYSTREAM_RELEASE_ORDERED, 0));
  ok(core().array_record_stream(array, user.raw));
  second.steps.emplace_back([&] { return !held; });
  core().array_release(array);
  first.run();
  core().releases_run();
  CHECK_EQUAL(released, 0);
  held = false;
  second.run();
  first.run();
  std::int32_t all = 0;
  ok(core().releases_flush(10.0, &all));
  CHECK_EQUAL(released, 1);
  CHECK_EQUAL(now.events, 0);
}

void a_failing_callback_is_told_of() {
  queue first, second;
  const stream_of producer(vulkan, "", first), consumer(vulkan, "", second);
  for (const char* callback : {"record", "wait"}) {
    now.failing = callback;
    std::int32_t how = -1;
    CHECK_EQUAL(core().stream_order(producer.raw, consumer.raw, &how), ANYSTREAM_DRIVER_ERROR);
    CHECK_EQUAL(message(), "platform \"lab\": " + std::string(callback) +
                               " failed: it is broken (LAB_BROKEN)");
    anystream_error error;
    core().last_error(&error);
    CHECK_EQUAL(std::string(error.api), std::string("lab.") + callback);
    CHECK_EQUAL(error.code, -7);
    CHECK_EQUAL(how, -1);
  }
  for (const char* callback : {"device_of", "retain", "in_order"}) {
    now.failing = callback;
    anystream_stream* made = nullptr;
    CHECK_EQUAL(core().stream_from_handle(vulkan, "", reinterpret_cast<std::uintptr_t>(&first),
                                          {nullptr, nullptr}, &made),
                ANYSTREAM_DRIVER_ERROR);
    CHECK_EQUAL(first.uses, 1);
  }
  now.failing = "retain";
  now.status = ANYSTREAM_VALUE_ERROR;
  anystream_stream* made = nullptr;
  CHECK_EQUAL(core().stream_from_handle(vulkan, "", reinterpret_cast<std::uintptr_t>(&first),
                                        {nullptr, nullptr}, &made),
              ANYSTREAM_VALUE_ERROR);
  now.failing = "";
  now.status = ANYSTREAM_DRIVER_ERROR;
  CHECK_EQUAL(now.events, 0);
}

void what_is_missing_is_named() {
  constexpr DLDevice device{static_cast<DLDeviceType>(77), 0};
  ok(add(bare(77, "classonly")));
  queue first, second;
  const stream_of one(device, "", first), other(device, "", second);
  std::int32_t how = -1;
  ok(core().stream_order(one.raw, one.raw, &how));
  CHECK_EQUAL(how, ANYSTREAM_ORDERED_NOTHING);
  CHECK_EQUAL(core().stream_order(one.raw, other.raw, &how), ANYSTREAM_DRIVER_UNAVAILABLE);
  CHECK_EQUAL(message(),
              "platform \"classonly\" was registered without record=…: what waits for a stream's "
              "work takes it.\n  Give it to anystream.register_platform(record=…), or set "
              "anystream_platform.record in C.");
  anystream_array* array = nullptr;
  std::int64_t shape = 1;
  CHECK_EQUAL(core().array_empty(device, "", 1, &shape, {kDLFloat, 32, 1}, one.raw, &array),
              ANYSTREAM_DRIVER_UNAVAILABLE);
  CHECK(says("allocate=…"));
}

void a_shortcut_orders_both_ways() {
  anystream_platform platform = bare(kDLWebGPU, "shortcut");
  platform.order = order;
  ok(add(platform));
  constexpr DLDevice device{kDLWebGPU, 0};
  queue first, second;
  const stream_of home(device, "", first), user(device, "", second);
  std::int32_t how = -1;
  ok(core().stream_order(home.raw, user.raw, &how));
  CHECK_EQUAL(how, ANYSTREAM_ORDERED_EVENT);
  CHECK_EQUAL(now.orders, 1);
  float value = 0;
  std::int64_t shape = 1;
  const DLTensor tensor = {&value, device, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
  static int released;
  anystream_array* array = nullptr;
  ok(core().array_wrap(&tensor, 0, "", {&released, [](void* at) { ++*static_cast<int*>(at); }},
                       &array));
  ok(core().array_set_way_back(array, home.raw, ANYSTREAM_RELEASE_ORDERED, 0));
  ok(core().array_record_stream(array, user.raw));
  core().array_release(array);
  CHECK_EQUAL(now.orders, 2);
  CHECK_EQUAL(released, 1);
}

void several_share_a_device_type() {
  static float mine[4];
  anystream_platform platform = whole(kDLExtDev, "shared.lab");
  platform.owns = [](void*, const void* data) -> std::int32_t { return data == mine ? 1 : 0; };
  ok(add(platform));
  ok(add(whole(kDLExtDev, "own.lab")));
  std::int64_t shape = 4;
  for (const auto& [data, name] : {std::pair<void*, const char*>{mine, "shared.lab"},
                                   std::pair<void*, const char*>{&shape, "own.lab"}}) {
    const DLTensor tensor = {data, {kDLExtDev, 0}, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
    anystream_array* array = nullptr;
    ok(core().array_wrap(&tensor, 0, "", {nullptr, nullptr}, &array));
    CHECK_EQUAL(std::string(core().array_platform(array)), name);
    core().array_release(array);
  }
  queue first, second;
  const stream_of one({kDLExtDev, 0}, "shared.lab", first), other({kDLExtDev, 0}, "", second);
  std::int32_t relation = -1;
  ok(core().stream_relation(one.raw, other.raw, &relation));
  CHECK_EQUAL(relation, ANYSTREAM_RELATION_UNRELATED);
}

void a_wrong_registration_is_refused() {
  const auto refused = [](const anystream_platform& platform, const char* words) {
    CHECK_EQUAL(add(platform), ANYSTREAM_VALUE_ERROR);
    CHECK(says(words));
  };
  refused(bare(kDLCUDA, "mine"), "the device type has a built-in platform, \"cuda\"");
  refused(bare(kDLVPI, "simulated"), "that is the name of a built-in platform");
  refused(bare(kDLVPI, ""), "1 to 31 letters");
  refused(bare(kDLVPI, "Upper"), "1 to 31 letters");
  refused(bare(kDLVPI, nullptr), "1 to 31 letters");
  refused(bare(0, "mine"), "a device type is a number");
  refused(bare(kDLVulkan, "second"), "has a platform of its own already, \"lab\"");
  refused(bare(kDLVulkan, "lab"), "registered on the device type already");
  anystream_platform platform = bare(kDLVPI, "mine");
  platform.retain = retain;
  refused(platform, "retain and release go together");
  platform = bare(kDLVPI, "mine");
  platform.size = 8;
  refused(platform, "size is sizeof");
  platform = bare(kDLVPI, "mine");
  platform.flags = 1u << 20;
  refused(platform, "flags");
  platform = bare(kDLVPI, "mine");
  platform.memory = 4;
  refused(platform, "memory");
}

void the_same_once_more_changes_nothing() {
  const std::int32_t before = core().platform_count();
  static int released;
  const std::string name = "lab";  // at another address
  const anystream_platform copy = whole(kDLVulkan, name.c_str());
  ok(core().platform_register(&copy, {&released, [](void* at) { ++*static_cast<int*>(at); }}));
  CHECK_EQUAL(released, 1);
  CHECK_EQUAL(core().platform_count(), before);
  anystream_platform_info info;
  ok(core().platform_info(0, &info));
  CHECK_EQUAL(std::string(info.name), "lab");
  CHECK_EQUAL(info.is_own, 1);
  CHECK(std::string(info.callbacks).find("record wait complete") != std::string::npos);
  CHECK_EQUAL(core().platform_info(before, &info), ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(core().platform_info(-1, &info), ANYSTREAM_VALUE_ERROR);
}

// Each name gets in once, and one platform alone is the device type's own.
void threads_register_at_once() {
  constexpr int threads = 4, names = 16;
  const std::int32_t before = core().platform_count();
  std::atomic<int> added{0};
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      const std::string mine = "own." + std::to_string(i);
      if (add(bare(kDLTrn, mine.c_str())) == ANYSTREAM_OK) ++added;
      for (int name = 0; name < names; ++name) {
        const std::string shared = "shared." + std::to_string(name);
        anystream_platform platform = bare(kDLTrn, shared.c_str());
        platform.owns = [](void*, const void*) -> std::int32_t { return 0; };
        platform.context = &running;  // of all threads: the same platform
        CHECK_EQUAL(add(platform), ANYSTREAM_OK);
        anystream_platform_info info;
        for (std::int32_t at = 0; at < core().platform_count(); ++at) {
          CHECK_EQUAL(core().platform_info(at, &info), ANYSTREAM_OK);
        }
      }
    });
  }
  for (std::thread& each : running) each.join();
  CHECK_EQUAL(added.load(), 1);
  CHECK_EQUAL(core().platform_count(), before + names + 1);
}

}  // namespace

int main() {
  ok(add(whole(kDLVulkan, "lab")));
  two_streams_are_ordered();
  an_out_of_order_stream_takes_a_barrier();
  arguments_are_resolved();
  memory_is_copied_and_given_back();
  a_release_waits_for_its_users();
  a_failing_callback_is_told_of();
  what_is_missing_is_named();
  a_shortcut_orders_both_ways();
  several_share_a_device_type();
  a_wrong_registration_is_refused();
  the_same_once_more_changes_nothing();
  threads_register_at_once();
  return check::result();
}
