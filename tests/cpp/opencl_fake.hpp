// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// An OpenCL driver that records what it is asked, fails where it is told to, and counts references.
// Its objects bring their table of functions, as a real driver's do: nothing else is put in.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver/opencl.hpp"

namespace opencl_fake {

namespace core = anystream::core;

// What every handle points to.
struct object {
  void* const* table;
  std::string name;    // as it is in the record: "q1", "e2"
  int references = 1;  // it is dead when they have gone
  object* context = nullptr;
  object* device = nullptr;  // of a queue; of a context: its device; of a sub-device: its parent
  std::uint64_t flags = 0;   // a queue's properties, a buffer's flags, a device's kind
  std::uint32_t on_svm = 0;  // of a buffer
  int status = 1;            // of an event: running
  std::vector<object*> lists = {};  // NOLINT(readability-redundant-member-init): its devices
  core::opencl_event_callback* callback = nullptr;
  void* callback_context = nullptr;
};

// What a test sees and sets. One at a time: a driver's functions carry no context.
struct state {
  std::vector<std::string> calls;
  std::set<object*> alive;
  std::string failing;
  int code = -5;
  std::map<std::string, int> made;
  std::vector<char> mapped = std::vector<char>(64);
};

inline state& now() {
  static state current;
  return current;
}

void* const* table();

// All live as long as the program, and are found by who looks for leaks.
inline object* make(const std::string& kind) {
  static auto* const all = new std::vector<std::unique_ptr<object>>;
  all->push_back(
      std::make_unique<object>(object{table(), kind + std::to_string(++now().made[kind])}));
  object* const made = all->back().get();
  now().alive.insert(made);
  return made;
}

template <class Handle>
object* at(Handle handle) {
  return reinterpret_cast<object*>(const_cast<void*>(static_cast<const void*>(handle)));
}

template <class Handle>
Handle as(object* made) {
  return reinterpret_cast<Handle>(made);
}

// The code that the function gives, once it is in the record.
inline int call(const char* function, const std::string& arguments = "") {
  now().calls.push_back(std::string(function) + "(" + arguments + ")");
  return now().failing == function ? now().code : core::opencl_success;
}

template <class Handle>
int release(const char* function, Handle handle) {
  const int code = call(function, at(handle)->name);
  if (--at(handle)->references == 0) now().alive.erase(at(handle));
  return code;
}

template <class Value>
int answer(const char* function, const Value& value, std::size_t size, void* out) {
  const int code = call(function);
  if (code == core::opencl_success && size == sizeof value) std::memcpy(out, &value, size);
  return code;
}

inline void end(object* event, int status) {
  event->status = status;
  if (event->callback == nullptr) return;
  const auto told = std::exchange(event->callback, nullptr);
  told(as<core::opencl_event>(event), status, event->callback_context);
}

inline std::string name_of(const void* handle) { return handle != nullptr ? at(handle)->name : ""; }

inline void give_event(core::opencl_event* out, object* queue) {
  if (out == nullptr) return;
  object* const event = make("e");
  event->context = queue->context;
  *out = as<core::opencl_event>(event);
}

// ---- the functions ------------------------------------------------------------------------------

using size = std::size_t;
using word = std::uint32_t;

inline int get_devices(core::opencl_platform platform, std::uint64_t, word room,
                       core::opencl_device* out, word* count) {
  const auto& listed = at(platform)->lists;
  const int code = call("clGetDeviceIDs", at(platform)->name);
  if (count != nullptr) *count = static_cast<word>(listed.size());
  for (word i = 0; i < room; ++i) out[i] = as<core::opencl_device>(listed[i]);
  return code;
}

inline int get_device(core::opencl_device device, core::opencl_info what, size room, void* out,
                      size* needed) {
  const object& self = *at(device);
  if (what == core::opencl_device_parent) return answer("clGetDeviceInfo", self.device, room, out);
  if (what == core::opencl_device_platform)
    return answer("clGetDeviceInfo", self.context, room, out);
  if (what == core::opencl_device_type) return answer("clGetDeviceInfo", self.flags, room, out);
  if (needed != nullptr) *needed = self.name.size() + 1;
  if (out != nullptr) std::memcpy(out, self.name.c_str(), room);
  return call("clGetDeviceInfo");
}

inline int get_queue(core::opencl_queue queue, core::opencl_info what, size room, void* out,
                     size*) {
  const object& self = *at(queue);
  const char* const function = "clGetCommandQueueInfo";
  if (what == core::opencl_queue_context) return answer(function, self.context, room, out);
  if (what == core::opencl_queue_device) return answer(function, self.device, room, out);
  if (what == core::opencl_queue_properties) return answer(function, self.flags, room, out);
  return answer(function, static_cast<word>(self.references), room, out);
}

inline int get_event(core::opencl_event event, core::opencl_info what, size room, void* out,
                     size*) {
  const object& self = *at(event);
  if (what == core::opencl_event_context) return answer("clGetEventInfo", self.context, room, out);
  return answer("clGetEventInfo", self.status, room, out);
}

inline int get_memory(core::opencl_memory memory, core::opencl_info what, size room, void* out,
                      size*) {
  const object& self = *at(memory);
  if (what == core::opencl_memory_context)
    return answer("clGetMemObjectInfo", self.context, room, out);
  if (what == core::opencl_memory_uses_svm)
    return answer("clGetMemObjectInfo", self.on_svm, room, out);
  return answer("clGetMemObjectInfo", self.flags, room, out);
}

inline int get_context(core::opencl_context context, core::opencl_info what, size room, void* out,
                       size*) {
  const object& self = *at(context);
  if (what == core::opencl_context_device_count)
    return answer("clGetContextInfo", word{1}, room, out);
  return answer("clGetContextInfo", self.device, room, out);
}

inline core::opencl_memory create_buffer(core::opencl_context context, std::uint64_t flags,
                                         size bytes, void*, int* code) {
  *code = call("clCreateBuffer", std::to_string(bytes));
  if (*code != core::opencl_success) return nullptr;
  object* const made = make("m");
  made->context = at(context);
  made->flags = flags;
  return as<core::opencl_memory>(made);
}

inline core::opencl_event create_user_event(core::opencl_context context, int* code) {
  *code = call("clCreateUserEvent", at(context)->name);
  if (*code != core::opencl_success) return nullptr;
  object* const made = make("u");
  made->context = at(context);
  return as<core::opencl_event>(made);
}

inline int wait_for_events(word, const core::opencl_event* events) {
  object* const event = at(events[0]);
  const int code = call("clWaitForEvents", event->name);
  if (code != core::opencl_success) return code;
  if (event->status < 0) return -14;
  end(event, core::opencl_event_complete);
  return code;
}

inline int set_callback(core::opencl_event event, std::int32_t,
                        core::opencl_event_callback* callback, void* context) {
  const int code = call("clSetEventCallback", at(event)->name);
  if (code != core::opencl_success) return code;
  at(event)->callback = callback;
  at(event)->callback_context = context;
  return code;
}

inline int marker(core::opencl_queue queue, word count, const core::opencl_event* events,
                  core::opencl_event* out) {
  const std::string after = count != 0 ? " after " + name_of(events[0]) : "";
  const int code = call("clEnqueueMarkerWithWaitList", at(queue)->name + after);
  if (code == core::opencl_success) give_event(out, at(queue));
  return code;
}

inline int barrier(core::opencl_queue queue, word count, const core::opencl_event* events,
                   core::opencl_event*) {
  const std::string after = count != 0 ? " after " + name_of(events[0]) : "";
  return call("clEnqueueBarrierWithWaitList", at(queue)->name + after);
}

inline std::string in_words(const void* queue, const void* memory, size offset, size bytes) {
  return name_of(queue) + ", " + name_of(memory) + "+" + std::to_string(offset) + ", " +
         std::to_string(bytes);
}

inline void* map(core::opencl_queue queue, core::opencl_memory memory, word, std::uint64_t flags,
                 size offset, size bytes, word, const core::opencl_event*, core::opencl_event*,
                 int* code) {
  *code = call("clEnqueueMapBuffer",
               in_words(queue, memory, offset, bytes) + ", flags " + std::to_string(flags));
  return *code == core::opencl_success ? now().mapped.data() : nullptr;
}

template <class Function>
void put(std::array<void*, 160>& made, core::opencl_entry number, Function* function) {
  made[static_cast<size>(number)] = reinterpret_cast<void*>(function);
}

using functions = std::array<void*, 160>;

inline void put_questions(functions& made) {
  using namespace core;
  using entry = opencl_entry;
  put(made, entry::clGetDeviceIDs, get_devices);
  put(made, entry::clGetDeviceInfo, get_device);
  put(made, entry::clGetCommandQueueInfo, get_queue);
  put(made, entry::clGetEventInfo, get_event);
  put(made, entry::clGetMemObjectInfo, get_memory);
  put(made, entry::clGetContextInfo, get_context);
}

inline void put_references(functions& made) {
  using namespace core;
  using entry = opencl_entry;
  put(made, entry::clCreateBuffer, create_buffer);
  put(made, entry::clCreateUserEvent, create_user_event);
}

inline void put_copies(functions& made) {
  using namespace core;
  using entry = opencl_entry;
  put(made, entry::clEnqueueMapBuffer, map);
  put(
      made, entry::clEnqueueReadBuffer,
      +[](opencl_queue queue, opencl_memory memory, word, size offset, size bytes, void*, word,
          const opencl_event*, opencl_event*) {
        return call("clEnqueueReadBuffer", in_words(queue, memory, offset, bytes));
      });
  put(
      made, entry::clEnqueueWriteBuffer,
      +[](opencl_queue queue, opencl_memory memory, word, size offset, size bytes, const void*,
          word, const opencl_event*, opencl_event*) {
        return call("clEnqueueWriteBuffer", in_words(queue, memory, offset, bytes));
      });
  put(
      made, entry::clEnqueueCopyBuffer,
      +[](opencl_queue queue, opencl_memory from, opencl_memory to, size at_from, size at_to,
          size bytes, word, const opencl_event*, opencl_event*) {
        return call("clEnqueueCopyBuffer", in_words(queue, from, at_from, bytes) + " to " +
                                               name_of(to) + "+" + std::to_string(at_to));
      });
  put(
      made, entry::clEnqueueUnmapMemObject,
      +[](opencl_queue queue, opencl_memory memory, void*, word, const opencl_event*,
          opencl_event*) {
        return call("clEnqueueUnmapMemObject", in_words(queue, memory, 0, 0));
      });
}

inline void put_commands(functions& made) {
  using namespace core;
  using entry = opencl_entry;
  put(made, entry::clWaitForEvents, wait_for_events);
  put(made, entry::clSetEventCallback, set_callback);
  put(made, entry::clEnqueueMarkerWithWaitList, marker);
  put(made, entry::clEnqueueBarrierWithWaitList, barrier);
  put(
      made, entry::clRetainCommandQueue, +[](opencl_queue queue) {
        const int code = call("clRetainCommandQueue", at(queue)->name);
        if (code == opencl_success) ++at(queue)->references;
        return code;
      });
  put(
      made, entry::clReleaseCommandQueue,
      +[](opencl_queue queue) { return release("clReleaseCommandQueue", queue); });
  put(
      made, entry::clReleaseMemObject,
      +[](opencl_memory memory) { return release("clReleaseMemObject", memory); });
  put(
      made, entry::clRetainEvent, +[](opencl_event event) {
        const int code = call("clRetainEvent", at(event)->name);
        if (code == opencl_success) ++at(event)->references;
        return code;
      });
  put(
      made, entry::clReleaseEvent,
      +[](opencl_event event) { return release("clReleaseEvent", event); });
  put(made, entry::clFlush, +[](opencl_queue queue) { return call("clFlush", at(queue)->name); });
  put(
      made, entry::clSetUserEventStatus, +[](opencl_event event, std::int32_t status) {
        at(event)->status = status;
        return call("clSetUserEventStatus", at(event)->name + ", " + std::to_string(status));
      });
}

inline void* const* table() {
  static const functions made = [] {
    functions all{};
    put_questions(all);
    put_references(all);
    put_copies(all);
    put_commands(all);
    return all;
  }();
  return made.data();
}

// ---- objects ------------------------------------------------------------------------------------

// A platform of some devices; the fake's objects live as long as the program.
inline object* make_platform(int devices) {
  object* const platform = make("p");
  for (int i = 0; i < devices; ++i) {
    object* const device = make("d");
    device->context = platform;
    device->flags = core::opencl_gpu;
    platform->lists.push_back(device);
  }
  return platform;
}

inline object* make_context(object* device) {
  object* const context = make("c");
  context->device = device;
  return context;
}

inline object* make_queue(object* context, std::uint64_t properties = 0) {
  object* const queue = make("q");
  queue->context = context;
  queue->device = context->device;
  queue->flags = properties;
  return queue;
}

inline object* make_buffer(object* context, std::uint64_t flags = core::opencl_read_write) {
  object* const buffer = make("m");
  buffer->context = context;
  buffer->flags = flags;
  return buffer;
}

}  // namespace opencl_fake
