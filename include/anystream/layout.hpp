// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How the elements of an array lie in memory: shape and strides, counted in elements.
//
// Strides may be zero (elements repeat) or negative. The stride of an axis of extent 0 or 1 has no
// meaning and is never looked at. Element (0, …, 0) is at data + byte_offset, so elements may lie
// below it. DLPack wrote NULL strides for row-major arrays before 1.2; `row_major_strides` makes
// them. All arithmetic is checked: what does not fit 64 bits is an exchange_error.
#pragma once

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <anystream/dtype.hpp>
#include <anystream/error.hpp>

namespace anystream {

inline constexpr std::int32_t max_ndim = 64;

// Flags of an array; DLPack's own bits, spelled here because dlpack.h's macros are `unsigned long`.
inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;
inline constexpr std::uint64_t flag_subbyte_padded = 4;  // one element a byte, not packed

using extents = std::span<const std::int64_t>;

namespace detail {

[[noreturn]] inline void throw_too_large(std::string_view what) {
  throw exchange_error("the " + std::string(what) +
                       " of an array must fit 63 bits; it does not.\n  Its shape or strides are "
                       "wrong, or were read from memory that is not a DLTensor.");
}

// By the compiler's built-in where it has one: a division for each axis would cost more than the
// rest of an import.
constexpr bool multiply_fits(std::int64_t a, std::int64_t b, std::int64_t& out) noexcept {
#if defined(__GNUC__)
  return !__builtin_mul_overflow(a, b, &out) && out != std::numeric_limits<std::int64_t>::min();
#else
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const bool fits = a == 0 || b == 0 ||
                    (a > 0 ? (b > 0 ? a <= largest / b : b >= -largest / a)
                           : (b > 0 ? a >= -largest / b : (a >= -largest && b >= largest / a)));
  out = fits ? a * b : 0;
  return fits;
#endif
}

constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b, std::string_view what) {
  std::int64_t out = 0;
  if (!multiply_fits(a, b, out)) throw_too_large(what);
  return out;
}

constexpr bool add_fits(std::int64_t a, std::int64_t b, std::int64_t& out) noexcept {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (b >= 0 ? a > largest - b : a < -largest - b) return false;
  out = a + b;
  return true;
}

// Rounds towards minus infinity, as the lowest byte of a packed element needs it.
constexpr std::int64_t floor_bytes(std::int64_t bits) noexcept {
  return bits / 8 - (bits % 8 < 0 ? 1 : 0);
}

}  // namespace detail

// Elements of the array: 1 for ndim 0, 0 if an extent is 0. A zero counts before an overflow.
constexpr std::int64_t element_count(extents shape) {
  std::int64_t count = 1;
  bool fits = true;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
    fits = fits && detail::multiply_fits(count, extent, count);
  }
  if (!fits) detail::throw_too_large("number of elements");
  return count;
}

constexpr bool is_empty(extents shape) noexcept {
  return std::ranges::find(shape, std::int64_t{0}) != shape.end();
}

// Writes the strides of a row-major array without gaps; `out` has the length of `shape`.
constexpr void row_major_strides(extents shape, std::span<std::int64_t> out) noexcept {
  std::int64_t stride = 1;
  const bool empty = is_empty(shape);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    out[axis] = stride;
    if (!empty) stride *= shape[axis];
  }
}

// Whether the elements follow each other in row-major order without gaps. An empty array's do.
constexpr bool is_row_major(extents shape, extents strides) noexcept {
  if (is_empty(shape)) return true;
  std::int64_t expected = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    if (!detail::multiply_fits(expected, shape[axis], expected)) return false;
  }
  return true;
}

// Bits from one element to the next at stride 1.
constexpr std::int64_t element_step_bits(dtype type, std::uint64_t flags) noexcept {
  return (flags & flag_subbyte_padded) != 0 ? type.itemsize() * 8 : type.element_bits();
}

// Bytes of `count` packed elements, rounded up.
constexpr std::int64_t packed_bytes(std::int64_t count, dtype type, std::uint64_t flags = 0) {
  const std::int64_t bits =
      detail::checked_multiply(count, element_step_bits(type, flags), "size in bits");
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

// The bytes that an array's elements lie in, counted from element (0, …, 0): [lowest, end).
struct byte_span {
  std::int64_t lowest = 0;  // <= 0; below zero where a stride is negative
  std::int64_t end = 0;     // one past the last byte
  constexpr std::int64_t size() const noexcept { return end - lowest; }
  constexpr bool operator==(const byte_span&) const = default;
};

// The empty span for an array without elements.
constexpr byte_span span_of(extents shape, extents strides, dtype type, std::uint64_t flags = 0) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool fits = true;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return {};
    if (shape[axis] == 1) continue;
    std::int64_t reach = 0;
    fits = fits && detail::multiply_fits(shape[axis] - 1, strides[axis], reach);
    std::int64_t& side = reach < 0 ? low : high;
    fits = fits && detail::add_fits(side, reach, side);
  }
  const std::int64_t step = element_step_bits(type, flags);
  fits = fits && detail::multiply_fits(low, step, low) && detail::multiply_fits(high, step, high) &&
         detail::add_fits(high, step + 7, high);
  if (!fits) detail::throw_too_large("span in memory");
  return {detail::floor_bytes(low), high / 8};
}

// "(2, 3)", "(4,)", "()": as Python writes a tuple.
inline std::string to_string(extents shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace anystream
