// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: what is enqueued becomes a graph, and what would break it is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "event.hpp"
#include "stream.hpp"

namespace doubles {

struct node {
  std::string text;
  std::function<void()> body;
  std::function<void(const stream_ptr&)> enqueue;  // instead of a body: external events
  std::vector<std::shared_ptr<node>> after;
};
using node_ptr = std::shared_ptr<node>;

struct graph {
  std::vector<node_ptr> nodes;  // each after those that it comes after
};

struct executable {
  graph what;
};

struct capture {
  std::uint64_t id = 0;
  capture_mode mode = capture_mode::global;
  std::uint64_t thread = 0;
  std::shared_ptr<graph> made = std::make_shared<graph>();
  void* handle = nullptr;  // of the graph, where a client has asked for it
  stream_ptr origin;
  std::vector<stream_ptr> streams;  // the origin, and those that joined
  bool invalidated = false;
  bool ended = false;
};
using capture_ptr = std::shared_ptr<capture>;

void begin_capture(const stream_ptr& origin, capture_mode mode);
void* end_capture(const stream_ptr& origin);  // a graph
void leave_capture(const stream_ptr& gone);   // it is destroyed
void end_captures_of(const context& home);
void end_all_captures();

void add_node(const stream_ptr& in, std::function<void()> body);
void join_capture(const stream_ptr& joins, const capture_ptr& what,
                  const std::vector<node_ptr>& tips);
void record_in_capture(const event_ptr& what, const stream_ptr& in, bool external);
void wait_in_capture(const stream_ptr& waits, const event_ptr& what, bool external);

// What a stream, an event or a context in a capture is not for; it ends the capture too.
void refuse_capturing(const stream& s);
void refuse_capturing(const context& home);
void refuse_captured(const event& what);
// A legacy stream would have to wait for blocking streams that capture.
void check_implicit(const stream& s);
bool is_implicit(const stream& s);
// A call that may wait, or touch more than its streams: none while a capture goes on that forbids
// it.
void unsafe_call();

int capture_status(const stream& s);

}  // namespace doubles
