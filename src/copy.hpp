// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of whole arrays, when one is asked for.
#pragma once

#include "array.hpp"

namespace anystream::core {

// New memory on `target`. It runs on `on`, else on the array's own stream, after what is pending
// on that. Within the host, and between the host and a device: in row-major order without gaps,
// complete on return. Within a device: the bytes from the lowest to the highest element, so that
// strides are kept; queued, and the source lives as long as the copy. Throws exchange_error where
// there is no stream to run on, or no way there, and for packed elements out of order.
array_ref copy_array(array& source, DLDevice target, const stream* on);

}  // namespace anystream::core
