// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How a driver's list of functions becomes a struct of pointers and the rows that the loader walks.
//
// A driver header holds one list:
//
//   #define ANYSTREAM_X_FUNCTIONS(X) X(need, return type, name, exported symbol, (arguments)) …
//   ANYSTREAM_DRIVER_TABLE(x_driver, ANYSTREAM_X_FUNCTIONS)
//
// which makes `struct x_driver` and `x_driver_symbols`. The exported symbol is a column of its own,
// because vendors rename by macros (cuEventDestroy_v2). The struct is the seam of the tests: a fake
// driver is an aggregate of lambdas.
#pragma once

#include <array>
#include <cstddef>

namespace anystream::core {

// A missing required function makes the library unusable; a missing optional one stays null.
enum class presence : bool { required, optional };

struct driver_symbol {
  const char* symbol;
  presence need;
  std::size_t offset;  // of its pointer in the driver's struct
};

#define ANYSTREAM_DRIVER_MEMBER(need, result, name, symbol, arguments) \
  result(*name) arguments = nullptr;
#define ANYSTREAM_DRIVER_ROW(need, result, name, symbol, arguments) \
  driver_symbol{symbol, presence::need, offsetof(table, name)},

// The rows are made in a function so that they can say `table`, whatever the struct is called.
#define ANYSTREAM_DRIVER_TABLE(type, LIST)                             \
  struct type {                                                        \
    LIST(ANYSTREAM_DRIVER_MEMBER)                                      \
  };                                                                   \
  constexpr auto type##_rows() {                                       \
    using table = type;                                                \
    return std::to_array<driver_symbol>({LIST(ANYSTREAM_DRIVER_ROW)}); \
  }                                                                    \
  inline constexpr auto type##_symbols = type##_rows();

}  // namespace anystream::core
