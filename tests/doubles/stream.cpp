// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams as their handles name them: made, found, destroyed.
#include "stream.hpp"

#include <algorithm>
#include <cstdint>

#include "capture.hpp"
#include "context.hpp"

namespace doubles {

namespace {

constexpr std::uintptr_t per_thread_handle = 2;  // the legacy stream's is 1

stream_ptr thread_stream(const context_ptr& home) {
  stream_ptr& found = home->per_thread[this_thread().id];
  if (!found) found = make_stream(home, stream_kind::per_thread, 0, 0);
  return found;
}

bool is_special(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle) <= per_thread_handle;
}

stream_ptr special_stream(const void* handle) {
  const context_ptr home = current_context();
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  const bool of_thread = value == per_thread_handle || (value == 0 && this_thread().per_thread);
  return of_thread ? thread_stream(home) : home->legacy;
}

}  // namespace

stream_ptr find_stream(const void* handle) {
  if (is_special(handle)) return special_stream(handle);
  stream_ptr found = the_driver().streams.find(handle);
  require(found != nullptr, invalid_handle);
  return found;
}

stream_ptr stream_to_use(const void* handle) {
  if (the_driver().gate.require_context) current_context();
  return find_stream(handle);
}

stream_ptr make_stream(const context_ptr& home, stream_kind kind, unsigned flags, int priority) {
  driver& all = the_driver();
  auto made = std::make_shared<stream>();
  made->id = all.next_id();
  made->home = home;
  made->kind = kind;
  made->flags = flags;
  made->priority = std::clamp(priority, highest_priority, lowest_priority);
  made->held = all.gate.hold_new && kind != stream_kind::background;
  all.working.push_back(made);
  return made;
}

void* create_stream(unsigned flags, int priority) {
  require((flags & ~stream_non_blocking) == 0, invalid_value);
  const stream_ptr made = make_stream(current_context(), stream_kind::created, flags, priority);
  void* handle = the_driver().streams.add(made);
  made->handle = handle;
  return handle;
}

void destroy_stream(const void* handle) {
  require(!is_special(handle), invalid_handle);
  const stream_ptr gone = the_driver().streams.take(handle);
  require(gone != nullptr, invalid_handle);
  leave_capture(gone);
  gone->closed = true;  // what is pending is still done
  gone->wake.notify_one();
  if (!gone->has_thread) std::erase(the_driver().working, gone);
}

status query_stream(const stream_ptr& asked) {
  refuse_capturing(*asked);
  unsafe_call();
  if (asked->kind != stream_kind::legacy) return is_idle(*asked) ? ok : not_ready;
  return is_legacy_idle(*asked) ? ok : not_ready;
}

void synchronize_stream(const stream_ptr& asked) {
  refuse_capturing(*asked);
  unsafe_call();
  if (asked->kind == stream_kind::legacy) {
    synchronize_legacy(*asked);
  } else {
    wait_for(asked->last);
  }
}

void submit(const stream_ptr& to, std::function<void()> body) {
  if (to->capture) {
    add_node(to, std::move(body));
    return;
  }
  check_implicit(*to);
  enqueue(to, std::move(body));
}

}  // namespace doubles
