// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A CUDA and a HIP driver that record what they are asked, fail where they are told to, and know
// what is alive. What a real one would crash on, or a capture would be broken by, is noted.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cuda_like_calls.hpp"
#include "driver/cuda.hpp"
#include "driver/hip.hpp"

namespace recording {

namespace core = anystream::core;

// Every handle is a number that tells its name: "s3", "e1". A place is a context, or, of HIP, what
// stands for a device: c1 is device 0's.
using number = std::uintptr_t;
constexpr number contexts = 0xC0000, streams = 0x50000, events = 0xE0000, blocks = 0xA0000;

enum answer : int {
  success = 0,
  invalid_value = 1,
  not_initialized = 3,
  invalid_context = 201,
  invalid_handle = 400,
  not_ready = 600,
  context_is_destroyed = 709,
  not_supported = 801,
  capture_unsupported = 900,
  capture_implicit = 906,
};
enum capture : int { not_captured, captured, capture_invalid };

struct context {
  int device = 0;
  std::uint64_t id = 0;
};
struct stream {
  number where = 0;  // 0: of whatever is current
  std::uint64_t id = 0;
  int capture = not_captured;
  std::uint64_t capture_id = 0;
  bool busy = false;
};
struct event {
  number where = 0;
  std::uint64_t context_id = 0;
  std::uint64_t captured_in = 0;
  bool ready = true;
};
struct attributes {
  int type = 0;
  int managed = 0;
  int device = 0;
};

// A question that changes nothing, or work.
enum class kind : std::uint8_t { work, question };
struct call {
  std::string text;
  kind what;
};

// What a test sees and sets. One at a time: a driver's functions carry no context.
struct state {
  std::vector<call> calls;
  std::vector<std::string> misuses;
  std::map<std::string, int> failing;  // the code that a function gives; it then does nothing
  std::map<number, recording::context> contexts;
  std::map<number, recording::stream> streams;
  std::map<number, recording::event> events;
  std::map<number, std::string> memory;  // and what frees it
  std::map<const void*, attributes> pointers;
  number first_current = 0;  // in a thread that has chosen none
  std::map<std::thread::id, number> current;
  std::map<std::thread::id, int> mode;  // of captures; 0, "global", at first
  std::map<number, int> made;           // for names
  std::uint64_t ids = 0;
  bool initialized = false;
  bool has_pools = true;
  bool legacy_is_implicit = false;  // beside a capture
  bool holds_synchronize = false;   // of contexts and devices
  std::vector<int> synchronize_answers;
};

struct machine {
  std::recursive_mutex mutex;  // guards the state
  std::condition_variable_any changed;
  recording::state state;
};
inline machine& only() {
  static machine made;
  return made;
}
// For tests while no other thread calls the driver.
inline state& now() { return only().state; }

// ---- names --------------------------------------------------------------------------------------

inline std::string name(number handle) {
  static const std::map<number, std::string> letters = {
      {contexts, "c"}, {streams, "s"}, {events, "e"}, {blocks, "m"}};
  const auto letter = letters.find(handle & ~number{0xFFFF});
  return letter == letters.end() ? std::to_string(handle)
                                 : letter->second + std::to_string(handle & 0xFFFF);
}

template <class T>
number number_of(T* handle) {
  return reinterpret_cast<number>(handle);
}
inline number number_of(std::size_t value) { return value; }
inline number place_of_device(int device) { return contexts + static_cast<number>(device) + 1; }

template <class... Handles>
std::string names(Handles... handles) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + name(number_of(handles))), ...);
  return all;
}

inline number new_number(number base) { return base + static_cast<number>(++now().made[base]); }

// ---- what tests make ----------------------------------------------------------------------------

inline number make_context(int device) {
  const number made = new_number(contexts);
  now().contexts[made] = {device, ++now().ids};
  return made;
}
inline void forget_context(number which) {
  std::erase_if(now().streams, [&](const auto& each) { return each.second.where == which; });
  std::erase_if(now().events, [&](const auto& each) { return each.second.where == which; });
}
// Another context at the address of this one, with none of its streams and events.
inline void reset_context(number which) {
  now().contexts.at(which).id = ++now().ids;
  forget_context(which);
}
inline void destroy_context(number which) {
  now().contexts.erase(which);
  forget_context(which);
}

inline number make_stream(number where = place_of_device(0)) {
  const number made = new_number(streams);
  now().streams[made] = {where, ++now().ids};
  return made;
}
// Destroyed; then another one is made, which happens to get the same handle.
inline void reuse(number handle) {
  const number where = now().streams.at(handle).where;
  now().streams[handle] = {where, ++now().ids};
}
inline void begin_capture(number handle, std::uint64_t id, capture how = captured) {
  now().streams.at(handle).capture = how;
  now().streams.at(handle).capture_id = id;
}
inline void end_capture(std::uint64_t id) {
  for (auto& [handle, each] : now().streams) {
    if (each.capture_id == id) each.capture = not_captured, each.capture_id = 0;
  }
}

inline void release_synchronize() {
  const std::scoped_lock lock(only().mutex);
  now().holds_synchronize = false;
  only().changed.notify_all();
}

// ---- rules of a real driver ---------------------------------------------------------------------

inline int misused(const std::string& what, int code) {
  now().misuses.push_back(now().calls.back().text + ": " + what);
  return code;
}

inline number& current_here() {
  return now().current.try_emplace(std::this_thread::get_id(), now().first_current).first->second;
}
inline int& mode_here() { return now().mode[std::this_thread::get_id()]; }

inline const context* context_at(number where) {
  const auto found = now().contexts.find(where);
  return found == now().contexts.end() ? nullptr : &found->second;
}
inline number where_of(const stream& on) { return on.where != 0 ? on.where : current_here(); }

// With the stream, where the driver would take it.
inline int on_stream(number handle, const std::function<int(stream&)>& body) {
  const auto found = now().streams.find(handle);
  if (found == now().streams.end()) return misused("no such stream", invalid_handle);
  const bool there = now().contexts.contains(where_of(found->second));
  return there ? body(found->second) : misused("no current context", invalid_context);
}
inline int on_event(number handle, const std::function<int(event&)>& body) {
  const auto found = now().events.find(handle);
  if (found == now().events.end()) return misused("no such event", invalid_handle);
  const context* where = context_at(found->second.where);
  const bool there = where != nullptr && where->id == found->second.context_id;
  return there ? body(found->second) : misused("its context is gone", context_is_destroyed);
}
inline int in_context(const std::function<int(number)>& body) {
  const bool there = now().contexts.contains(current_here());
  return there ? body(current_here()) : misused("no current context", invalid_context);
}
// By which captures of other threads are broken, unless this one is in the relaxed mode.
inline int unsafe(int result) {
  return mode_here() == 2 ? result : misused("not in the relaxed mode", capture_unsupported);
}

inline int record(event& made, stream& on) {
  if (made.where != where_of(on)) return misused("of another context", invalid_handle);
  if (on.capture == capture_invalid) return misused("in an invalid capture", 901);
  if (&on == &now().streams.at(0) && now().legacy_is_implicit) {
    return misused("breaks a capture", capture_implicit);
  }
  made.captured_in = on.capture == captured ? on.capture_id : 0;
  made.ready = !on.busy;
  return success;
}
// A stream that waits for a captured event becomes part of its capture.
inline int wait(stream& on, const event& awaited) {
  const std::uint64_t mine = on.capture == captured ? on.capture_id : 0;
  if (mine == awaited.captured_in) return success;
  if (mine != 0 || on.where == 0) return misused("breaks a capture", 904);
  on.capture = captured;
  on.capture_id = awaited.captured_in;
  return success;
}
inline int ask(const stream& on) {
  if (on.capture != not_captured) return misused("is being captured", capture_unsupported);
  return unsafe(on.busy ? not_ready : success);
}
inline int ask(const event& asked) {
  if (asked.captured_in != 0) return misused("was captured", 907);
  return unsafe(asked.ready ? success : not_ready);
}

inline int allocate(void** memory, const std::string& freed_by) {
  const number made = new_number(blocks);
  now().memory[made] = freed_by;
  *memory = reinterpret_cast<void*>(made);
  return success;
}
inline int free(void* memory, const std::string& by) {
  const auto found = now().memory.find(number_of(memory));
  if (found == now().memory.end()) return misused("no such memory", invalid_value);
  // What came from a pool may be freed either way.
  const bool right = found->second == by || (found->second == "async" && by == "free");
  if (!right) return misused("by the wrong function", invalid_value);
  now().memory.erase(found);
  return success;
}

}  // namespace recording
