// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers drawn from a seed: the same ones on every machine, which the standard's distributions
// are not.
#pragma once

#include <cstdint>

namespace anystream::core::simulated {

// The finaliser of SplitMix64: every bit of the input reaches every bit of the output.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class draws {
 public:
  explicit constexpr draws(std::uint64_t seed) noexcept : state_{mix(seed)} {}

  // 0 to below `count`, which is at least 1.
  constexpr std::uint64_t below(std::uint64_t count) noexcept { return mix(state_++) % count; }
  constexpr bool chance(std::uint64_t of, std::uint64_t in) noexcept { return below(in) < of; }

 private:
  std::uint64_t state_;
};

}  // namespace anystream::core::simulated
