// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a `stream` argument comes to on a device.
#pragma once

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

#include "stream_source.hpp"

namespace anystream::python {

// Resolves a `stream` argument against the rules of a device. platform "" is the built-in one.
// where names the parameter, for messages. False with the Python error set; an error that a foreign
// object raised while it was asked is left as it is. On success out.stream is the caller's.
[[nodiscard]] bool resolve(DLDevice device, const char* platform, PyObject* stream,
                           const char* where, anystream_resolution& out) noexcept;

// As resolve, of an argument that has been read; throws.
anystream_resolution resolve_source(DLDevice device, const char* platform, stream_source source,
                                    const char* where);

}  // namespace anystream::python
