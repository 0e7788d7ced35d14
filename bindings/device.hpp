// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices and data types at the border to Python: tables, names, listings, and arguments.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// A device as a user names it. platform "" is the built-in one of the device type.
struct place {
  DLDevice device;
  std::string platform;
};

// A device argument: "cuda:0", an anystream.Device (anything with type, id and platform), or a pair
// (type, id) as __dlpack_device__ returns it. Throws TypeError or ValueError.
place to_place(nanobind::handle device);

// "cuda:0"; "device_type_77:0" for a number that the table does not have.
std::string device_text(DLDevice device);

void register_devices(nanobind::module_& m);

}  // namespace anystream::python
