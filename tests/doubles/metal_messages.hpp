// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A software Metal: what its objects do when they are sent a message. Arguments and answers are
// words, as they are in the registers of a real call.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <set>
#include <string>

#include "metal_objects.hpp"

namespace metal_double {

using word = std::uint64_t;
using words = std::array<word, 5>;

inline object* object_at(word argument) { return reinterpret_cast<object*>(argument); }
inline word word_of(const void* pointer) { return reinterpret_cast<word>(pointer); }

// Selectors are compared by address, so that there is one for each name.
inline const std::string* selector(const char* name) {
  static auto* const all = new std::set<std::string>;
  static auto* const lock = new std::mutex;
  const std::scoped_lock here(*lock);
  return &*all->insert(name).first;
}

// ---- each class's answers -----------------------------------------------------------------------

inline object* temporary(const std::string& kind, const std::string& text, word number = 0) {
  object* made = make(kind, "t");
  made->text = text;
  made->number = number;
  return autorelease(made);
}

inline word to_device(object* device, const std::string& what, const words& given) {
  if (what == "registryID") return device->number;
  if (what == "hasUnifiedMemory") return device->unified ? 1 : 0;
  if (what == "name") return word_of(temporary("text", device->text));
  if (what == "newCommandQueue") {
    object* made = make_queue(device);
    note(made->name + " = " + device->name + " newCommandQueue");
    return word_of(made);
  }
  if (what == "newSharedEvent") {
    object* made = make("event", "e", device);
    note(made->name + " = " + device->name + " newSharedEvent");
    return word_of(made);
  }
  if (what == "newBufferWithLength:options:") {
    object* made = make_buffer(device, given[0], given[1] >> 4);
    note(made->name + " = " + device->name + " newBuffer " + std::to_string(given[0]) +
         (made->storage == 0 ? " shared" : " private"));
    return word_of(made);
  }
  misuse(device->name + " does not know " + what);
  return 0;
}

inline word to_queue(object* queue, const std::string& what, const words& given) {
  if (what == "device") return word_of(queue->owner);
  if (what == "respondsToSelector:") {
    return *reinterpret_cast<const std::string*>(given[0]) == "commandBuffer" ? 1 : 0;
  }
  if (what == "commandBuffer") {
    object* made = make("commands", "b", queue);
    note(made->name + " = " + queue->name + " commandBuffer");
    return word_of(autorelease(made));
  }
  misuse(queue->name + " does not know " + what);
  return 0;
}

inline void uses(object* commands, object* used) {
  retain(used);
  commands->members.push_back(used);
}

inline void encode_event(object* commands, bool signals, object* event, word value) {
  const std::string text =
      (signals ? " signal " : " wait ") + event->name + " " + std::to_string(value);
  note(commands->name + text);
  if (commands->open) misuse(commands->name + " has an encoder that has not ended");
  uses(commands, event);
  step next;
  if (signals) {
    next.run = [event, value] {
      if (value <= event->number) misuse(event->name + " goes back to " + std::to_string(value));
      event->number = std::max(event->number, value);
    };
  } else {
    next.ready = [event, value] { return event->number >= value; };
  }
  commands->steps.push_back(std::move(next));
}

inline word to_commands(object* commands, const std::string& what, const words& given,
                        guard& lock) {
  if (what == "status") return commands->status;
  if (what == "error") {
    return commands->fails ? word_of(temporary("error", "the GPU has hung", 9)) : 0;
  }
  if (what == "encodeSignalEvent:value:" || what == "encodeWaitForEvent:value:") {
    encode_event(commands, what[6] == 'S', object_at(given[0]), given[1]);
    if (!now().slow_signals || what[6] != 'S') return 0;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return 0;
  }
  if (what == "blitCommandEncoder") {
    object* made = make("encoder", "c", commands);
    commands->open = true;
    return word_of(autorelease(made));
  }
  note(commands->name + " " + what);
  if (what == "commit") return commit(commands), 0;
  if (what == "waitUntilCompleted") return wait_until_completed(commands, lock), 0;
  misuse(commands->name + " does not know " + what);
  return 0;
}

inline void encode_copy(object* commands, const words& given) {
  object* const from = object_at(given[0]);
  object* const to = object_at(given[2]);
  const word first = given[1], there = given[3], size = given[4];
  note(commands->name + " copy " + from->name + "+" + std::to_string(first) + " to " + to->name +
       "+" + std::to_string(there) + ", " + std::to_string(size));
  if ((first | there | size) % 4 != 0) misuse("a copy of no whole words");
  const bool fits = first + size <= from->bytes.size() && there + size <= to->bytes.size();
  if (!fits) return misuse("a copy over the end of a buffer");
  uses(commands, from);
  uses(commands, to);
  const auto run = [=] { std::memcpy(to->bytes.data() + there, from->bytes.data() + first, size); };
  commands->steps.push_back({"copy", [] { return true; }, run});
}

inline word to_encoder(object* encoder, const std::string& what, const words& given) {
  if (what == "endEncoding") return encoder->owner->open = false, 0;
  if (what.starts_with("copyFromBuffer:")) return encode_copy(encoder->owner, given), 0;
  misuse(encoder->name + " does not know " + what);
  return 0;
}

inline word to_data(object* one, const std::string& what, const words& given) {
  if (what == "contents") return one->storage == 2 ? 0 : word_of(one->bytes.data());
  if (what == "length") return one->bytes.size();
  if (what == "storageMode") return one->storage;
  if (what == "hazardTrackingMode") return one->tracking;
  if (what == "signaledValue" || what == "code") return one->number;
  if (what == "domain") return word_of(temporary("text", "MTLCommandBufferErrorDomain"));
  if (what == "localizedDescription") return word_of(temporary("text", one->text));
  if (what == "UTF8String") return word_of(one->text.c_str());
  if (what == "count") return one->members.size();
  if (what == "objectAtIndex:") return word_of(one->members.at(given[0]));
  if (what == "respondsToSelector:") return 0;
  misuse(one->name + " does not know " + what);
  return 0;
}

// ---- what is called -----------------------------------------------------------------------------

// Of nil everything is nil. What fails does nothing.
inline word message(object* to, const std::string& what, const words& given) {
  if (to == nullptr) return 0;
  guard lock(now().lock);
  if (pools().empty()) misuse(to->name + " " + what + " without a pool");
  if (!is_alive(*to)) misuse(to->name + " " + what + ", and it is gone");
  if (fails(what)) return 0;
  if (to->kind == "device") return to_device(to, what, given);
  if (to->kind == "queue") return to_queue(to, what, given);
  if (to->kind == "commands") return to_commands(to, what, given, lock);
  if (to->kind == "encoder") return to_encoder(to, what, given);
  return to_data(to, what, given);
}

inline object* copy_all_devices() {
  const guard lock(now().lock);
  if (fails("MTLCopyAllDevices")) return nullptr;
  object* list = make("list", "l");
  for (object* each : now().devices) uses(list, each);
  return list;
}

inline object* objc_retain(object* one) {
  const guard lock(now().lock);
  if (one != nullptr) retain(one);
  return one;
}
inline void objc_release(object* one) {
  const guard lock(now().lock);
  if (one != nullptr) release(one);
}

}  // namespace metal_double
