// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of each byte of an exploring device's memory: whether an operation has written it,
// and whether it is still allocated. By what was done, not by value: written poison is written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "simulated_journal.hpp"

namespace anystream::core::simulated {

// Guarded by whoever guards the bytes.
class shadow {
 public:
  shadow(std::shared_ptr<journal> told, std::size_t bytes);

  // Each says in the journal what is wrong with it.
  void read(std::size_t offset, std::size_t bytes);
  void write(std::size_t offset, std::size_t bytes);

  void freed() noexcept { freed_ = true; }
  void recycled();  // as if allocated again

  const std::string& name() const noexcept { return name_; }  // "memory 1"
  const std::shared_ptr<journal>& told() const noexcept { return journal_; }

 private:
  std::string range(std::size_t first, std::size_t end) const;

  std::shared_ptr<journal> journal_;
  std::string name_;
  std::vector<bool> written_;
  bool freed_ = false;
};

}  // namespace anystream::core::simulated
