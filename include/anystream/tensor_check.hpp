// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a DLTensor from elsewhere must hold before it is touched: inline, so that whoever imports
// one checks it where it is. The right values are dlpack.h's; a producer may hand out anything.
#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <anystream/dtype.hpp>
#include <anystream/error.hpp>
#include <anystream/layout.hpp>

namespace anystream {

namespace detail {

[[noreturn]] inline void throw_bad_ndim(std::int32_t ndim) {
  throw exchange_error("an array has 0 to " + std::to_string(max_ndim) + " dimensions; got ndim " +
                       std::to_string(ndim) + ".");
}

[[noreturn]] inline void throw_no_shape(std::int32_t ndim) {
  throw exchange_error("an array with ndim " + std::to_string(ndim) + " needs a shape; got NULL.");
}

[[noreturn]] inline void throw_bad_extent(extents shape) {
  throw exchange_error("an extent is 0 or more; got the shape " + to_string(shape) + ".");
}

[[noreturn]] inline void throw_bad_dtype(dtype type) {
  throw exchange_error(
      "an element has at least one bit and one lane, and the width of its type; got " +
      to_string(type) + " (code " + std::to_string(type.code) + ", bits " +
      std::to_string(type.bits) + ", lanes " + std::to_string(type.lanes) + ").");
}

[[noreturn]] inline void throw_bad_offset(std::uint64_t byte_offset) {
  throw exchange_error("a byte_offset is counted upwards from data; got " +
                       std::to_string(byte_offset) + ", which does not fit 63 bits.");
}

[[noreturn]] inline void throw_no_addresses(std::uint64_t byte_offset, byte_span span) {
  throw exchange_error(
      "the elements of an array on the host lie at addresses that there are; got "
      "bytes " +
      std::to_string(span.lowest) + " to " + std::to_string(span.end) +
      " around data, with byte_offset " + std::to_string(byte_offset) +
      ".\n  Its strides or its byte_offset are wrong.");
}

[[noreturn]] inline void throw_no_data(extents shape) {
  throw exchange_error("an array with elements needs data; got NULL for the shape " +
                       to_string(shape) +
                       ".\n  Its library has not allocated it, or it stands for another array.");
}

inline void check_extents(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > max_ndim) throw_bad_ndim(tensor.ndim);
  if (tensor.ndim > 0 && tensor.shape == nullptr) throw_no_shape(tensor.ndim);
  const extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw_bad_extent(shape);
  }
}

// The width that dlpack.h gives a type by its code alone, bool's byte included; 0 where the width
// is part of the name. What it leaves undefined, a consumer must stop at.
constexpr std::uint8_t width_by_nature(std::uint8_t code) noexcept {
  if (code == kDLBfloat) return 16;
  const dtype_info* row = find_dtype(code);
  return row != nullptr ? row->bits : 0;
}

inline void check_dtype(DLDataType raw) {
  const dtype type(raw);
  const std::uint8_t width = width_by_nature(type.code);
  const bool halves = type.code != kDLComplex || type.bits % 2 == 0;
  if (type.bits != 0 && type.lanes != 0 && halves && (width == 0 || width == type.bits)) return;
  throw_bad_dtype(type);
}

// The elements' bytes lie where the host has addresses: elsewhere `data` may be a handle.
inline void check_addresses(const DLTensor& tensor, byte_span span) {
  if (tensor.device.device_type != kDLCPU) return;
  const auto data = reinterpret_cast<std::uintptr_t>(tensor.data);
  const std::uint64_t first = data + tensor.byte_offset;
  if (first < data || std::cmp_greater(-span.lowest, first) ||
      first + static_cast<std::uint64_t>(span.end) < first) {
    throw_no_addresses(tensor.byte_offset, span);
  }
}

inline std::int64_t check_span(const DLTensor& tensor, std::uint64_t flags) {
  const extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  const dtype type(tensor.dtype);
  const std::int64_t count = element_count(shape);
  byte_span span;
  if (tensor.strides == nullptr) {
    span.end = packed_bytes(count, type, flags);
  } else {
    span = span_of(shape, {tensor.strides, shape.size()}, type, flags);
  }
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (tensor.byte_offset > largest) throw_bad_offset(tensor.byte_offset);
  if (tensor.byte_offset > largest - static_cast<std::uint64_t>(span.end)) {
    throw_too_large("distance from data to the end");
  }
  if (tensor.data != nullptr) check_addresses(tensor, span);
  return count;
}

// Whether nothing about it can overflow: at most four axes of at most 2^15 elements with strides
// from 0 to 2^30, far from the end of all addresses, as most arrays are. Says nothing of others.
inline bool is_surely_small(const DLTensor& tensor) noexcept {
  constexpr std::uint64_t extent_limit = std::uint64_t{1} << 15;
  constexpr std::uint64_t stride_limit = std::uint64_t{1} << 30;
  constexpr std::uint64_t address_limit = std::uint64_t{1} << 61;
  if (tensor.ndim < 0 || tensor.ndim > 4 || tensor.strides == nullptr) return false;
  std::uint64_t extents_together = 0;  // a negative one is a large number, as of the strides
  std::uint64_t strides_together = 0;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    extents_together |= static_cast<std::uint64_t>(tensor.shape[axis]);
    strides_together |= static_cast<std::uint64_t>(tensor.strides[axis]);
  }
  const auto data = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(tensor.data));
  return extents_together < extent_limit && strides_together < stride_limit &&
         tensor.byte_offset < address_limit && data < address_limit;
}

// One lane of a type whose width is part of its name: what needs no look at the table of types.
inline bool is_usual(DLDataType type) noexcept {
  const bool named_by_width =
      type.code < kDLOpaqueHandle || (type.code == kDLComplex && type.bits % 2 == 0);
  return named_by_width && type.bits >= 8 && type.bits <= 128 && type.lanes == 1;
}

}  // namespace detail

// Shape, strides, type and offset; the number of elements. Throws exchange_error.
inline std::int64_t check_layout(const DLTensor& tensor, std::uint64_t flags) {
  detail::check_extents(tensor);
  detail::check_dtype(tensor.dtype);
  return detail::check_span(tensor, flags);
}

// The same, and that there is memory for the elements. Throws exchange_error.
inline void check_tensor(const DLTensor& tensor, std::uint64_t flags) {
  const bool plain = tensor.data != nullptr && (tensor.ndim == 0 || tensor.shape != nullptr) &&
                     detail::is_usual(tensor.dtype) && detail::is_surely_small(tensor);
  if (plain) return;
  const std::int64_t count = check_layout(tensor, flags);
  if (tensor.data != nullptr || count == 0) return;
  detail::throw_no_data({tensor.shape, static_cast<std::size_t>(tensor.ndim)});
}

}  // namespace anystream
