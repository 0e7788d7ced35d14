// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that one object leaves to the next of its kind: what is made and dropped at every exchange
// would pay more for its memory than for the rest.
#pragma once

#include <array>
#include <cstddef>

namespace anystream::python {

// Changed with the GIL only.
template <class Place>
class spare_places {
 public:
  // Null where none is left.
  Place* take() noexcept { return count_ > 0 ? places_[--count_] : nullptr; }

  // False where there are enough: the place is still the caller's to free.
  bool keep(Place* place) noexcept {
    if (count_ == capacity) return false;
    places_[count_++] = place;
    return true;
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t capacity = 0;  // what is used after its end is to be seen
#else
  static constexpr std::size_t capacity = 16;
#endif
  std::array<Place*, capacity> places_{};
  std::size_t count_ = 0;
};

}  // namespace anystream::python
