// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a `stream` argument means on a device.
#pragma once

#include "stream.hpp"

namespace anystream::core {

struct resolution {
  std::int32_t form;  // ANYSTREAM_FORM_…
  stream_ref stream;
};

// Throws type_error for a thing that is no stream there, value_error for a wrong value of a right
// thing, exchange_error for a stream that no order can be had with, driver_unavailable where a
// handle must be copied and its driver is not there. The owner is let go unless the handle needs
// it.
resolution resolve_argument(DLDevice device, std::string_view platform_name,
                            const anystream_argument& argument, owner keep);

}  // namespace anystream::core
