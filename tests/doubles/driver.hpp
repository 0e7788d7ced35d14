// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// All that a driver knows, under one lock; and what it knows of each thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory.hpp"
#include "registry.hpp"
#include "status.hpp"

namespace doubles {

struct capture;
struct context;
struct event;
struct executable;
struct graph;
struct pool;
struct stream;
using context_ptr = std::shared_ptr<context>;
using stream_ptr = std::shared_ptr<stream>;

struct device {
  void* primary = nullptr;  // its context's handle, the same for ever
  std::shared_ptr<pool> default_pool;
  std::shared_ptr<pool> current_pool;
};

struct gates {
  bool hold_new = false;
  bool release_on_wait = false;
  bool require_context = true;
  int delay_ms = 0;
  int delayed = 0;  // so many operations to come are delayed
};

struct driver {
  std::mutex mutex;
  std::condition_variable changed;  // an operation is done, or a stream cannot go on

  bool initialised = false;
  unsigned epoch = 1;  // reset adds one: what a thread knew of before is void
  int wanted_devices = 2;
  std::uint64_t last_id = 0;  // of streams, contexts, captures: never given twice

  std::vector<device> devices;
  registry<context> contexts;
  registry<stream> streams;  // made by the client
  registry<event> events;
  registry<pool> pools;
  registry<graph> graphs;
  registry<executable> executables;
  std::vector<stream_ptr> working;  // every stream that may have work, destroyed ones too
  std::vector<std::shared_ptr<capture>> captures;             // that have not ended
  std::map<memory_kind, std::shared_ptr<pool>> shared_pools;  // pinned and managed: no device's
  stream_ptr background;  // frees memory once what uses it is done
  memory_table memory;
  gates gate;

  std::uint64_t next_id() { return ++last_id; }
};

// Made on first use, and never destroyed: streams run to the end of the process.
driver& the_driver();

enum class capture_mode : int { global = 0, thread_local_ = 1, relaxed = 2 };

struct thread_state {
  unsigned epoch = 0;
  std::uint64_t id = 0;
  std::vector<void*> contexts;  // handles; the last is the current one
  int device = 0;               // HIP's current device
  int last_error = 0;           // HIP's
  capture_mode mode = capture_mode::global;
  bool per_thread = false;  // in this call a null stream is the thread's
  bool is_worker = false;   // a stream's thread: host functions may not call the driver
  std::string call;         // the one that it is in, as the log has it
  const char* entry = "";
  std::unique_lock<std::mutex>* lock = nullptr;
};

thread_state& this_thread();

// Makes the devices; by the first call of a client.
void initialise();

// The same, in a process made by fork: nothing can be used there.
bool is_forked();

}  // namespace doubles
