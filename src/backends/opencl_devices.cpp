// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenCL's devices: numbering them, and listing them.
#include "backends/opencl_devices.hpp"

#include <algorithm>
#include <cstdio>

#include "backends/opencl.hpp"
#include "backends/opencl_calls.hpp"
#include "driver/driver.hpp"
#include "driver/library.hpp"

namespace anystream::core {
namespace {

std::vector<opencl_device> devices_of(opencl_platform platform) {
  const auto functions = functions_of(platform);
  std::uint32_t count = 0;
  const int code = functions.clGetDeviceIDs(platform, opencl_every_device, 0U, nullptr, &count);
  if (code == opencl_device_not_found) return {};
  check_opencl(code, "clGetDeviceIDs", "the devices of a platform could not be counted");
  std::vector<opencl_device> listed(count);
  check_opencl(
      functions.clGetDeviceIDs(platform, opencl_every_device, count, listed.data(), nullptr),
      "clGetDeviceIDs", "the devices of a platform could not be listed");
  return listed;
}

opencl_device root_of(opencl_device device) {
  while (const auto parent = of_device<opencl_device>(device, opencl_device_parent)) {
    device = parent;
  }
  return device;
}

const char* kind_of(opencl_flags type) {
  if ((type & opencl_gpu) != 0) return "gpu";
  if ((type & opencl_cpu) != 0) return "cpu";
  return (type & opencl_accelerator) != 0 ? "accelerator" : "other";
}

}  // namespace

int opencl_devices::find(opencl_device device) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(known_, device);
  return found == known_.end() ? -1 : static_cast<int>(found - known_.begin());
}

void opencl_devices::add(const std::vector<opencl_device>& listed) {
  const std::scoped_lock lock(mutex_);
  for (opencl_device device : listed) {
    if (std::ranges::find(known_, device) == known_.end()) known_.push_back(device);
  }
}

void opencl_devices::add(opencl_platform platform) { add(devices_of(platform)); }

// Sub-devices are asked for their root each time: they come and go, and an address of one may be
// another's later. Root devices stay as long as the process.
int opencl_devices::number_of(opencl_device device) {
  if (const int known = find(device); known >= 0) return known;
  const opencl_device root = root_of(device);
  if (const int known = find(root); known >= 0) return known;
  add(of_device<opencl_platform>(root, opencl_device_platform));
  add(std::vector{root});  // a driver may have devices that it does not list
  return find(root);
}

std::vector<opencl_device> opencl_devices::all() {
  const std::scoped_lock lock(mutex_);
  return known_;
}

anystream_device_info describe_opencl_device(opencl_device device, int number) {
  anystream_device_info info{};
  info.device = {kDLOpenCL, number};
  std::snprintf(info.platform, sizeof info.platform, "opencl");
  std::snprintf(info.kind, sizeof info.kind, "%s",
                kind_of(of_device<opencl_flags>(device, opencl_device_type)));
  const auto functions = functions_of(device);
  std::size_t size = 0;
  check_opencl(functions.clGetDeviceInfo(device, opencl_device_name, 0U, nullptr, &size),
               "clGetDeviceInfo", "a device could not be asked for its name");
  std::string name(size, '\0');
  check_opencl(functions.clGetDeviceInfo(device, opencl_device_name, size, name.data(), nullptr),
               "clGetDeviceInfo", "a device could not be asked for its name");
  std::snprintf(info.name, sizeof info.name, "%s", name.c_str());
  return info;
}

std::vector<opencl_device> devices_in(opencl_context context) {
  const auto functions = functions_of(context);
  std::uint32_t count = 0;
  check_opencl(functions.clGetContextInfo(context, opencl_context_device_count, sizeof count,
                                          &count, nullptr),
               "clGetContextInfo", "the devices of a context could not be counted");
  std::vector<opencl_device> found(count);
  check_opencl(functions.clGetContextInfo(context, opencl_context_devices,
                                          count * sizeof(opencl_device), found.data(), nullptr),
               "clGetContextInfo", "the devices of a context could not be listed");
  return found;
}

std::vector<opencl_platform> opencl_platforms() {
  const driver_state& state = require_driver(driver_id::opencl);
  opencl_driver loader;
  bind_symbols(state.handle, opencl_driver_symbols, &loader);
  std::uint32_t count = 0;
  const int code = loader.clGetPlatformIDs(0, nullptr, &count);
  if (code == opencl_no_platforms) return {};
  check_opencl(code, "clGetPlatformIDs", "the platforms could not be counted");
  std::vector<opencl_platform> found(count);
  check_opencl(loader.clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs",
               "the platforms could not be listed");
  return found;
}

std::vector<anystream_device_info> opencl_runtime::devices() const {
  require();
  try {
    for (const opencl_platform platform : opencl_platforms()) devices_.add(platform);
  } catch (const driver_unavailable&) {
    if (devices_.all().empty()) throw;  // what was met on queues is there without a loader
  }
  std::vector<anystream_device_info> out;
  for (const opencl_device device : devices_.all()) {
    out.push_back(describe_opencl_device(device, static_cast<int>(out.size())));
  }
  return out;
}

}  // namespace anystream::core
