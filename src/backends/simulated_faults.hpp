// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The faults that an exploring device can be told to have; simulated_entries.cpp has them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace anystream::core::simulated {

class event;
class stream;

enum class fault : std::uint8_t {
  none,
#define ANYSTREAM_FAULT(identifier, name, effect) identifier,
#include "simulated_faults.def"
#undef ANYSTREAM_FAULT
};

struct fault_row {
  const char* name;
  const char* effect;
};
const fault_row* fault_at(std::int32_t index) noexcept;  // null: there are fewer

fault find_fault(std::string_view name);  // "": none; value_error lists the names

// Which fault a device has, and what that fault has to remember. Any thread.
class faulty_device {
 public:
  explicit faulty_device(fault which) noexcept : which_{which} {}

  bool has(fault one) const noexcept { return which_ == one; }
  fault which() const noexcept { return which_; }

  // Gives what was recorded on the stream before; null if nothing was.
  std::shared_ptr<event> remember(const stream& on, const std::shared_ptr<event>& recorded);
  std::shared_ptr<event> recorded_before(const std::shared_ptr<event>& recorded) const;

  void give_back(std::shared_ptr<event> used);
  std::shared_ptr<event> take_complete();  // of those given back; null if there is none

  void forget();  // the device is closed; its events have kept it alive

 private:
  const fault which_;
  mutable std::mutex lock_;  // of the members below
  std::map<const stream*, std::vector<std::shared_ptr<event>>> recorded_;
  std::vector<std::shared_ptr<event>> given_back_;
};

}  // namespace anystream::core::simulated
