// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Names and texts of codes, from the table.
#include "status.hpp"

#include <algorithm>
#include <iterator>

namespace doubles {

namespace {

constexpr status_words table[] = {
#define DOUBLE_STATUS(value, name, cuda, hip, text) {value, cuda, hip, text},
#include "status.def"
#undef DOUBLE_STATUS
};

}  // namespace

const status_words* words_of(int value) {
  const auto* found =
      std::ranges::find_if(table, [&](const status_words& row) { return row.value == value; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace doubles
