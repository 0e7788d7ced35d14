// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams: queues that a thread each works off, one operation after the other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "operation.hpp"

namespace doubles {

struct node;

enum class stream_kind { created, legacy, per_thread, background };

constexpr unsigned stream_non_blocking = 1;

struct stream : std::enable_shared_from_this<stream> {
  std::uint64_t id = 0;
  context_ptr home;
  stream_kind kind = stream_kind::created;
  unsigned flags = 0;
  int priority = 0;
  const void* handle = nullptr;

  std::deque<operation> queue;  // the first is the one that runs
  completion_ptr last;          // of what was enqueued last
  std::condition_variable wake;
  bool has_thread = false;
  bool running = false;
  bool closed = false;  // destroyed: ends when its work is done
  bool held = false;
  int allowed = 0;  // operations that may start though it is held

  std::shared_ptr<struct capture> capture;
  std::vector<std::shared_ptr<node>> tips;  // what a captured operation comes after

  // The legacy stream orders itself with it.
  bool is_blocking() const {
    return kind != stream_kind::background && (flags & stream_non_blocking) == 0;
  }
};

constexpr int lowest_priority = 0;
constexpr int highest_priority = -5;

// What a handle of the client stands for: NULL, 1 and 2 too.
stream_ptr find_stream(const void* handle);
// The same for enqueuing, which takes a context that is current.
stream_ptr stream_to_use(const void* handle);

stream_ptr make_stream(const context_ptr& home, stream_kind kind, unsigned flags, int priority);
void* create_stream(unsigned flags, int priority);
void destroy_stream(const void* handle);
status query_stream(const stream_ptr& asked);
void synchronize_stream(const stream_ptr& asked);
// Drops what has not begun, waits for what has.
void abandon(const stream_ptr& dropped);

// Adds work to the queue, or to the capture that the stream is in.
void submit(const stream_ptr& to, std::function<void()> body);
// Adds work to the queue. Its text is the call of this thread.
completion_ptr enqueue(const stream_ptr& to, std::function<void()> body,
                       std::vector<completion_ptr> after = {});
// What is done when all of them is.
completion_ptr all_of(const std::vector<stream_ptr>& streams);

void mark_done(completion& what);
bool can_start(const stream& s);
bool is_stuck();  // no stream can go on by itself
// Blocks the calling thread, without the lock.
void wait_for(completion_ptr what);
bool is_idle(const stream& s);

}  // namespace doubles
