// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of OpenCL's devices, which has none, and DLPack asks for one.
//
// A device gets the next number when it is first met, and keeps it as long as the process: on a
// queue, or when the devices are listed. It is met with all others of its platform, in the order in
// which the platform lists them. So with one platform the numbers are the platform's order. With
// several, they go by who came first: list the devices first, and it is the loader's order. A
// sub-device has its root device's number.
#pragma once

#include <mutex>
#include <vector>

#include <anystream/c_api.h>

#include "driver/opencl.hpp"

namespace anystream::core {

class opencl_devices {
 public:
  // Throws driver_error where the driver does not tell.
  int number_of(opencl_device device);
  void add(opencl_platform platform);
  std::vector<opencl_device> all();

 private:
  int find(opencl_device device);
  void add(const std::vector<opencl_device>& listed);

  std::mutex mutex_;  // guards the list; no driver is called under it
  std::vector<opencl_device> known_;
};

anystream_device_info describe_opencl_device(opencl_device device, int number);

std::vector<opencl_device> devices_in(opencl_context context);

// By the system's loader; throws driver_unavailable where there is none.
std::vector<opencl_platform> opencl_platforms();

}  // namespace anystream::core
