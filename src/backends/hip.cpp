// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The HIP backend: what is AMD's own, a current device in place of contexts, under cuda_like.hpp.
#include "driver/hip.hpp"
#include "backends/backends.hpp"
#include "backends/cuda_like_events.hpp"

namespace anystream::core {
namespace {

struct hip_traits {
  using driver = hip_driver;
  using calls = cuda_like::calls<driver>;
  using place = cuda_like::place;
  using stream = hip_stream_t;
  using event = hip_event_t;

  static constexpr driver_id id = driver_id::hip;
  static constexpr const char* name = "hip";
  static constexpr const char* title = "HIP";
  static constexpr DLDeviceType device_kind = kDLROCM;
  static constexpr DLDeviceType host_kind = kDLROCMHost;
  static constexpr DLDeviceType managed_kind = kDLROCM;  // DLPack has no type of its own for it
  static constexpr std::uintptr_t legacy_number = 0;
  static constexpr bool threads_have_a_place = true;

  static std::span<const driver_symbol> symbols() noexcept { return hip_driver_symbols; }
  static bool serves(device_type type) noexcept {
    return type == device_type::rocm || type == device_type::rocm_host;
  }
  [[noreturn]] static void refuse_wait() { cuda_like::refuse_wait(title); }

  static place place_of(int device) noexcept { return static_cast<place>(device) + 1; }

  // Every thread has a current device, 0 at first, where there is one.
  static place current(const calls& api) {
    int device = 0;
    const int result = api->current_device(&device);
    if (result == cuda_like::not_initialized || result == cuda_like::no_device) return 0;
    if (result != cuda_like::success) api.fail<&driver::current_device>(result);
    return place_of(device);
  }
  static void make_current(const calls& api, place where) {
    const int device = static_cast<int>(where) - 1;
    if (!api.call_unless<&driver::make_device_current>(cuda_like::invalid_device, device)) {
      cuda_like::refuse_device(title, device);
    }
  }
  static void restore_current(const calls& api, place before) noexcept {
    if (before != 0) api->make_device_current(static_cast<int>(before) - 1);
  }
  static int device_of_current(const calls& api) { return static_cast<int>(current(api)) - 1; }
  static place primary(const calls&, int device) { return place_of(device); }
  static place place_of_stream(const calls& api, stream on, int told) {
    if (api->stream_device == nullptr) return place_of(told);
    const int result = api->stream_device(on, &told);
    if (result == cuda_like::invalid_handle || result == cuda_like::context_is_destroyed) {
      cuda_like::refuse_handle(title, "hipStreamGetDevice says that the handle is invalid (" +
                                          std::to_string(result) + ").");
    }
    if (result != cuda_like::success) api.fail<&driver::stream_device>(result);
    return place_of(told);
  }
  static std::uint64_t stream_id(const calls&, stream) noexcept { return 0; }
  static std::uint64_t life(const calls&, place) noexcept { return 1; }

  static bool has_event_of_all(const calls&) noexcept { return false; }
  static bool record_all(const calls&, place, event) noexcept { return false; }

  static void add_dependencies(const calls& api, stream on, void** nodes, std::size_t count) {
    api.call<&driver::add_capture_dependencies>(on, nodes, count, 0U);
  }

  struct description {
    int kind = ANYSTREAM_MEMORY_UNKNOWN;
    int device = 0;
  };

  // Of memory that it does not know the runtime says "invalid value", or "unregistered" (type 0).
  static description describe(const calls& api, const void* memory) {
    constexpr int invalid_value = 1;
    hip_pointer_attributes found = {};
    if (!api.call_unless<&driver::pointer_attributes>(invalid_value, &found, memory)) return {};
    if (found.type == 0) return {};
    if (found.is_managed != 0 || found.type == hip_memory_managed) {
      return {ANYSTREAM_MEMORY_SHARED, found.device};
    }
    const bool host = found.type == hip_memory_host;
    return {host ? ANYSTREAM_MEMORY_HOST : ANYSTREAM_MEMORY_DEVICE, found.device};
  }

  static void* allocate(const calls& api, DLDeviceType, std::size_t bytes) {
    void* memory = nullptr;
    api.call<&driver::allocate_host>(&memory, bytes, 0U);
    return memory;
  }
  static void copy(const calls& api, void* target, const void* source, std::size_t bytes,
                   stream on) {
    api.call<&driver::copy_async>(target, source, bytes, hip_copy_default, on);
  }
};

}  // namespace

backend& hip_backend() {
  static auto* const only = new cuda_like_backend<hip_traits>;
  return *only;
}

std::unique_ptr<backend> hip_backend_on(const hip_driver& driver) {
  return std::make_unique<cuda_like_backend<hip_traits>>(driver);
}

}  // namespace anystream::core
