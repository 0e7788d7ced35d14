// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The control interface over the driver and its log.
#include "control.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>

#include "call.hpp"
#include "capture.hpp"
#include "context.hpp"
#include "event.hpp"
#include "stream.hpp"

namespace {

using doubles::driver;
using doubles::stream_ptr;
using doubles::the_driver;

// The lock, held as a call of the driver holds it.
class inside {
 public:
  inside() : lock_(the_driver().mutex), before_(doubles::this_thread().lock) {
    doubles::this_thread().lock = &lock_;
  }
  ~inside() { doubles::this_thread().lock = before_; }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;

  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
  std::unique_lock<std::mutex>* before_;
};

std::size_t write(const std::string& text, char* to, std::size_t size) {
  if (to != nullptr && size != 0) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
  }
  return text.size() + 1;
}

// Destroyed streams too, while they have work; the newest of a handle.
stream_ptr find_any(const void* handle) {
  try {
    return doubles::find_stream(handle);
  } catch (const doubles::failure&) {
    const auto& working = the_driver().working;
    const auto found = std::find_if(working.rbegin(), working.rend(),
                                    [&](const stream_ptr& s) { return s->handle == handle; });
    return handle == nullptr || found == working.rend() ? nullptr : *found;
  }
}

int set_gate(const void* handle, bool held, int allowed) {
  const inside here;
  const stream_ptr s = find_any(handle);
  if (!s) return 0;
  s->held = held;
  s->allowed = allowed;
  s->wake.notify_one();
  return 1;
}

void release_every_stream() {
  for (const stream_ptr& s : the_driver().working) {
    s->held = false;
    s->wake.notify_one();
  }
}

bool is_listed(std::string_view line, std::string_view names) {
  if (names.empty()) return true;
  const std::string_view name = line.substr(0, line.find('('));
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

long long alive_contexts(const driver& all) {
  return std::ranges::count_if(all.contexts.all(), [](const auto& entry) {
    const doubles::context& each = *entry.second;
    return each.alive && (!each.primary || each.users > 0);
  });
}

long long made_pools(const driver& all) {
  return std::ranges::count_if(all.pools.all(), [&](const auto& entry) {
    const bool shared = std::ranges::any_of(
        all.shared_pools, [&](const auto& each) { return each.second == entry.second; });
    return !shared && std::ranges::none_of(all.devices, [&](const doubles::device& each) {
      return each.default_pool == entry.second;
    });
  });
}

long long count_of(std::string_view kind) {
  const driver& all = the_driver();
  if (kind == "streams") return static_cast<long long>(all.streams.size());
  if (kind == "events") return static_cast<long long>(all.events.size());
  if (kind == "contexts") return alive_contexts(all);
  if (kind == "allocations") return static_cast<long long>(all.memory.live.size());
  if (kind == "bytes") return static_cast<long long>(doubles::live_bytes(nullptr));
  if (kind == "pools") return made_pools(all);
  if (kind == "graphs") return static_cast<long long>(all.graphs.size());
  if (kind == "executables") return static_cast<long long>(all.executables.size());
  return -1;
}

void clear_orders() {
  for (auto& [name, entry] : doubles::the_log().entries) entry.fail_times = 0;
  doubles::the_log().failed = 0;
}

void clear_calls() {
  for (auto& [name, entry] : doubles::the_log().entries) entry.calls = 0;
}

void clear_lines() {
  doubles::call_log& log = doubles::the_log();
  log.dropped += log.lines.size();  // a call in progress must not write another's line
  log.lines.clear();
}

void drop_objects(driver& all) {
  doubles::free_all_memory();
  doubles::end_all_captures();  // they and their streams know each other
  const auto any = [](const auto&) { return true; };
  all.streams.erase_if(any);
  all.events.erase_if(any);
  all.contexts.erase_if(any);
  all.pools.erase_if(any);
  all.graphs.erase_if(any);
  all.executables.erase_if(any);
  all.shared_pools.clear();
  all.devices.clear();
  all.background.reset();
}

}  // namespace

extern "C" {

DOUBLE_EXPORT void double_reset(void) {
  const inside here;
  driver& all = the_driver();
  const std::vector<stream_ptr> working = all.working;
  for (const stream_ptr& s : working) doubles::abandon(s);
  for (const auto& [handle, context] : all.contexts.all()) doubles::forget_streams(*context);
  drop_objects(all);
  all.gate = {};
  all.initialised = false;
  ++all.epoch;
  clear_orders();
  clear_calls();
  clear_lines();
  doubles::the_log().on = true;
}

DOUBLE_EXPORT void double_set_devices(int count) {
  const inside here;
  the_driver().wanted_devices = count;
}

DOUBLE_EXPORT int double_hold(void* stream) { return set_gate(stream, true, 0); }

DOUBLE_EXPORT int double_release(void* stream) { return set_gate(stream, false, 0); }

DOUBLE_EXPORT int double_step(void* stream, int operations) {
  return set_gate(stream, true, operations);
}

DOUBLE_EXPORT void double_hold_new_streams(int on) {
  const inside here;
  the_driver().gate.hold_new = on != 0;
}

DOUBLE_EXPORT void double_release_all(void) {
  const inside here;
  the_driver().gate.hold_new = false;
  release_every_stream();
}

DOUBLE_EXPORT void double_release_on_wait(int on) {
  const inside here;
  the_driver().gate.release_on_wait = on != 0;
}

DOUBLE_EXPORT void double_require_context(int on) {
  const inside here;
  the_driver().gate.require_context = on != 0;
}

DOUBLE_EXPORT int double_settle(int timeout_ms) {
  inside here;
  return the_driver().changed.wait_for(here.lock(), std::chrono::milliseconds(timeout_ms),
                                       doubles::is_stuck)
             ? 1
             : 0;
}

DOUBLE_EXPORT int double_pending(void* stream, char* text, size_t size) {
  const inside here;
  const stream_ptr s = find_any(stream);
  if (!s) return -1;
  std::string lines;
  for (const doubles::operation& each : s->queue) lines += each.text + "\n";
  write(lines, text, size);
  return static_cast<int>(s->queue.size());
}

DOUBLE_EXPORT void double_delay(int milliseconds, int operations) {
  const inside here;
  the_driver().gate.delay_ms = milliseconds;
  the_driver().gate.delayed = operations;
}

DOUBLE_EXPORT void double_log(int on) {
  const inside here;
  doubles::the_log().on = on != 0;
}

DOUBLE_EXPORT void double_log_clear(void) {
  const inside here;
  clear_lines();
}

DOUBLE_EXPORT size_t double_log_read(const char* names, char* text, size_t size) {
  const inside here;
  std::string lines;
  for (const std::string& line : doubles::the_log().lines) {
    if (is_listed(line, names == nullptr ? "" : names)) lines += line + "\n";
  }
  return write(lines, text, size);
}

DOUBLE_EXPORT unsigned long long double_calls(const char* entry) {
  const inside here;
  if (entry != nullptr) {
    const doubles::entry* found = doubles::find_entry(entry);
    return found == nullptr ? 0 : found->calls;
  }
  unsigned long long sum = 0;
  for (const auto& [name, each] : doubles::the_log().entries) sum += each.calls;
  return sum;
}

DOUBLE_EXPORT void double_calls_clear(void) {
  const inside here;
  clear_calls();
}

DOUBLE_EXPORT size_t double_entries(char* text, size_t size) {
  const inside here;
  std::string lines;
  for (const auto& [name, each] : doubles::the_log().entries) lines += name + "\n";
  return write(lines, text, size);
}

DOUBLE_EXPORT int double_fail(const char* entry, int code, int after, int times) {
  const inside here;
  doubles::entry* found = entry == nullptr ? nullptr : doubles::find_entry(entry);
  if (found == nullptr) return 0;
  found->fail_code = code;
  found->fail_after = after;
  found->fail_times = times;
  return 1;
}

DOUBLE_EXPORT void double_fail_clear(void) {
  const inside here;
  clear_orders();
}

DOUBLE_EXPORT unsigned long long double_failed(void) {
  const inside here;
  return doubles::the_log().failed;
}

DOUBLE_EXPORT long long double_live(const char* kind) {
  const inside here;
  return kind == nullptr ? -1 : count_of(kind);
}

DOUBLE_EXPORT unsigned long long double_written_after_free(void) {
  const inside here;
  return doubles::written_after_free();
}

}  // extern "C"
