// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA backend: what is NVIDIA's own, contexts above all, under cuda_like.hpp.
#include "driver/cuda.hpp"
#include "backends/backends.hpp"
#include "backends/cuda_like_events.hpp"

namespace anystream::core {
namespace {

struct cuda_traits {
  using driver = cuda_driver;
  using calls = cuda_like::calls<driver>;
  using place = cuda_like::place;
  using stream = cuda_stream_t;
  using event = cuda_event_t;

  static constexpr driver_id id = driver_id::cuda;
  static constexpr const char* name = "cuda";
  static constexpr const char* title = "CUDA";
  static constexpr DLDeviceType device_kind = kDLCUDA;
  static constexpr DLDeviceType host_kind = kDLCUDAHost;
  static constexpr DLDeviceType managed_kind = kDLCUDAManaged;
  static constexpr std::uintptr_t legacy_number = 1;
  static constexpr bool threads_have_a_place = false;

  static std::span<const driver_symbol> symbols() noexcept { return cuda_driver_symbols; }
  static bool serves(device_type type) noexcept {
    return type == device_type::cuda || type == device_type::cuda_host ||
           type == device_type::cuda_managed;
  }
  [[noreturn]] static void refuse_wait() { cuda_like::refuse_wait(title); }

  static cuda_context context(place where) noexcept {
    return reinterpret_cast<cuda_context>(where);
  }

  // 0 in a thread without a context, and where nobody has initialised the driver.
  static place current(const calls& api) {
    cuda_context found = nullptr;
    api.call_unless<&driver::current_context>(cuda_like::not_initialized, &found);
    return reinterpret_cast<place>(found);
  }
  static void make_current(const calls& api, place where) {
    api.call<&driver::make_context_current>(context(where));
  }
  static void restore_current(const calls& api, place before) noexcept {
    api->make_context_current(context(before));
  }
  static int device_of_current(const calls& api) {
    int device = 0;
    api.call<&driver::device_of_current>(&device);
    return device;
  }
  // Kept for the process: a library that resets the device does so whoever retained it.
  static place primary(const calls& api, int device) {
    cuda_context found = nullptr;
    if (!api.call_unless<&driver::retain_primary_context>(cuda_like::invalid_device, &found,
                                                          device)) {
      cuda_like::refuse_device(title, device);
    }
    return reinterpret_cast<place>(found);
  }
  static place place_of_stream(const calls& api, stream on, int) {
    cuda_context found = nullptr;
    if (!api.call_unless<&driver::stream_context>(cuda_like::invalid_handle, on, &found)) {
      cuda_like::refuse_handle(title, "cuStreamGetCtx says CUDA_ERROR_INVALID_HANDLE (400).");
    }
    return reinterpret_cast<place>(found);
  }
  static std::uint64_t stream_id(const calls& api, stream on) {
    unsigned long long id = 0;
    if (api->stream_id != nullptr) api.call<&driver::stream_id>(on, &id);
    return id;
  }
  // Another number where the context at this address is another one; 0 for one that is destroyed.
  static std::uint64_t life(const calls& api, place where) {
    unsigned long long id = 0;
    if (api->context_id == nullptr) return 1;
    const int result = api->context_id(context(where), &id);
    if (result == cuda_like::invalid_context || result == cuda_like::context_is_destroyed) return 0;
    if (result != cuda_like::success) api.fail<&driver::context_id>(result);
    return id + 1;
  }

  static bool has_event_of_all(const calls& api) noexcept { return api->context_record != nullptr; }
  // False: a stream of the context is being captured.
  static bool record_all(const calls& api, place where, event into) {
    return api.call_unless<&driver::context_record>(cuda_like::capture_unsupported, context(where),
                                                    into);
  }

  static void add_dependencies(const calls& api, stream on, void** nodes, std::size_t count) {
    const void* const edges = nullptr;
    api.call<&driver::add_capture_dependencies>(on, nodes, edges, count, 0U);
  }

  struct description {
    int kind = ANYSTREAM_MEMORY_UNKNOWN;
    int device = 0;
  };

  // Of memory that it does not know the driver gives zeros.
  static description describe(const calls& api, const void* memory) {
    int attributes[] = {cuda_pointer_memory_type, cuda_pointer_is_managed,
                        cuda_pointer_device_ordinal};
    unsigned type = 0;
    unsigned managed = 0;
    int device = 0;
    void* into[] = {&type, &managed, &device};
    api.call<&driver::pointer_attributes>(3U, attributes, into, memory);
    if (type == 0) return {};
    if (managed != 0) return {ANYSTREAM_MEMORY_SHARED, device};
    return {type == cuda_memory_host ? ANYSTREAM_MEMORY_HOST : ANYSTREAM_MEMORY_DEVICE, device};
  }

  static void* allocate(const calls& api, DLDeviceType kind, std::size_t bytes) {
    void* memory = nullptr;
    if (kind == host_kind) {
      api.call<&driver::allocate_host>(&memory, bytes);
    } else {
      api.call<&driver::allocate_managed>(&memory, bytes, cuda_attach_global);
    }
    return memory;
  }
  static void copy(const calls& api, void* target, const void* source, std::size_t bytes,
                   stream on) {
    api.call<&driver::copy_async>(target, source, bytes, on);
  }
};

}  // namespace

backend& cuda_backend() {
  static auto* const only = new cuda_like_backend<cuda_traits>;
  return *only;
}

std::unique_ptr<backend> cuda_backend_on(const cuda_driver& driver) {
  return std::make_unique<cuda_like_backend<cuda_traits>>(driver);
}

}  // namespace anystream::core
