// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies within the host's memory: from any strides to row-major order.
#pragma once

#include <cstddef>

#include <anystream/layout.hpp>

namespace anystream::core {

// Elements of `size` whole bytes each. `first` is element (0, …, 0); no alignment is needed.
struct host_elements {
  const std::byte* first;
  extents shape;
  extents strides;  // in elements; any, as long as the span of the elements fits
  std::size_t size;
};

// Writes them to `target` in row-major order without gaps. Both may be read and written by the
// host, and do not overlap. A large copy is shared with threads of its own, which have ended when
// it returns; where none can be started it is made without.
void copy_row_major(std::byte* target, const host_elements& source);

}  // namespace anystream::core
