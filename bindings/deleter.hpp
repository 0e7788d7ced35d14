// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Knowing that a deleter of somebody else's runs: what it calls lets go of nothing that was put
// off, as that could need what the deleter has in hand.
#pragma once

#include <cstdint>

namespace anystream::python {

// Of the calling thread, which may drop the GIL meanwhile. No counter of the core's: that would be
// two calls more for each array that goes.
inline constinit thread_local std::int32_t deleters_running = 0;

class deleter_running {
 public:
  deleter_running() noexcept : count_{deleters_running} { ++count_; }
  ~deleter_running() { --count_; }
  deleter_running(const deleter_running&) = delete;
  deleter_running& operator=(const deleter_running&) = delete;

 private:
  std::int32_t& count_;  // found once
};

}  // namespace anystream::python
