// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// anystream.use_stream: the stream that a thread says it is using a device by.
#pragma once

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// The stream of the calling thread's innermost `with use_stream(s)` on the device, borrowed while
// that block lasts; null where there is none. Touches nothing of Python: with the GIL or without.
anystream_stream* used_stream(DLDevice device) noexcept;

void register_use_stream(nanobind::module_& m);

}  // namespace anystream::python
