// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Platforms whose callbacks are Python functions.
//
// Each is called with the GIL, which is taken for it on whatever thread the core is, and not at all
// once the interpreter is going away. What one raises becomes a DriverError that names the platform
// and has it as its cause; what cannot be raised, because something is being given back, is told as
// Python tells of what nobody can catch.
#pragma once

#include <nanobind/nanobind.h>

#include <anystream/device.hpp>

namespace anystream::python {

// Whether the platform's handles are Python objects, so that no number can stand for one.
bool has_object_handles(device_type type, const char* platform) noexcept;

void register_python_platforms(nanobind::module_& m);

}  // namespace anystream::python
