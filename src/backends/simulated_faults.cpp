// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of faults, and what a fault remembers.
#include "simulated_faults.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "simulated_stream.hpp"

namespace anystream::core::simulated {
namespace {

constexpr fault_row rows[] = {
#define ANYSTREAM_FAULT(identifier, name, effect) {name, effect},
#include "simulated_faults.def"
#undef ANYSTREAM_FAULT
};

}  // namespace

const fault_row* fault_at(std::int32_t index) noexcept {
  const bool there = index >= 0 && static_cast<std::size_t>(index) < std::size(rows);
  return there ? &rows[index] : nullptr;
}

fault find_fault(std::string_view name) {
  if (name.empty()) return fault::none;
  std::string names;
  for (std::size_t index = 0; index < std::size(rows); ++index) {
    if (rows[index].name == name) return static_cast<fault>(index + 1);
    names += (names.empty() ? "\"" : ", \"") + std::string(rows[index].name) + '"';
  }
  throw value_error("a fault of an exploring device is one of " + names + "; got \"" +
                    std::string(name) + "\".");
}

std::shared_ptr<event> faulty_device::remember(const stream& on,
                                               const std::shared_ptr<event>& recorded) {
  const std::scoped_lock guard{lock_};
  auto& all = recorded_[&on];
  std::shared_ptr<event> before = all.empty() ? nullptr : all.back();
  all.push_back(recorded);
  return before;
}

std::shared_ptr<event> faulty_device::recorded_before(
    const std::shared_ptr<event>& recorded) const {
  const std::scoped_lock guard{lock_};
  for (const auto& [on, all] : recorded_) {
    const auto found = std::ranges::find(all, recorded);
    if (found != all.end() && found != all.begin()) return *std::prev(found);
  }
  return nullptr;
}

void faulty_device::give_back(std::shared_ptr<event> used) {
  const std::scoped_lock guard{lock_};
  given_back_.push_back(std::move(used));
}

std::shared_ptr<event> faulty_device::take_complete() {
  const std::scoped_lock guard{lock_};
  const auto found =
      std::ranges::find_if(given_back_, [](const auto& one) { return one->complete(); });
  if (found == given_back_.end()) return nullptr;
  std::shared_ptr<event> taken = std::move(*found);
  given_back_.erase(found);
  return taken;
}

void faulty_device::forget() {
  const std::scoped_lock guard{lock_};
  recorded_.clear();
  given_back_.clear();
}

}  // namespace anystream::core::simulated
