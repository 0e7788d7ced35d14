// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Layouts as Python's buffers and NumPy have them, with strides in bytes, as DLPack has them.
#pragma once

#include <Python.h>

#include <bit>
#include <cstdint>

namespace anystream::python {

// Copies ndim extents to `numbers` and as many strides behind them, of elements of 2^n bytes. False
// where the strides are no whole number of elements (a field of a record): DLPack cannot say them.
//
// By shifts: a division for each axis would cost more than the rest of an import.
inline bool copy_byte_layout(std::int64_t* numbers, std::int32_t ndim, const Py_ssize_t* shape,
                             const Py_ssize_t* strides, std::uint64_t itemsize) noexcept {
  const int shift = std::countr_zero(itemsize);
  std::uint64_t all = 0;
  for (std::int32_t axis = 0; axis < ndim; ++axis) {
    numbers[axis] = shape[axis];
    numbers[ndim + axis] = strides[axis] >> shift;
    all |= static_cast<std::uint64_t>(strides[axis]);
  }
  return (all & (itemsize - 1)) == 0;
}

}  // namespace anystream::python
