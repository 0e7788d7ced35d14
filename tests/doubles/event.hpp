// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: marks in a stream that others wait for.
#pragma once

#include <memory>
#include <vector>

#include "driver.hpp"
#include "operation.hpp"

namespace doubles {

struct node;

constexpr unsigned event_blocking_sync = 1;
constexpr unsigned event_disable_timing = 2;
constexpr unsigned event_interprocess = 4;
constexpr unsigned external_flag = 1;  // of a record or a wait in a capture: a node of the graph

struct event {
  context_ptr home;
  unsigned flags = 0;
  // Of the newest record; null before the first. Who waits keeps the one that it met.
  completion_ptr record;
  // Set by a record in a capture.
  std::shared_ptr<capture> captured;
  std::vector<std::shared_ptr<node>> tips;
};
using event_ptr = std::shared_ptr<event>;

event_ptr find_event(const void* handle);
void* create_event(unsigned flags);
void destroy_event(const void* handle);
void record_event(const event_ptr& what, const stream_ptr& in, unsigned flags);
void wait_event(const stream_ptr& waits, const event_ptr& what, unsigned flags);
status query_event(const event_ptr& what);
void synchronize_event(const event_ptr& what);
float elapsed_ms(const event& start, const event& end);
void record_context(const context_ptr& home, const event_ptr& what);
void wait_in_context(const context_ptr& home, const event_ptr& what);

}  // namespace doubles
