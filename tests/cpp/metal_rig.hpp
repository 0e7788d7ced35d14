// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Metal backend on the software Metal, called as objc_msgSend is: one function a signature.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <anystream/error.hpp>

#include "backends/backends.hpp"
#include "backends/metal.hpp"
#include "check.hpp"
#include "doubles/metal_messages.hpp"
#include "event.hpp"
#include "order.hpp"
#include "stream.hpp"

namespace metal_rig {

using namespace anystream;
using namespace anystream::core;
using metal_double::now;
using metal_double::object;
using lines = std::vector<std::string>;

inline object* in(metal_object handle) { return reinterpret_cast<object*>(handle); }
inline metal_object out(object* one) { return reinterpret_cast<metal_object>(one); }
inline const std::string& text(metal_selector name) {
  return *reinterpret_cast<const std::string*>(name);
}

// A message as objc_msgSend delivers it, whatever its signature.
template <class Result, class... Arguments>
Result deliver(metal_object to, metal_selector what, Arguments... given) {
  metal_double::words arguments{};
  [[maybe_unused]] std::size_t count = 0;
  [[maybe_unused]] const auto put = [&](auto one) {
    if constexpr (std::is_pointer_v<decltype(one)>) {
      arguments.at(count++) = reinterpret_cast<metal_double::word>(one);
    } else {
      arguments.at(count++) = one;
    }
  };
  (put(given), ...);
  const metal_double::word answer = metal_double::message(in(to), text(what), arguments);
  if constexpr (std::is_pointer_v<Result>) {
    return reinterpret_cast<Result>(answer);
  } else {
    return static_cast<Result>(answer);
  }
}

inline metal_driver make_driver() {
  return {
      .all_devices = [] { return out(metal_double::copy_all_devices()); },
      .selector = [](const char* name) -> metal_selector {
        return reinterpret_cast<metal_selector>(
            const_cast<std::string*>(metal_double::selector(name)));
      },
      .class_name = [](metal_object one) { return in(one)->kind.c_str(); },
      .retain = [](metal_object one) { return out(metal_double::objc_retain(in(one))); },
      .release = [](metal_object one) { metal_double::objc_release(in(one)); },
      .push_pool = metal_double::push_pool,
      .pop_pool = metal_double::pop_pool,
      .send = deliver<void>,
      .send_for_object = deliver<metal_object>,
      .send_for_element = deliver<metal_object>,
      .send_for_memory = deliver<metal_object>,
      .send_for_integer = deliver<metal_integer>,
      .send_for_number = deliver<std::uint64_t>,
      .send_for_bool = deliver<metal_bool>,
      .send_responds = deliver<metal_bool>,
      .send_for_address = deliver<void*>,
      .send_event = deliver<void>,
      .send_copy = deliver<void>,
  };
}

inline std::string text_of(const lines& all) {
  std::string text;
  for (const std::string& each : all) text += "\n    " + each;
  return text;
}

inline void check_lines(const lines& got, const lines& wanted,
                        const std::source_location& where = std::source_location::current()) {
  check::equal(text_of(got), text_of(wanted), "what was done", where);
}

// The references to everything, of which each test has those that it made.
inline long references() {
  const metal_double::guard lock(now().lock);
  long all = 0;
  for (const object& each : now().objects) all += each.references;
  return all;
}

// A backend on a software Metal with two devices; at its end nothing is left and nothing was
// misused.
class bench {
 public:
  bench() {
    metal_double::begin();
    for (int i = 0; i < 2; ++i) metal_double::make_device();
    backend_ = metal_backend_on(driver_);
    platform_.engine = backend_.get();
  }
  ~bench() { end(); }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  const backend& engine() const { return *backend_; }
  const core::platform& platform() const { return platform_; }
  object* device(std::size_t number) const { return now().devices.at(number); }

  object* queue(std::size_t device_number = 0) {
    return mine(metal_double::make_queue(device(device_number)));
  }
  object* buffer(std::size_t length, unsigned long storage = 0) {
    return mine(metal_double::make_buffer(device(0), length, storage));
  }
  object* mine(object* made) { return made_.emplace_back(made); }

  stream_ref stream(object* of) const { return make_stream(platform_, {kDLMetal, 0}, of, {}); }

 private:
  void end() {
    empty_event_pool();
    platform_.engine = nullptr;
    backend_.reset();
    for (object* each : made_) metal_double::let_go(each);
    for (object* each : made_) {
      if (each->kind == "queue") metal_double::settle(each);
    }
    for (object* each : made_) metal_double::objc_release(each);
    for (object* each : now().devices) metal_double::objc_release(each);
    metal_double::end();
    lines left;
    for (const object& each : now().objects) {
      if (each.references != 0) left.push_back(each.name + ": " + std::to_string(each.references));
    }
    check::equal(text_of(left), std::string(), "nothing is left");
    check::equal(text_of(now().misuses), std::string(), "nothing was misused");
    metal_double::slot().reset();
  }

  metal_driver driver_ = make_driver();
  std::unique_ptr<backend> backend_;
  std::vector<object*> made_;
  core::platform platform_{device_type::metal, "metal", &find_device(device_type::metal)->rules,
                           nullptr};
};

// What the action does to Metal.
inline lines calls_of(const std::function<void()>& action) {
  {
    const metal_double::guard lock(now().lock);
    now().calls.clear();
  }
  action();
  const metal_double::guard lock(now().lock);
  return now().calls;
}

inline lines done() {
  const metal_double::guard lock(now().lock);
  return now().done;
}

}  // namespace metal_rig
