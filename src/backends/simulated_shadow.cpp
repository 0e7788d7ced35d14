// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of each byte of an exploring device's memory.
#include "simulated_shadow.hpp"

#include <algorithm>
#include <utility>

namespace anystream::core::simulated {

shadow::shadow(std::shared_ptr<journal> told, std::size_t bytes)
    : journal_{std::move(told)}, name_{journal_->next_memory()}, written_(bytes) {}

std::string shadow::range(std::size_t first, std::size_t end) const {
  return "bytes " + std::to_string(first) + " to " + std::to_string(end - 1) + " of " + name_ +
         " (" + std::to_string(written_.size()) + " bytes)";
}

// The first stretch that is wrong is told; the others would say the same.
void shadow::read(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  if (freed_) return journal_->found("read memory that was freed", range(offset, offset + bytes));
  const auto begin = written_.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
  const auto first = std::find(begin, end, false);
  if (first == end) return;
  const auto last = std::find(first, end, true);
  journal_->found("read bytes that no operation has written",
                  range(static_cast<std::size_t>(first - written_.begin()),
                        static_cast<std::size_t>(last - written_.begin())));
}

// What a wrong read brought is written all the same: one mistake is one finding.
void shadow::write(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  if (freed_) journal_->found("wrote memory that was freed", range(offset, offset + bytes));
  std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
}

void shadow::recycled() {
  written_.assign(written_.size(), false);
  freed_ = false;
}

}  // namespace anystream::core::simulated
