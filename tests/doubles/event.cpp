// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is recorded, who waits for it, how long it took.
#include "event.hpp"

#include <chrono>

#include "capture.hpp"
#include "context.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

void check_flags(unsigned flags) {
  require((flags & ~(event_blocking_sync | event_disable_timing | event_interprocess)) == 0,
          invalid_value);
  const bool timed = (flags & event_disable_timing) == 0;
  require((flags & event_interprocess) == 0 || !timed, invalid_value);
}

std::vector<completion_ptr> record_of(const event& what) {
  if (!what.record || what.record->done) return {};
  return {what.record};
}

// A stream that captures nothing waits for an event of a capture: it joins, while that goes on.
void join_or_refuse(const stream_ptr& waits, const event& what) {
  require(!what.captured->ended, captured_event);
  join_capture(waits, what.captured, what.tips);
}

}  // namespace

event_ptr find_event(const void* handle) {
  event_ptr found = the_driver().events.find(handle);
  require(found != nullptr, invalid_handle);
  return found;
}

void* create_event(unsigned flags) {
  check_flags(flags);
  auto made = std::make_shared<event>();
  made->home = current_context();
  made->flags = flags;
  return the_driver().events.add(made);
}

void destroy_event(const void* handle) {
  require(the_driver().events.take(handle) != nullptr, invalid_handle);
}

void record_event(const event_ptr& what, const stream_ptr& in, unsigned flags) {
  require((flags & ~external_flag) == 0, invalid_value);
  require(what->home == in->home, invalid_handle);
  if (in->capture) {
    record_in_capture(what, in, flags == external_flag);
    return;
  }
  require(flags == 0, invalid_value);
  check_implicit(*in);
  what->captured.reset();
  what->tips.clear();
  what->record = enqueue(in, {});
}

void wait_event(const stream_ptr& waits, const event_ptr& what, unsigned flags) {
  require((flags & ~external_flag) == 0, invalid_value);
  if (waits->capture) {
    wait_in_capture(waits, what, flags == external_flag);
    return;
  }
  require(flags == 0, invalid_value);
  if (what->captured) {
    join_or_refuse(waits, *what);
    return;
  }
  check_implicit(*waits);
  enqueue(waits, {}, record_of(*what));
}

status query_event(const event_ptr& what) {
  refuse_captured(*what);
  unsafe_call();
  return !what->record || what->record->done ? ok : not_ready;
}

void synchronize_event(const event_ptr& what) {
  refuse_captured(*what);
  unsafe_call();
  wait_for(what->record);
}

float elapsed_ms(const event& start, const event& end) {
  refuse_captured(start);
  refuse_captured(end);
  require(((start.flags | end.flags) & event_disable_timing) == 0, invalid_handle);
  require(start.record && end.record, invalid_handle);
  require(start.record->done && end.record->done, not_ready);
  return std::chrono::duration<float, std::milli>(end.record->when - start.record->when).count();
}

void record_context(const context_ptr& home, const event_ptr& what) {
  require(what->home == home, invalid_handle);
  refuse_capturing(*home);
  what->captured.reset();
  what->tips.clear();
  what->record = all_of(streams_of(*home));
}

void wait_in_context(const context_ptr& home, const event_ptr& what) {
  refuse_capturing(*home);
  refuse_captured(*what);
  for (completion_ptr& record : record_of(*what)) home->barriers.push_back(record);
}

}  // namespace doubles
