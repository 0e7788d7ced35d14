// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of element types: every code, width and count of lanes has one, and it parses back.
#include <string>

#include <anystream/dtype.hpp>

#include "check.hpp"

namespace {

using anystream::dtype;

static_assert(dtype(kDLFloat4_e2m1fn, 4).itemsize() == 1);
static_assert(dtype(kDLFloat4_e2m1fn, 4, 2).element_bits() == 8);
static_assert(dtype(kDLComplex, 128).itemsize() == 16);
static_assert(dtype(kDLInt, 24, 3).itemsize() == 9);

// dlpack.h's enumerators, against the row of that number.
void codes_are_the_headers() {
  for (const auto& row : anystream::dtype_table) CHECK(anystream::find_dtype(row.code) == &row);
#define CHECK_CODE(name) CHECK_EQUAL(anystream::find_dtype(name)->dlpack, #name)
  CHECK_CODE(kDLInt);
  CHECK_CODE(kDLUInt);
  CHECK_CODE(kDLFloat);
  CHECK_CODE(kDLOpaqueHandle);
  CHECK_CODE(kDLBfloat);
  CHECK_CODE(kDLComplex);
  CHECK_CODE(kDLBool);
  CHECK_CODE(kDLFloat8_e3m4);
  CHECK_CODE(kDLFloat8_e4m3);
  CHECK_CODE(kDLFloat8_e4m3b11fnuz);
  CHECK_CODE(kDLFloat8_e4m3fn);
  CHECK_CODE(kDLFloat8_e4m3fnuz);
  CHECK_CODE(kDLFloat8_e5m2);
  CHECK_CODE(kDLFloat8_e5m2fnuz);
  CHECK_CODE(kDLFloat8_e8m0fnu);
  CHECK_CODE(kDLFloat6_e2m3fn);
  CHECK_CODE(kDLFloat6_e3m2fn);
  CHECK_CODE(kDLFloat4_e2m1fn);
#undef CHECK_CODE
  CHECK_EQUAL(anystream::find_dtype(18)->dlpack, "kDLBcomplex");
  CHECK(anystream::find_dtype(19) == nullptr);
}

void names_are_those_in_use() {
  const struct {
    dtype type;
    const char* name;
  } rows[] = {
      {{kDLInt, 8}, "int8"},
      {{kDLInt, 4}, "int4"},
      {{kDLInt, 64}, "int64"},
      {{kDLUInt, 16}, "uint16"},
      {{kDLFloat, 16}, "float16"},
      {{kDLFloat, 64}, "float64"},
      {{kDLFloat, 128}, "float128"},
      {{kDLOpaqueHandle, 64}, "opaque64"},
      {{kDLBfloat, 16}, "bfloat16"},
      {{kDLComplex, 64}, "complex64"},
      {{kDLBool, 8}, "bool"},
      {{kDLBool, 1}, "bool_bits1"},
      {{kDLFloat8_e4m3fn, 8}, "float8_e4m3fn"},
      {{kDLFloat8_e8m0fnu, 8}, "float8_e8m0fnu"},
      {{kDLFloat6_e2m3fn, 6}, "float6_e2m3fn"},
      {{kDLFloat6_e3m2fn, 6}, "float6_e3m2fn"},
      {{kDLFloat4_e2m1fn, 4}, "float4_e2m1fn"},
      {{kDLFloat4_e2m1fn, 4, 2}, "float4_e2m1fnx2"},
      {{kDLFloat, 32, 4}, "float32x4"},
      {{kDLBool, 8, 16}, "boolx16"},
      {{18, 32}, "bcomplex32"},
      {{40, 7}, "code40_bits7"},
      {{255, 255, 65535}, "code255_bits255x65535"},
  };
  for (const auto& row : rows) {
    CHECK_EQUAL(to_string(row.type), row.name);
    CHECK(dtype::parse(row.name) == row.type);
  }
}

void every_combination_comes_back() {
  bool all = true;
  for (int code = 0; code < 256; ++code) {
    for (int bits = 1; bits < 256; ++bits) {
      for (const int lanes : {1, 2, 65535}) {
        const dtype type(static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                         static_cast<std::uint16_t>(lanes));
        all = all && dtype::parse(to_string(type)) == type;
      }
    }
  }
  CHECK(all);
}

void other_names_are_refused() {
  for (const char* name : {"",
                           "int",
                           "float",
                           "int8x",
                           "int8x1",
                           "int08",
                           "int256",
                           "int-8",
                           "float8_e4m3x65536",
                           "bool_bits8",
                           "bool8",
                           "code6_bits8",
                           "code256_bits1",
                           "code40",
                           "Float32",
                           "float32 ",
                           " float32",
                           "float32x+2",
                           "int_bits8",
                           "complex64x2x2",
                           "e4m3",
                           "float0",
                           "int8x0",
                           "bool_bits0",
                           "boolx0",
                           "code40_bits0",
                           "code40_bits8x0"}) {
    CHECK_THROWS(anystream::value_error, dtype::parse(name));
  }
  CHECK_MESSAGE(
      anystream::value_error,
      "a dtype is named like \"int8\", \"float32\", \"bfloat16\", \"complex64\", "
      "\"bool\", \"float8_e4m3fn\" or, with lanes, \"float32x4\"; got \"half\".\n  Any "
      "DLPack type can be written by its numbers: \"code40_bits7x2\" is code 40, 7 bits, 2 "
      "lanes; bits are 1 to 255, lanes 1 to 65535.",
      dtype::parse("half"));
}

}  // namespace

int main() {
  codes_are_the_headers();
  names_are_those_in_use();
  every_combination_comes_back();
  other_names_are_refused();
  return check::result();
}
