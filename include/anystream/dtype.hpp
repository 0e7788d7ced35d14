// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types: DLPack's (code, bits, lanes), their sizes and their names.
//
// Every combination has a name, also codes that nobody has assigned yet, and every name parses back
// to what it names, but for one of no bits or no lanes, which is no type. The names are those of
// NumPy and ml_dtypes where they have one.
#pragma once

#include <dlpack/dlpack.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <anystream/error.hpp>

namespace anystream {

// A code of DLDataTypeCode: its word, and the width that it always has.
struct dtype_info {
  std::string_view dlpack;  // dlpack.h's spelling
  std::string_view word;
  std::uint8_t code;
  std::uint8_t bits;  // 0: the width belongs to the name ("int8", "int16" …)
};

// Sorted by code; the code is the index.
inline constexpr dtype_info dtype_table[] = {
    {"kDLInt", "int", 0, 0},
    {"kDLUInt", "uint", 1, 0},
    {"kDLFloat", "float", 2, 0},
    {"kDLOpaqueHandle", "opaque", 3, 0},
    {"kDLBfloat", "bfloat", 4, 0},
    {"kDLComplex", "complex", 5, 0},  // the width counts both halves
    {"kDLBool", "bool", 6, 8},
    {"kDLFloat8_e3m4", "float8_e3m4", 7, 8},
    {"kDLFloat8_e4m3", "float8_e4m3", 8, 8},
    {"kDLFloat8_e4m3b11fnuz", "float8_e4m3b11fnuz", 9, 8},
    {"kDLFloat8_e4m3fn", "float8_e4m3fn", 10, 8},
    {"kDLFloat8_e4m3fnuz", "float8_e4m3fnuz", 11, 8},
    {"kDLFloat8_e5m2", "float8_e5m2", 12, 8},
    {"kDLFloat8_e5m2fnuz", "float8_e5m2fnuz", 13, 8},
    {"kDLFloat8_e8m0fnu", "float8_e8m0fnu", 14, 8},
    {"kDLFloat6_e2m3fn", "float6_e2m3fn", 15, 6},
    {"kDLFloat6_e3m2fn", "float6_e3m2fn", 16, 6},
    {"kDLFloat4_e2m1fn", "float4_e2m1fn", 17, 4},
    {"kDLBcomplex", "bcomplex", 18, 0},  // newer than dlpack.h 1.3: two bfloat
};

constexpr const dtype_info* find_dtype(std::uint8_t code) noexcept {
  return code < std::size(dtype_table) ? &dtype_table[code] : nullptr;
}

struct dtype {
  std::uint8_t code = kDLFloat;
  std::uint8_t bits = 32;  // of one lane
  std::uint16_t lanes = 1;

  constexpr dtype() = default;
  constexpr dtype(std::uint8_t type_code, std::uint8_t width, std::uint16_t count = 1) noexcept
      : code(type_code), bits(width), lanes(count) {}
  constexpr explicit dtype(const DLDataType& raw) noexcept
      : code(raw.code), bits(raw.bits), lanes(raw.lanes) {}

  // What to_string writes, and nothing else. Throws value_error, which shows the forms.
  static dtype parse(std::string_view name);

  constexpr DLDataType dlpack() const noexcept { return {code, bits, lanes}; }

  // Of one element, all lanes; a packed element need not fill whole bytes.
  constexpr std::int64_t element_bits() const noexcept { return std::int64_t{bits} * lanes; }
  // In bytes, rounded up.
  constexpr std::int64_t itemsize() const noexcept { return (element_bits() + 7) / 8; }

  constexpr bool operator==(const dtype&) const = default;
};

// "int8", "bfloat16", "complex64", "bool", "float8_e4m3fn"; with lanes "float32x4". A width that
// the code does not have by nature is written out ("bool_bits1"), a code without a row by its
// number ("code40_bits7").
inline std::string to_string(dtype type) {
  const dtype_info* row = find_dtype(type.code);
  std::string name = row != nullptr ? std::string(row->word) : "code" + std::to_string(type.code);
  if (row != nullptr && row->bits == 0) {
    name += std::to_string(type.bits);
  } else if (row == nullptr || row->bits != type.bits) {
    name += "_bits" + std::to_string(type.bits);
  }
  if (type.lanes != 1) name.append("x").append(std::to_string(type.lanes));
  return name;
}

namespace detail {

// Takes a decimal number off the front; none if there is no digit or it does not fit.
template <class Integer>
std::optional<Integer> take_number(std::string_view& text) noexcept {
  Integer value = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

inline bool take_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The longest word that begins the text: "float8_e4m3fnuz" also begins with "float8_e4m3".
inline const dtype_info* longest_word(std::string_view text) noexcept {
  const dtype_info* found = nullptr;
  for (const dtype_info& row : dtype_table) {
    const bool longer = found == nullptr || row.word.size() > found->word.size();
    if (longer && text.starts_with(row.word)) found = &row;
  }
  return found;
}

// The code and the width that it brings along: 0 if a number must follow.
inline std::optional<dtype> take_code(std::string_view& text) noexcept {
  if (const dtype_info* row = longest_word(text)) {
    text.remove_prefix(row->word.size());
    return dtype(row->code, row->bits);
  }
  if (!take_prefix(text, "code")) return std::nullopt;
  const auto code = take_number<std::uint8_t>(text);
  return code ? std::optional(dtype(*code, 0)) : std::nullopt;
}

inline std::optional<dtype> parse_dtype(std::string_view text) noexcept {
  std::optional<dtype> out = take_code(text);
  if (!out) return std::nullopt;
  const bool written = take_prefix(text, "_bits");
  if (written || out->bits == 0) {
    const auto bits = take_number<std::uint8_t>(text).value_or(0);
    if (bits == 0) return std::nullopt;
    out->bits = bits;
  }
  if (take_prefix(text, "x")) {
    const auto lanes = take_number<std::uint16_t>(text).value_or(0);
    if (lanes == 0) return std::nullopt;
    out->lanes = lanes;
  }
  return text.empty() ? out : std::nullopt;
}

}  // namespace detail

inline dtype dtype::parse(std::string_view name) {
  const std::optional<dtype> out = detail::parse_dtype(name);
  if (out && to_string(*out) == name) return *out;
  throw value_error(
      "a dtype is named like \"int8\", \"float32\", \"bfloat16\", \"complex64\", \"bool\", "
      "\"float8_e4m3fn\" or, with lanes, \"float32x4\"; got \"" +
      std::string(name) +
      "\".\n  Any DLPack type can be written by its numbers: \"code40_bits7x2\" is code 40, 7 "
      "bits, 2 lanes; bits are 1 to 255, lanes 1 to 65535.");
}

}  // namespace anystream
