// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the Metal backend share: sending messages, owning objects, and what a queue's
// events are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <anystream/error.hpp>

#include "driver/metal.hpp"

namespace anystream::core {

// A driver with the names of the messages looked up.
struct metal_runtime {
  explicit metal_runtime(const metal_driver& there);

  const metal_driver& driver;
#define ANYSTREAM_METAL_SELECTOR(name, text) metal_selector name;
  ANYSTREAM_METAL_MESSAGES(ANYSTREAM_METAL_SELECTOR)
#undef ANYSTREAM_METAL_SELECTOR

  void send(metal_object to, metal_selector what) const { driver.send(to, what); }
  metal_object get(metal_object from, metal_selector what) const {
    return driver.send_for_object(from, what);
  }
  metal_integer integer(metal_object from, metal_selector what) const {
    return driver.send_for_integer(from, what);
  }
};

// Every call of ours into Metal happens within one: what it gives without giving it away is
// released at the end, also in threads that have no pool of their own.
class metal_pool {
 public:
  explicit metal_pool(const metal_runtime& runtime)
      : driver_(runtime.driver), pool_(driver_.push_pool()) {}
  ~metal_pool() { driver_.pop_pool(pool_); }
  metal_pool(const metal_pool&) = delete;
  metal_pool& operator=(const metal_pool&) = delete;

 private:
  const metal_driver& driver_;
  void* pool_;
};

struct metal_release {
  const metal_driver* driver = nullptr;
  void operator()(metal_object object) const noexcept { driver->release(object); }
};
using metal_owned = std::unique_ptr<metal_object_of_any_class, metal_release>;

// Of an object that is the caller's to release; of one that lives as long as its pool.
inline metal_owned adopt(const metal_runtime& runtime, metal_object given) {
  return {given, {&runtime.driver}};
}
inline metal_owned keep(const metal_runtime& runtime, metal_object borrowed) {
  return adopt(runtime, runtime.driver.retain(borrowed));
}

[[noreturn]] inline void fail_in_metal(const char* message, const std::string& what) {
  throw driver_error(message, 0, "nil",
                     std::string(message) + " failed: " + what +
                         ".\n  Metal gave nil, and keeps the reason to itself; run with "
                         "MTL_DEBUG_LAYER=1 to have it check its use.");
}

inline metal_object given(metal_object object, const char* message, const char* what) {
  if (object == nullptr) fail_in_metal(message, what);
  return object;
}

metal_object new_commands(const metal_runtime& runtime, metal_object queue);
std::string text_of(const metal_runtime& runtime, metal_object text);
// Throws driver_error with what Metal says, where the commands have failed.
void check_commands(const metal_runtime& runtime, metal_object commands);

// A queue's shared event. Values are given out, encoded and committed under one lock, and a queue
// signals in the order of commits: so they grow, and a value that is reached means that all of the
// queue's work before it has ended.
class metal_timeline {
 public:
  metal_timeline(const metal_runtime& runtime, metal_object queue);

  // Commits the commands, which must be of the queue, with a signal at their end. Its value.
  std::uint64_t commit(metal_object commands);
  bool has_reached(std::uint64_t value) const;
  metal_object event() const noexcept { return event_.get(); }

 private:
  const metal_runtime& runtime_;
  metal_owned event_;
  std::mutex in_order_;
  std::uint64_t last_ = 0;
};

// What event handles point to.
struct metal_event {
  std::shared_ptr<metal_timeline> line;
  metal_owned commands;  // those that signal: they tell of failures
  std::uint64_t value = 0;
};

}  // namespace anystream::core
