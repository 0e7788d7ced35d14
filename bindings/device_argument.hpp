// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices as users name them.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// platform "" is the built-in one of the device type.
struct place {
  DLDevice device;
  std::string platform;
};

// A device argument: "cuda:0", an anystream.Device (anything with type, id and platform), or a pair
// (type, id) as __dlpack_device__ returns it. where names the parameter: "Stream(device=…)". Throws
// TypeError or ValueError.
place to_place(nanobind::handle device, const char* where);

// A str that is to name a device or a data type, for the core to read. Names are short: what is
// longer is cut, and then names nothing, so that a message can repeat it.
std::string name_of(nanobind::handle text);

}  // namespace anystream::python
