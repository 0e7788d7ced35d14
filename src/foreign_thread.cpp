// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaving releases of a runtime's own threads to ours.
#include "foreign_thread.hpp"

#include <atomic>
#include <new>
#include <utility>

#include "deferred.hpp"

namespace anystream::core {
namespace {

std::atomic<thread_question> question{nullptr};

bool is_foreign() noexcept {
  const thread_question asked = question;
  return asked != nullptr && !release_is_in_progress() && asked() != 0;
}

}  // namespace

void tell_foreign_threads_by(thread_question is_foreign) noexcept { question = is_foreign; }

bool leave_to_release_thread(void* last, void (*release)(void*), std::uint64_t bytes) noexcept {
  if (!is_foreign()) return false;
  try {
    deferred_releases one(1);
    one.front().memory = owner(last, release);
    one.front().bytes = bytes;
    release_soon(std::move(one));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace anystream::core
