// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices and data types at the border to Python: tables, names and listings.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// "cuda:0"; "device_type_77:0" for a number that the table does not have.
std::string device_text(DLDevice device);

void register_devices(nanobind::module_& m);

}  // namespace anystream::python
