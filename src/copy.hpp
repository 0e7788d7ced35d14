// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of whole arrays, when one is asked for.
#pragma once

#include "array.hpp"

namespace anystream::core {

// The bytes from the lowest to the highest element, so that strides are kept, in new memory on
// `target`. Runs on `on`, else on the array's own stream, after what is pending on that. Between
// the host and a device it is complete on return; on a device it is queued, and the source lives as
// long as the copy. Throws exchange_error where there is no stream to run on, or no way there.
array_ref copy_array(array& source, DLDevice target, const stream* on);

}  // namespace anystream::core
