// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the SYCL backend share: owning SYCL objects, and telling what failed.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <anystream/error.hpp>

#include "driver/sycl.hpp"

namespace anystream::core {

template <class Object>
using owned = std::unique_ptr<Object, void (*)(Object*)>;

[[noreturn]] inline void fail_in_sycl(const char* function, const std::string& what) {
  throw driver_error(function, 0, "NULL",
                     std::string(function) + " failed: " + what +
                         ".\n  dpctl's library keeps the reason to itself; with "
                         "DPCTL_VERBOSITY=error in the environment it prints it to stderr.");
}

// What a function gave, if it gave something.
template <class Object>
Object* given(Object* object, const char* function, const char* what) {
  if (!object) fail_in_sycl(function, what);
  return object;
}

// A device that is no part of another, with what is made for it on first need.
struct sycl_root_device {
  sycl_device device = nullptr;
  anystream_device_info info{};
  mutable std::atomic<sycl_context> context{nullptr};
  mutable std::atomic<sycl_queue> queue{nullptr};
};

// In the order of SYCL's enumeration, which is that of the numbers.
struct sycl_device_list {
  sycl_device_list(const sycl_driver& sycl, std::size_t count)
      : driver(sycl), size(count), devices(new sycl_root_device[count]) {}
  sycl_device_list(const sycl_device_list&) = delete;
  sycl_device_list& operator=(const sycl_device_list&) = delete;
  ~sycl_device_list() {
    for (const auto& [device, info, context, queue] : all()) {
      if (queue) driver.DPCTLQueue_Delete(queue);
      if (context) driver.DPCTLContext_Delete(context);
      if (device) driver.DPCTLDevice_Delete(device);
    }
  }

  std::span<sycl_root_device> all() const { return {devices.get(), size}; }

  const sycl_driver& driver;
  std::size_t size;
  std::unique_ptr<sycl_root_device[]> devices;
};

}  // namespace anystream::core
