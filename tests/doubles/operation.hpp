// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// One piece of work in a stream, and the mark that it is done.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace doubles {

struct stream;
using clock = std::chrono::steady_clock;

struct completion {
  bool done = false;
  clock::time_point when;
  std::vector<std::weak_ptr<stream>> waiters;  // whose first operation comes after this
};
using completion_ptr = std::shared_ptr<completion>;

struct operation {
  std::string text;            // the call that enqueued it
  std::function<void()> body;  // runs without the lock; empty for what only orders
  std::vector<completion_ptr> after;
  completion_ptr done;
  std::chrono::milliseconds delay{0};
};

}  // namespace doubles
