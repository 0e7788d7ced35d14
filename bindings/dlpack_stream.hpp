// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// __dlpack_stream__(): an object that says itself which stream it is, so that no library need know
// its class. The method is a proposal (docs/proposal.md).
#pragma once

#include <nanobind/nanobind.h>

#include "stream.hpp"
#include "stream_source.hpp"

namespace anystream::python {

inline constexpr const char* dlpack_stream_method = "__dlpack_stream__";

// Calls the method, and reads (device_type, device_id, capsule) into `out`; false where the object
// has none. TypeError or ValueError for another answer; what the method raises is left as it is.
bool read_dlpack_stream(nanobind::handle object, stream_source& out);

// The stream that such an object named, on the device that it told; its form is FOREIGN where that
// device type has no platform.
anystream_resolution resolve_told(const stream_source& source, const char* where);

// The attribute of a Stream: the bound method, where it is resolved and its platform has capsules.
PyObject* get_dlpack_stream(PyObject* self, void*);
nanobind::tuple dlpack_stream_of(const py_stream& self);

}  // namespace anystream::python
