// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one fuzzed input, read as numbers; past its end there are zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace fuzz {

// What a target holds to be true of every input. A debugger and libFuzzer both stop at abort().
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

class reader {
 public:
  reader(const std::uint8_t* bytes, std::size_t size) noexcept : at_(bytes), end_(bytes + size) {}

  std::uint8_t byte() noexcept { return at_ == end_ ? std::uint8_t{0} : *at_++; }

  // Mostly one byte a number: small ones of either sign, and those at which arithmetic breaks; any
  // other takes eight more.
  std::int64_t number() noexcept {
    const std::uint8_t tag = byte();
    if (tag < 0xA0) return tag;
    if (tag < 0xC0) return tag - 0xC0;
    if (tag < 0xE0) return borders[tag % std::size(borders)];
    std::uint64_t raw = 0;
    for (int i = 0; i < 8; ++i) raw |= std::uint64_t{byte()} << (8 * i);
    return static_cast<std::int64_t>(raw);
  }

 private:
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t borders[] = {
      -largest - 1,
      -largest,
      largest,
      largest - 1,
      std::int64_t{1} << 62,
      -(std::int64_t{1} << 62),
      std::int64_t{1} << 61,
      std::int64_t{1} << 59,
      std::int64_t{1} << 32,
      (std::int64_t{1} << 32) - 1,
      std::int64_t{1} << 31,
      0x7FFFFFFF,
      -(std::int64_t{1} << 31),
      65535,
      65536,
      1000000000,
  };

  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace fuzz
