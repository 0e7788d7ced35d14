// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A platform registered through the C table, as a library outside does it: its streams are queues
// of steps that run when the test lets them. Nothing is ordered by time.
#pragma once

#include <anystream/c_api.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "check.hpp"

namespace registered_rig {

inline const anystream_api& core() {
  return *anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR);
}

inline std::string message() {
  anystream_error error;
  core().last_error(&error);
  return error.message;
}

inline void ok(anystream_status status) {
  CHECK_EQUAL(status, ANYSTREAM_OK);
  if (status != ANYSTREAM_OK) check::fail(message(), std::source_location::current());
}

inline bool says(const char* words) { return message().find(words) != std::string::npos; }

// ---- the platform -------------------------------------------------------------------------------

struct mark {
  std::atomic<bool> reached = false;  // the thread of releases asks, too
};

struct queue {
  int device = 0;
  bool in_order = true;
  std::atomic<int> uses = 0;                // of the core's
  std::deque<std::function<bool()>> steps;  // false: not yet

  // As far as it goes.
  void run() {
    while (!steps.empty() && steps.front()()) steps.pop_front();
  }
};

// What the callbacks did, and what they are to do.
inline struct machine {
  std::atomic<int> events = 0, orders = 0, memory = 0;
  std::atomic<const char*> failing = "";
  std::atomic<anystream_status> status = ANYSTREAM_DRIVER_ERROR;
} now;

using fault_at = anystream_fault*;

inline anystream_status answer(const char* callback, fault_at fault) {
  if (std::string_view(callback) != now.failing.load()) return ANYSTREAM_OK;
  fault->code = -7;
  std::strcpy(fault->code_name, "LAB_BROKEN");
  std::strcpy(fault->message, "it is broken");
  return now.status;
}

inline queue& at(void* stream) { return *static_cast<queue*>(stream); }
using mark_ref = std::shared_ptr<mark>;
inline mark_ref& event_at(void* event) { return *static_cast<mark_ref*>(event); }

inline anystream_status retain(void*, DLDevice, void* stream, void** kept, fault_at fault) {
  ++at(stream).uses;
  *kept = stream;
  const anystream_status status = answer("retain", fault);
  if (status != ANYSTREAM_OK) --at(stream).uses;
  return status;
}
inline void release(void*, void* stream) { --at(stream).uses; }

inline anystream_status device_of(void*, void* stream, std::int32_t* id, fault_at fault) {
  *id = at(stream).device;
  return answer("device_of", fault);
}

inline anystream_status in_order(void*, void* stream, std::int32_t* out, fault_at fault) {
  *out = at(stream).in_order ? 1 : 0;
  return answer("in_order", fault);
}

inline anystream_status record(void*, void* stream, void** event, fault_at fault) {
  const anystream_status status = answer("record", fault);
  if (status != ANYSTREAM_OK) return status;
  const auto made = std::make_shared<mark>();
  at(stream).steps.emplace_back([made] { return made->reached = true; });
  at(stream).run();
  *event = new mark_ref(made);
  ++now.events;
  return ANYSTREAM_OK;
}

inline anystream_status wait(void*, void* stream, void* event, fault_at fault) {
  at(stream).steps.emplace_back([made = event_at(event)] { return made->reached.load(); });
  return answer("wait", fault);
}

inline anystream_status complete(void*, void* event, std::int32_t* out, fault_at fault) {
  *out = event_at(event)->reached ? 1 : 0;
  return answer("complete", fault);
}

inline void destroy(void*, void* event) {
  delete static_cast<mark_ref*>(event);
  --now.events;
}

inline anystream_status order(void*, void*, void*, fault_at fault) {
  ++now.orders;
  return answer("order", fault);
}

inline anystream_status copy(void*, void* stream, const anystream_location* target,
                             const anystream_location* source, std::size_t bytes, fault_at fault) {
  at(stream).steps.emplace_back([to = *target, from = *source, bytes] {
    std::memcpy(static_cast<char*>(to.data) + to.offset,
                static_cast<char*>(from.data) + from.offset, bytes);
    return true;
  });
  at(stream).run();
  return answer("copy", fault);
}

inline anystream_status allocate(void*, DLDevice, std::size_t bytes, void*, void** memory,
                                 fault_at fault) {
  *memory = std::malloc(bytes);
  ++now.memory;
  return answer("allocate", fault);
}

inline void deallocate(void*, DLDevice, void* memory, void*) {
  std::free(memory);
  --now.memory;
}

inline anystream_platform bare(std::int32_t type, const char* name) {
  anystream_platform out{};
  out.size = sizeof out;
  out.device_type = type;
  out.name = name;
  return out;
}

inline anystream_platform whole(std::int32_t type, const char* name) {
  anystream_platform out = bare(type, name);
  out.takes = "a lab.Queue";
  out.capsules = "lab_queue";
  out.context = &now;
  out.retain = retain;
  out.release = release;
  out.device_of = device_of;
  out.in_order = in_order;
  out.record = record;
  out.wait = wait;
  out.complete = complete;
  out.destroy = destroy;
  out.copy = copy;
  out.allocate = allocate;
  out.deallocate = deallocate;
  return out;
}

inline anystream_status add(const anystream_platform& platform) {
  return core().platform_register(&platform, {nullptr, nullptr});
}

struct stream_of {
  stream_of(DLDevice device, const char* platform, queue& theirs) {
    ok(core().stream_from_handle(device, platform, reinterpret_cast<std::uintptr_t>(&theirs),
                                 {nullptr, nullptr}, &raw));
  }
  stream_of(const stream_of&) = delete;
  stream_of& operator=(const stream_of&) = delete;
  ~stream_of() { core().stream_release(raw); }

  anystream_stream* raw = nullptr;
};

inline constexpr DLDevice vulkan{kDLVulkan, 0};

}  // namespace registered_rig
