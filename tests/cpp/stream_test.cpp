// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of platforms whose backend comes later: they are held, compared and described; ordering
// them says what is missing, and every place that was tried.
#include <cstring>
#include <string>
#include <type_traits>

#include <anystream/stream.hpp>
#include <anystream/version.hpp>

#include "check.hpp"

namespace {

using anystream::device;
using anystream::device_type;
using anystream::driver_unavailable;
using anystream::relation;
using anystream::stream;
using anystream::stream_view;

// The accident does not compile.
static_assert(!std::is_constructible_v<stream, int>);
static_assert(!std::is_constructible_v<stream, decltype(nullptr)>);
static_assert(!std::is_constructible_v<stream_view, int>);
static_assert(!std::is_constructible_v<stream_view, long>);
static_assert(!std::is_constructible_v<stream_view, decltype(nullptr)>);
static_assert(std::is_convertible_v<stream, stream_view>);
static_assert(!std::is_convertible_v<stream_view, stream>);
static_assert(std::is_nothrow_move_constructible_v<stream>);
static_assert(!std::is_copy_constructible_v<anystream::event>);

stream held(device_type type, std::uintptr_t handle, std::int32_t id = 0) {
  return stream::from_handle({type, id}, handle);
}

void a_handle_describes_itself() {
  const stream s = held(device_type::cuda, 0x1000, 2);
  CHECK(s.device() == device(device_type::cuda, 2) && s.platform() == "cuda");
  CHECK_EQUAL(s.native_handle(), 0x1000u);
  CHECK(s.in_order());
  const stream shared = s;
  CHECK(shared.get() == s.get());
  CHECK(held(device_type::rocm, 0).in_order());
  CHECK(held(device_type::metal, 0x10).platform() == "metal");
}

void handles_of_one_platform_are_compared() {
  const stream a = held(device_type::cuda, 0x1000);
  CHECK(a.view().relation_to(held(device_type::cuda, 0x1000)) == relation::same);
  CHECK(a.view().relation_to(held(device_type::cuda, 0x2000)) == relation::different);
  CHECK(held(device_type::cuda, 1, 0).view().relation_to(held(device_type::cuda, 1, 1)) ==
        relation::different);
  CHECK(a.view().relation_to(held(device_type::cuda_managed, 0x1000)) == relation::same);
  CHECK(a.view().relation_to(held(device_type::rocm, 0x1000)) == relation::unrelated);
  CHECK(a.wait(held(device_type::cuda, 0x1000)) == anystream::ordered::nothing);
}

anystream_driver_info driver_named(const char* name) {
  const anystream_api& core = anystream::api();
  anystream_driver_info found{};
  for (std::int32_t i = 0; i < core.driver_count(); ++i) {
    anystream::check(core.driver_info(i, &found));
    if (std::strcmp(found.name, name) == 0) return found;
  }
  CHECK(!"a driver of that name");
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Every place that was tried is named.
void check_unavailable(const std::string& text, const char* driver, const char* library) {
  const anystream_driver_info known = driver_named(driver);
  CHECK_EQUAL(known.has_backend, 1);
  CHECK(contains(text, library) && contains(known.reason, library));
  CHECK(contains(text, known.reason));
}

void ordering_says_what_is_missing() {
  const struct {
    device_type type;
    const char* driver;
    const char* library;
  } rows[] = {{device_type::cuda, "cuda", "libcuda.so.1"},
              {device_type::cuda_managed, "cuda", "libcuda.so.1"},
              {device_type::rocm, "hip", "libamdhip64.so"},
              {device_type::metal, "metal", "Metal.framework"}};
  for (const auto& [type, driver, library] : rows) {
    const anystream_driver_info known = driver_named(driver);
    if (known.available) continue;  // it is there, and would be asked
    const stream a = held(type, 0x1000);
    const stream b = held(type, 0x2000);
    check_unavailable(CHECK_THROWS(driver_unavailable, a.wait(b)), driver, library);
    check_unavailable(CHECK_THROWS(driver_unavailable, a.record()), driver, library);
    check_unavailable(CHECK_THROWS(driver_unavailable, a.idle()), driver, library);
    check_unavailable(CHECK_THROWS(driver_unavailable, a.synchronize()), driver, library);
    CHECK_THROWS(driver_unavailable, held(device_type::cuda, 9).wait(held(device_type::rocm, 9)));
  }
}

void devices_without_streams_have_none() {
  CHECK_MESSAGE(anystream::type_error,
                "a kDLCPU array has no stream.\n  Name a device that has, or leave the device out.",
                held(device_type::cpu, 0x1000));
  const std::string text = CHECK_THROWS(driver_unavailable, held(device_type::vulkan, 0x1000));
  CHECK(text.starts_with("nothing here can order or copy on a kDLVulkan array:"));
  CHECK_THROWS(driver_unavailable, held(device_type{77}, 0x1000));
}

void owners_live_as_long_as_the_handle() {
  const anystream_api& core = anystream::api();
  int released = 0;
  const anystream_owner owner = {&released, [](void* count) { ++*static_cast<int*>(count); }};
  anystream_stream* base = nullptr;
  anystream_stream* other = nullptr;
  anystream::check(core.stream_from_handle({kDLCUDA, 0}, "", 0x1000, owner, &base));
  anystream::check(core.stream_with_policy(base, ANYSTREAM_OUT_OF_ORDER_BARRIER, &other));
  CHECK(core.stream_policy(base) == ANYSTREAM_OUT_OF_ORDER_REFUSE);
  CHECK(core.stream_policy(other) == ANYSTREAM_OUT_OF_ORDER_BARRIER);
  core.stream_release(base);
  CHECK_EQUAL(released, 0);
  core.stream_release(other);
  CHECK_EQUAL(released, 1);
  CHECK(core.stream_from_handle({kDLCPU, 0}, "", 0x1000, owner, &base) == ANYSTREAM_TYPE_ERROR);
  CHECK_EQUAL(released, 2);
  CHECK(core.stream_of_platform("cuda", 0x1000, owner, &base) == ANYSTREAM_VALUE_ERROR);
  CHECK_EQUAL(released, 3);
}

}  // namespace

int main() {
  a_handle_describes_itself();
  handles_of_one_platform_are_compared();
  ordering_says_what_is_missing();
  devices_without_streams_have_none();
  owners_live_as_long_as_the_handle();
  return check::result();
}
