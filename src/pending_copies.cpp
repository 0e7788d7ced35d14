// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of copies that have not run yet, though nobody has their array any more.
#include "pending_copies.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace anystream::core {
namespace {

using copy_ref = std::unique_ptr<copy_memory>;

// A driver that does not answer, as in a forked child, has not said that the copy has run: its
// memory is leaked then.
bool has_run(const copy_memory& copy) noexcept {
  if (copy.end == nullptr) return true;
  try {
    return copy.end->platform->engine->complete(copy.end->handle);
  } catch (const std::exception&) {
    return false;
  }
}

class pending_list {
 public:
  // Takes the copy if it does not throw.
  void add(copy_ref& copy) {
    const std::scoped_lock lock(mutex_);
    copies_.reserve(copies_.size() + 1);
    copies_.push_back(std::move(copy));
    count_ = copies_.size();
  }

  std::vector<copy_ref> take_all() {
    if (count_ == 0) return {};
    const std::scoped_lock lock(mutex_);
    count_ = 0;
    return std::exchange(copies_, {});
  }

 private:
  std::mutex mutex_;  // guards the list: no event is asked, and nothing let go, under it
  std::vector<copy_ref> copies_;
  std::atomic<std::size_t> count_{0};
};

// Never destroyed: what is pending when the process ends is leaked.
pending_list& pending() {
  static pending_list& made = *new pending_list;
  return made;
}

}  // namespace

// Without memory for a longer list it is leaked: it must not be freed.
void release_copy(copy_memory* ended) noexcept {
  copy_ref copy(ended);
  if (has_run(*copy)) return;
  try {
    pending().add(copy);
  } catch (const std::bad_alloc&) {
    static_cast<void>(copy.release());
  }
}

void release_finished_copies() noexcept {
  for (copy_ref& copy : pending().take_all()) release_copy(copy.release());
}

}  // namespace anystream::core
