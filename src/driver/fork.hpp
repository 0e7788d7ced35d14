// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Being told that this process is a forked child, where no driver of the parent's works any more.
#pragma once

#include <atomic>
#include <cstdint>

namespace anystream::core {

// Has `child` called in every process that is forked from now on. Does nothing where there is no
// fork. The child may be one of a program with threads: only atomics may be touched in there.
void call_after_fork(void (*child)()) noexcept;

// Another number in a forked child: what was made under its parent's is not the child's.
std::uint32_t process_generation() noexcept;

// One object of a process, made when it is first needed and never destroyed. A forked child has one
// of its own: the parent's may be locked for good, by a thread that the child does not have.
template <class T>
class one_a_process {
 public:
  constexpr one_a_process() = default;

  T& get() {
    const std::uint32_t here = process_generation();
    made* known = current_.load(std::memory_order_acquire);
    while (known == nullptr || known->generation != here) {
      auto* const fresh = new made(here);
      if (current_.compare_exchange_strong(known, fresh)) return fresh->object;
      delete fresh;
    }
    return known->object;
  }

 private:
  struct made {
    explicit made(std::uint32_t now) noexcept : generation(now) {}
    std::uint32_t generation;
    T object;
  };
  std::atomic<made*> current_{nullptr};
};

}  // namespace anystream::core
