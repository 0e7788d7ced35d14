// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened on an exploring device: the operations in the order in which they ran, and what was
// wrong with them.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace anystream::core::simulated {

struct step {
  std::string stream;  // "the host" for what no stream does
  std::string operation;
};

struct finding {
  std::string what;  // "read bytes that no operation has written"
  step at;           // the operation that did it
  std::string memory;
  std::uint64_t number;  // of the step
};

// Any thread. What it has given lives as long as the journal: entries are added, never changed.
class journal {
 public:
  void begin(const std::string& stream, const std::string& operation);
  void end();
  void host(std::string operation);

  // Of the operation that is running; the host's if none is.
  void found(std::string what, std::string memory);

  std::string next_memory();  // "memory 1"
  std::string next_event();   // "event 1"

  std::uint64_t steps() const;
  std::uint64_t findings() const;
  const step* step_at(std::uint64_t index) const;        // null past the end
  const finding* finding_at(std::uint64_t index) const;  // null past the end

 private:
  mutable std::mutex lock_;  // of the members below
  std::deque<step> steps_;
  std::deque<finding> findings_;
  std::vector<std::uint64_t> running_;  // steps: an operation may wait, and others run in it
  std::uint64_t memories_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace anystream::core::simulated
