// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the C table that is about where work and memory are, and on whose platform.
#include "c_api_place.hpp"

#include <exception>
#include <utility>

#include <anystream/error.hpp>

#include "error.hpp"
#include "order.hpp"
#include "platform_list.hpp"
#include "registry.hpp"

namespace anystream::core::border {
namespace {

const backend* engine_of(DLDevice device, const char* platform_name) {
  const auto type = static_cast<device_type>(device.device_type);
  return find_platform_of(type, platform_name != nullptr ? platform_name : "").engine;
}

}  // namespace

anystream_status stream_check_order(const stream* producer, const stream* consumer) {
  return guard([&] {
    consumer != nullptr ? check_order(*producer, *consumer) : check_host_wait(*producer);
  });
}

anystream_status memory_device(DLDevice claimed, const char* platform_name, const void* data,
                               DLDevice* out) {
  return guard([&] {
    const backend* engine = data != nullptr ? engine_of(claimed, platform_name) : nullptr;
    try {
      *out = engine != nullptr ? engine->locate(claimed, data) : claimed;
    } catch (const driver_unavailable&) {
      *out = claimed;
    }
  });
}

anystream_status device_enter(DLDevice device, const char* platform_name, std::uintptr_t* before) {
  return guard([&] {
    const backend* engine = engine_of(device, platform_name);
    *before = engine != nullptr ? engine->make_current(device) : ANYSTREAM_UNCHANGED;
  });
}

void device_leave(DLDevice device, const char* platform_name, std::uintptr_t before) {
  if (before == ANYSTREAM_UNCHANGED) return;
  guard([&] { engine_of(device, platform_name)->restore_current(before); });
}

anystream_status platform_register(const anystream_platform* platform, anystream_owner keep) {
  owner held(keep);
  return guard([&] { register_platform(*platform, std::move(held)); });
}

std::int32_t platform_count() { return registered_count(); }

anystream_status platform_info(std::int32_t index, anystream_platform_info* out) {
  return guard([&] { *out = registered_at(index).info; });
}

}  // namespace anystream::core::border
