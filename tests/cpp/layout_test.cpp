// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes and strides: counts, row-major strides, the bytes that elements lie in, and overflow.
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <anystream/layout.hpp>

#include "check.hpp"

namespace {

using anystream::byte_span;
using anystream::dtype;
using anystream::exchange_error;
using numbers = std::vector<std::int64_t>;

constexpr dtype f32(kDLFloat, 32);
constexpr dtype f4(kDLFloat4_e2m1fn, 4);
constexpr dtype f6(kDLFloat6_e2m3fn, 6);
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

numbers row_major(const numbers& shape) {
  numbers strides(shape.size());
  anystream::row_major_strides(shape, strides);
  return strides;
}

void counts() {
  CHECK_EQUAL(anystream::element_count({}), 1);
  CHECK_EQUAL(anystream::element_count(numbers{2, 3}), 6);
  CHECK_EQUAL(anystream::element_count(numbers{0, largest, largest}), 0);
  CHECK_EQUAL(anystream::element_count(numbers{largest, largest, 0}), 0);
  CHECK_EQUAL(anystream::element_count(numbers{largest, 1}), largest);
  CHECK_THROWS(exchange_error, anystream::element_count(numbers{largest, 2}));
}

void row_major_strides_have_no_gaps() {
  CHECK(row_major({}).empty());
  CHECK((row_major({2, 3, 4}) == numbers{12, 4, 1}));
  CHECK((row_major({2, 1, 4}) == numbers{4, 4, 1}));
  CHECK((row_major({0, 3}) == numbers{1, 1}));
  CHECK((row_major({largest, largest, 0}) == numbers{1, 1, 1}));
  CHECK(row_major(numbers(64, 1)) == numbers(64, 1));
}

void axes_of_one_and_empty_arrays_have_free_strides() {
  CHECK(anystream::is_row_major({}, {}));
  CHECK(anystream::is_row_major(numbers{2, 3}, numbers{3, 1}));
  CHECK(!anystream::is_row_major(numbers{2, 3}, numbers{1, 2}));
  CHECK(!anystream::is_row_major(numbers{2, 3}, numbers{4, 1}));
  CHECK(!anystream::is_row_major(numbers{3}, numbers{-1}));
  CHECK(!anystream::is_row_major(numbers{3}, numbers{0}));
  CHECK(anystream::is_row_major(numbers{1, 3}, numbers{largest, 1}));
  CHECK(anystream::is_row_major(numbers{2, 1}, numbers{1, -7}));
  CHECK(anystream::is_row_major(numbers{0, 3}, numbers{-5, largest}));
}

void spans_cover_the_elements() {
  CHECK((anystream::span_of({}, {}, f32) == byte_span{0, 4}));
  CHECK((anystream::span_of(numbers{2, 3}, numbers{3, 1}, f32) == byte_span{0, 24}));
  CHECK((anystream::span_of(numbers{3}, numbers{-1}, f32) == byte_span{-8, 4}));
  CHECK((anystream::span_of(numbers{2, 3}, numbers{-3, 1}, f32) == byte_span{-12, 12}));
  CHECK((anystream::span_of(numbers{5}, numbers{0}, f32) == byte_span{0, 4}));
  CHECK((anystream::span_of(numbers{2, 2}, numbers{10, 2}, f32) == byte_span{0, 52}));
  CHECK((anystream::span_of(numbers{1, 2}, numbers{largest, 1}, f32) == byte_span{0, 8}));
  CHECK((anystream::span_of(numbers{0, 2}, numbers{largest, smallest}, f32) == byte_span{}));
}

void packed_elements_fill_bytes_together() {
  CHECK((anystream::span_of(numbers{3}, numbers{1}, f4) == byte_span{0, 2}));
  CHECK((anystream::span_of(numbers{3}, numbers{-1}, f4) == byte_span{-1, 1}));
  CHECK((anystream::span_of(numbers{4}, numbers{-1}, f4) == byte_span{-2, 1}));
  CHECK((anystream::span_of(numbers{4}, numbers{1}, f6) == byte_span{0, 3}));
  CHECK((anystream::span_of(numbers{4}, numbers{1}, f6, anystream::flag_subbyte_padded) ==
         byte_span{0, 4}));
  CHECK_EQUAL(anystream::packed_bytes(3, f4), 2);
  CHECK_EQUAL(anystream::packed_bytes(3, f4, anystream::flag_subbyte_padded), 3);
  CHECK_EQUAL(anystream::packed_bytes(5, f6), 4);
  CHECK_EQUAL(anystream::packed_bytes(0, f6), 0);
  CHECK_EQUAL(anystream::packed_bytes(3, {kDLFloat4_e2m1fn, 4, 2}), 3);
}

void what_does_not_fit_is_refused() {
  const auto span = [](const numbers& shape, const numbers& strides) {
    return anystream::span_of(shape, strides, f32);
  };
  CHECK_THROWS(exchange_error, span({2}, {largest}));
  CHECK_THROWS(exchange_error, span({2}, {smallest}));
  CHECK_THROWS(exchange_error, span({3}, {largest / 2 + 1}));
  CHECK_THROWS(exchange_error, span({largest}, {1}));
  CHECK_THROWS(exchange_error, span({largest, 2, largest}, {largest, 1, 1}));
  CHECK(span({largest, 2, 0}, {largest, 1, 1}) == byte_span{});
  CHECK((anystream::span_of(numbers{2}, numbers{-largest}, {kDLInt, 1}) ==
         byte_span{-largest / 8 - 1, 1}));
  CHECK_THROWS(exchange_error, span({2, 2}, {largest / 63, largest / 63}));
  CHECK_THROWS(exchange_error, span({2, 2}, {largest / 20, -(largest / 20)}));
  CHECK(span({2, 2}, {largest / 64, largest / 64}).size() > largest / 9);
  CHECK_THROWS(exchange_error, anystream::packed_bytes(largest / 32 + 1, f32));
  CHECK_MESSAGE(exchange_error,
                "the span in memory of an array must fit 63 bits; it does not.\n  Its shape or "
                "strides are wrong, or were read from memory that is not a DLTensor.",
                span({2}, {smallest}));
}

void shapes_are_written_like_tuples() {
  CHECK_EQUAL(anystream::to_string(anystream::extents{}), "()");
  CHECK_EQUAL(anystream::to_string(numbers{4}), "(4,)");
  CHECK_EQUAL(anystream::to_string(numbers{2, -3}), "(2, -3)");
}

}  // namespace

int main() {
  counts();
  row_major_strides_have_no_gaps();
  axes_of_one_and_empty_arrays_have_free_strides();
  spans_cover_the_elements();
  packed_elements_fill_bytes_together();
  what_does_not_fit_is_refused();
  shapes_are_written_like_tuples();
  return check::result();
}
