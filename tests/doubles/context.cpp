// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How contexts come, become current, and go.
#include "context.hpp"

#include <algorithm>

#include "capture.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

void revive(const context_ptr& home) {
  home->id = the_driver().next_id();
  home->alive = true;
  home->legacy = make_stream(home, stream_kind::legacy, 0, 0);
}

// Everything in it goes; what has not begun is never done.
void end(const context_ptr& home) {
  driver& all = the_driver();
  home->alive = false;
  end_captures_of(*home);
  for (const stream_ptr& s : streams_of(*home)) abandon(s);
  all.streams.erase_if([&](const stream& s) { return s.home == home; });
  all.events.erase_if([&](const event& e) { return e.home == home; });
  free_memory_of(*home);
  forget_streams(*home);
}

context_ptr primary_at(int ordinal) {
  return the_driver().contexts.find(device_at(ordinal).primary);
}

}  // namespace

void forget_streams(context& home) {
  home.alive = false;
  home.legacy.reset();
  home.per_thread.clear();
  home.barriers.clear();
  home.peers.clear();
}

int device_count() { return static_cast<int>(the_driver().devices.size()); }

device& device_at(int ordinal) {
  require(ordinal >= 0 && ordinal < device_count(), invalid_device);
  return the_driver().devices[static_cast<std::size_t>(ordinal)];
}

void* current_handle() {
  const std::vector<void*>& stack = this_thread().contexts;
  if (!stack.empty()) return stack.back();
  return has_implicit_context ? primary_of(this_thread().device) : nullptr;
}

context_ptr current_context() {
  void* handle = current_handle();
  require(handle != nullptr, invalid_context);
  context_ptr found = the_driver().contexts.find(handle);
  require(found && found->alive, context_is_destroyed);
  return found;
}

context_ptr context_at(const void* handle) {
  context_ptr found = the_driver().contexts.find(handle);
  require(found && found->alive, invalid_context);
  return found;
}

context_ptr context_or_current(const void* handle) {
  return handle == nullptr ? current_context() : context_at(handle);
}

void push_context(void* handle) {
  context_at(handle);
  this_thread().contexts.push_back(handle);
}

void* pop_context() {
  std::vector<void*>& stack = this_thread().contexts;
  require(!stack.empty(), invalid_context);
  void* handle = stack.back();
  stack.pop_back();
  return handle;
}

void set_context(void* handle) {
  std::vector<void*>& stack = this_thread().contexts;
  if (handle != nullptr) context_at(handle);
  if (!stack.empty()) stack.pop_back();
  if (handle != nullptr) stack.push_back(handle);
}

void* create_context(unsigned flags, int ordinal) {
  device_at(ordinal);
  auto made = std::make_shared<context>();
  made->device = ordinal;
  made->flags = flags;
  revive(made);
  made->handle = the_driver().contexts.add(made);
  this_thread().contexts.push_back(made->handle);
  return made->handle;
}

void destroy_context(void* handle) {
  const context_ptr gone = context_at(handle);
  require(!gone->primary, invalid_context);
  if (current_handle() == handle) pop_context();
  end(gone);
  the_driver().contexts.take(handle);
}

void* primary_of(int ordinal) {
  const context_ptr home = primary_at(ordinal);
  if (!home->alive) revive(home);
  return home->handle;
}

void* retain_primary(int ordinal) {
  void* handle = primary_of(ordinal);
  ++context_at(handle)->users;
  return handle;
}

void release_primary(int ordinal) {
  const context_ptr home = primary_at(ordinal);
  require(home->users > 0, invalid_context);
  if (--home->users == 0 && home->alive) end(home);
}

void reset_primary(int ordinal) {
  const context_ptr home = primary_at(ordinal);
  if (home->alive) end(home);
}

std::vector<stream_ptr> streams_of(const context& home) {
  std::vector<stream_ptr> found;
  std::ranges::copy_if(the_driver().working, std::back_inserter(found),
                       [&](const stream_ptr& s) { return s->home.get() == &home; });
  return found;
}

void synchronize(const context_ptr& home) {
  std::vector<completion_ptr> pending;
  for (const stream_ptr& s : streams_of(*home)) pending.push_back(s->last);
  for (const completion_ptr& what : pending) wait_for(what);
}

// The blocking streams' work is before what would come next in it.
bool is_legacy_idle(const stream& legacy) {
  return std::ranges::all_of(streams_of(*legacy.home),
                             [](const stream_ptr& s) { return !s->is_blocking() || is_idle(*s); });
}

void synchronize_legacy(const stream& legacy) {
  std::vector<completion_ptr> pending{legacy.last};
  for (const stream_ptr& s : streams_of(*legacy.home)) {
    if (s->is_blocking()) pending.push_back(s->last);
  }
  for (const completion_ptr& what : pending) wait_for(what);
}

}  // namespace doubles
