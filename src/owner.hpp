// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What keeps something of someone else's alive, released exactly once.
#pragma once

#include <anystream/c_api.h>

#include <utility>

namespace anystream::core {

class owner {
 public:
  owner() = default;
  explicit owner(anystream_owner raw) noexcept : raw_(raw) {}
  owner(void* context, void (*release)(void*)) noexcept : raw_{context, release} {}
  owner(owner&& other) noexcept : raw_(std::exchange(other.raw_, {})) {}
  owner& operator=(owner&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~owner() { release(); }

  // Runs foreign code: never to be called under a lock.
  void release() noexcept {
    const anystream_owner raw = std::exchange(raw_, {});
    if (raw.release != nullptr) raw.release(raw.context);
  }

  bool is_set() const noexcept { return raw_.release != nullptr; }

  // What is kept stays for good: for memory that must not be freed any more.
  void forget() noexcept { raw_ = {}; }

 private:
  anystream_owner raw_{};
};

}  // namespace anystream::core
