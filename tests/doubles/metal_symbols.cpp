// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software Metal as a library: the functions of Metal.framework and of the Objective-C runtime
// that anystream calls, and what tests do with it from Python (tests/python/metal_rig.py).
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "metal_messages.hpp"

using metal_double::now;
using metal_double::object;
using metal_double::word;

namespace {

// Two devices, from the start.
const bool begun = []() noexcept {
  metal_double::begin();
  for (int i = 0; i < 2; ++i) metal_double::make_device();
  return true;
}();

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED object* MTLCopyAllDevices() { return metal_double::copy_all_devices(); }
EXPORTED const std::string* sel_registerName(const char* name) {
  return metal_double::selector(name);
}
EXPORTED const char* object_getClassName(object* one) { return one->kind.c_str(); }
EXPORTED object* objc_retain(object* one) { return metal_double::objc_retain(one); }
EXPORTED void objc_release(object* one) { metal_double::objc_release(one); }
EXPORTED void* objc_autoreleasePoolPush() { return metal_double::push_pool(); }
EXPORTED void objc_autoreleasePoolPop(void* pool) { metal_double::pop_pool(pool); }
// As the real one it is called as if it were the method. All arguments are words, in the places
// where they are for any method with so many; those that a call has not got are not looked at.
EXPORTED word objc_msgSend(object* to, const std::string* what, word a, word b, word c, word d,
                           word e) {
  return metal_double::message(to, *what, {a, b, c, d, e});
}

// ---- for tests ----------------------------------------------------------------------------------

EXPORTED object* metal_double_queue(int device) {
  const metal_double::guard lock(now().lock);
  return metal_double::make_queue(now().devices.at(static_cast<std::size_t>(device)));
}

EXPORTED object* metal_double_buffer(int device, std::size_t length, unsigned long storage) {
  const metal_double::guard lock(now().lock);
  object* where = now().devices.at(static_cast<std::size_t>(device));
  return metal_double::make_buffer(where, length, storage);
}

EXPORTED void* metal_double_contents(object* buffer) { return buffer->bytes.data(); }

// Work of a user's, which sets all bytes of a buffer; encoded, and not committed.
EXPORTED object* metal_double_encode_fill(object* queue, object* buffer, int value) {
  const metal_double::guard lock(now().lock);
  return metal_double::encode(queue, "fill " + std::to_string(value), [buffer, value] {
    std::memset(buffer->bytes.data(), value, buffer->bytes.size());
  });
}
EXPORTED object* metal_double_encode_copy(object* queue, object* to, object* from) {
  const metal_double::guard lock(now().lock);
  return metal_double::encode(queue, "copy", [to, from] { to->bytes = from->bytes; });
}
EXPORTED void metal_double_commit(object* commands) {
  const metal_double::guard lock(now().lock);
  metal_double::commit(commands);
  metal_double::release(commands);
}

EXPORTED void metal_double_hold(object* queue, int held) { metal_double::hold(queue, held != 0); }
EXPORTED void metal_double_settle(object* queue) { metal_double::settle(queue); }
EXPORTED int metal_double_references(object* one) {
  const metal_double::guard lock(now().lock);
  return one->references;
}

// How many objects somebody still has a reference of.
EXPORTED long metal_double_alive() {
  const metal_double::guard lock(now().lock);
  return static_cast<long>(std::ranges::count_if(now().objects, metal_double::is_alive));
}
// Has the next call of a function or message fail, instead of what was to fail before; "" none.
EXPORTED void metal_double_fail(const char* name) {
  const metal_double::guard lock(now().lock);
  now().failing = {{name, 0}};
}

// The lines of what was done to Metal ("calls") or wrongly done ("misuses"), once.
EXPORTED void metal_double_take(const char* which, char* text, std::size_t room) {
  const metal_double::guard lock(now().lock);
  auto& all = std::strcmp(which, "misuses") == 0 ? now().misuses : now().calls;
  std::string joined;
  for (const std::string& each : all) joined += each + "\n";
  std::snprintf(text, room, "%s", joined.c_str());
  all.clear();
}
