// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened on an exploring device.
#include "simulated_journal.hpp"

#include <utility>

namespace anystream::core::simulated {
namespace {

constexpr const char* the_host = "the host";

template <class Entry>
const Entry* entry_at(const std::deque<Entry>& entries, std::uint64_t index) {
  return index < entries.size() ? &entries[static_cast<std::size_t>(index)] : nullptr;
}

}  // namespace

void journal::begin(const std::string& stream, const std::string& operation) {
  const std::scoped_lock guard{lock_};
  running_.push_back(steps_.size());
  steps_.push_back({stream, operation});
}

void journal::end() {
  const std::scoped_lock guard{lock_};
  running_.pop_back();
}

void journal::host(std::string operation) {
  const std::scoped_lock guard{lock_};
  steps_.push_back({the_host, std::move(operation)});
}

void journal::found(std::string what, std::string memory) {
  const std::scoped_lock guard{lock_};
  if (running_.empty()) {
    findings_.push_back({std::move(what), {the_host, ""}, std::move(memory), steps_.size()});
    return;
  }
  const std::uint64_t number = running_.back();
  const step& running = steps_[static_cast<std::size_t>(number)];
  findings_.push_back({std::move(what), running, std::move(memory), number});
}

std::string journal::next_memory() {
  const std::scoped_lock guard{lock_};
  return "memory " + std::to_string(++memories_);
}

std::string journal::next_event() {
  const std::scoped_lock guard{lock_};
  return "event " + std::to_string(++events_);
}

std::uint64_t journal::steps() const {
  const std::scoped_lock guard{lock_};
  return steps_.size();
}

std::uint64_t journal::findings() const {
  const std::scoped_lock guard{lock_};
  return findings_.size();
}

const step* journal::step_at(std::uint64_t index) const {
  const std::scoped_lock guard{lock_};
  return entry_at(steps_, index);
}

const finding* journal::finding_at(std::uint64_t index) const {
  const std::scoped_lock guard{lock_};
  return entry_at(findings_, index);
}

}  // namespace anystream::core::simulated
