// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is captured, joined, refused and ended.
#include "capture.hpp"

#include <algorithm>
#include <set>

#include "context.hpp"

namespace doubles {

namespace {

[[noreturn]] void invalidate(capture& what, status why) {
  what.invalidated = true;
  fail(why);
}

void merge_tips(std::vector<node_ptr>& into, const std::vector<node_ptr>& more) {
  for (const node_ptr& tip : more) {
    if (std::ranges::find(into, tip) == into.end()) into.push_back(tip);
  }
}

void release_streams(capture& what) {
  for (const stream_ptr& s : what.streams) {
    s->capture.reset();
    s->tips.clear();
  }
  what.streams.clear();
  what.origin.reset();
  what.ended = true;
  std::erase_if(the_driver().captures, [&](const capture_ptr& c) { return c.get() == &what; });
}

void reach(const node_ptr& from, std::set<const node*>& reached) {
  if (!reached.insert(from.get()).second) return;
  for (const node_ptr& before : from->after) reach(before, reached);
}

// Everything that the other streams did must come before the origin's end.
bool is_joined(const capture& what) {
  std::set<const node*> reached;
  for (const node_ptr& tip : what.origin->tips) reach(tip, reached);
  return std::ranges::all_of(what.streams, [&](const stream_ptr& s) {
    return std::ranges::all_of(s->tips,
                               [&](const node_ptr& t) { return reached.contains(t.get()); });
  });
}

bool forbids(const capture& what) {
  if (what.mode == capture_mode::relaxed) return false;
  const thread_state& self = this_thread();
  if (self.mode == capture_mode::relaxed) return false;
  if (what.thread == self.id) return true;
  return what.mode == capture_mode::global && self.mode == capture_mode::global;
}

node_ptr append(const stream_ptr& in) {
  require(!in->capture->invalidated, capture_invalidated);
  auto made = std::make_shared<node>();
  made->text = this_thread().call;
  made->after = in->tips;
  in->capture->made->nodes.push_back(made);
  in->tips = {made};
  return made;
}

}  // namespace

void begin_capture(const stream_ptr& origin, capture_mode mode) {
  require(origin->kind != stream_kind::legacy, capture_unsupported);
  require(!origin->capture, illegal_state);
  auto made = std::make_shared<capture>();
  made->id = the_driver().next_id();
  made->mode = mode;
  made->thread = this_thread().id;
  made->origin = origin;
  made->streams = {origin};
  origin->capture = made;
  the_driver().captures.push_back(made);
}

void* end_capture(const stream_ptr& origin) {
  const capture_ptr what = origin->capture;
  require(what != nullptr, illegal_state);
  require(what->origin == origin, capture_unmatched);
  const bool own = what->mode == capture_mode::relaxed || what->thread == this_thread().id;
  require(own, capture_wrong_thread);
  const bool joined = is_joined(*what);
  release_streams(*what);
  if (what->invalidated || !joined) {
    if (what->handle != nullptr) the_driver().graphs.take(what->handle);
    fail(what->invalidated ? capture_invalidated : capture_unjoined);
  }
  return what->handle != nullptr ? what->handle : the_driver().graphs.add(what->made);
}

void leave_capture(const stream_ptr& gone) {
  const capture_ptr what = gone->capture;
  if (!what) return;
  what->invalidated = true;
  if (what->origin == gone) release_streams(*what);
}

void end_captures_of(const context& home) {
  const std::vector<capture_ptr> going_on = the_driver().captures;
  for (const capture_ptr& what : going_on) {
    if (what->origin->home.get() == &home) release_streams(*what);
  }
}

void end_all_captures() {
  const std::vector<capture_ptr> going_on = the_driver().captures;
  for (const capture_ptr& what : going_on) release_streams(*what);
}

void add_node(const stream_ptr& in, std::function<void()> body) {
  append(in)->body = std::move(body);
}

void join_capture(const stream_ptr& joins, const capture_ptr& what,
                  const std::vector<node_ptr>& tips) {
  if (joins->kind == stream_kind::legacy) invalidate(*what, capture_implicit);
  require(!what->invalidated, capture_invalidated);
  joins->capture = what;
  joins->tips = tips;
  what->streams.push_back(joins);
}

void record_in_capture(const event_ptr& what, const stream_ptr& in, bool external) {
  require(!in->capture->invalidated, capture_invalidated);
  if (external) {
    append(in)->enqueue = [what](const stream_ptr& s) { what->record = enqueue(s, {}); };
    return;
  }
  what->record.reset();
  what->captured = in->capture;
  what->tips = in->tips;
}

void wait_in_capture(const stream_ptr& waits, const event_ptr& what, bool external) {
  capture& own = *waits->capture;
  require(!own.invalidated, capture_invalidated);
  if (external) {
    append(waits)->enqueue = [what](const stream_ptr& s) { wait_event(s, what, 0); };
    return;
  }
  if (!what->captured || what->captured->ended) invalidate(own, capture_isolation);
  if (what->captured != waits->capture) {
    what->captured->invalidated = true;
    invalidate(own, capture_merge);
  }
  merge_tips(waits->tips, what->tips);
}

void refuse_capturing(const stream& s) {
  if (s.capture) invalidate(*s.capture, capture_unsupported);
  check_implicit(s);
}

void refuse_capturing(const context& home) {
  for (const capture_ptr& what : the_driver().captures) {
    const bool inside = std::ranges::any_of(
        what->streams, [&](const stream_ptr& s) { return s->home.get() == &home; });
    if (inside) invalidate(*what, capture_unsupported);
  }
}

void refuse_captured(const event& what) {
  if (!what.captured) return;
  if (!what.captured->ended) what.captured->invalidated = true;
  fail(captured_event);
}

bool is_implicit(const stream& s) {
  if (s.kind != stream_kind::legacy) return false;
  return std::ranges::any_of(streams_of(*s.home), [](const stream_ptr& other) {
    return other->capture && other->is_blocking();
  });
}

void check_implicit(const stream& s) {
  if (!is_implicit(s)) return;
  for (const stream_ptr& other : streams_of(*s.home)) {
    if (other->capture && other->is_blocking()) other->capture->invalidated = true;
  }
  fail(capture_implicit);
}

void unsafe_call() {
  for (const capture_ptr& what : the_driver().captures) {
    if (forbids(*what)) invalidate(*what, capture_unsupported);
  }
}

int capture_status(const stream& s) {
  if (!s.capture) return 0;
  return s.capture->invalidated ? 2 : 1;
}

}  // namespace doubles
