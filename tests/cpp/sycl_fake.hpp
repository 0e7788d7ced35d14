// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A SYCL driver that records what it is asked, fails where it is told to, and counts what is alive.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/sycl.hpp"

namespace sycl_fake {

namespace core = anystream::core;

// What every handle points to.
struct object {
  std::string name;            // as it is in the record: "q1", "e2"
  int identity = 0;            // copies of a queue, of a device, share it
  bool in_order = true;        // of a queue
  int device = 0;              // of a queue: the identity of its device
  std::vector<object*> waits;  // of an event: what the runtime says that it waits for
  object* parent = nullptr;    // of a device
};

// What a test sees and sets. One at a time: a driver's functions carry no context.
struct state {
  std::vector<std::string> calls;
  std::set<object*> alive;
  std::set<void*> memory;
  std::string failing;  // the function that gives NULL
  int event_status = core::sycl_event_complete;
  int usm_type = core::sycl_usm_unknown;
  std::vector<object*> next_waits;  // what the next barrier says that it waits for
  std::map<std::string, int> made;  // for names
  int device_types[2] = {core::sycl_gpu, core::sycl_cpu};
};

inline state& now() {
  static state current;
  return current;
}

template <class Handle>
object* at(Handle handle) {
  return reinterpret_cast<object*>(handle);
}

template <class Handle>
Handle as(object* made) {
  return reinterpret_cast<Handle>(made);
}

inline object* make(const std::string& kind, const object& like = {}) {
  auto* made = new object(like);
  made->name = kind + std::to_string(++now().made[kind]);
  now().alive.insert(made);
  return made;
}

template <class Handle>
void destroy(Handle handle) {
  now().alive.erase(at(handle));
  delete at(handle);
}

inline void record(const std::string& call) { now().calls.push_back(call); }

inline bool fails(const char* function) { return now().failing == function; }

inline core::sycl_queue make_queue(bool in_order, int device = 0) {
  static int identity = 0;
  object like;
  like.identity = ++identity;
  like.in_order = in_order;
  like.device = device;
  return as<core::sycl_queue>(make("q", like));
}

inline object* make_device(int identity, object* parent = nullptr) {
  object like;
  like.identity = identity;
  like.parent = parent;
  return make("d", like);
}

template <class Made>
Made give(const char* function, const std::string& arguments, const char* kind,
          const object& like = {}) {
  record(std::string(function) + "(" + arguments + ")");
  return fails(function) ? nullptr : as<Made>(make(kind, like));
}

inline std::string name(const auto handle) { return at(handle)->name; }

inline core::sycl_event barrier(const char* function, const std::string& arguments) {
  object event;
  event.waits.swap(now().next_waits);
  return give<core::sycl_event>(function, arguments, "e", event);
}

inline void add_queue_functions(core::sycl_driver& fake) {
  using namespace core;
  fake.DPCTLQueue_Copy = [](sycl_queue queue) {
    return give<sycl_queue>("DPCTLQueue_Copy", name(queue), "q", *at(queue));
  };
  fake.DPCTLQueue_Delete = [](sycl_queue queue) { destroy(queue); };
  fake.DPCTLQueue_AreEq = [](sycl_queue a, sycl_queue b) {
    return at(a)->identity == at(b)->identity;
  };
  fake.DPCTLQueue_IsInOrder = [](sycl_queue queue) { return at(queue)->in_order; };
  fake.DPCTLQueue_GetContext = [](sycl_queue queue) {
    return give<sycl_context>("DPCTLQueue_GetContext", name(queue), "c");
  };
  fake.DPCTLQueue_GetDevice = [](sycl_queue queue) {
    if (at(queue)->parent != nullptr) return as<sycl_device>(make_device(7, make_device(1)));
    object like;
    like.identity = at(queue)->device;
    return give<sycl_device>("DPCTLQueue_GetDevice", name(queue), "d", like);
  };
  fake.DPCTLQueue_Create = [](sycl_context, sycl_device, sycl_error_handler*, int properties) {
    return give<sycl_queue>("DPCTLQueue_Create", std::to_string(properties), "q");
  };
  fake.DPCTLQueue_SubmitBarrier = [](sycl_queue queue) {
    return barrier("DPCTLQueue_SubmitBarrier", name(queue));
  };
  fake.DPCTLQueue_SubmitBarrierForEvents = [](sycl_queue queue, const sycl_event* events,
                                              std::size_t count) {
    std::string arguments = name(queue);
    for (std::size_t i = 0; i < count; ++i) arguments += ", " + name(events[i]);
    return barrier("DPCTLQueue_SubmitBarrierForEvents", arguments);
  };
  fake.DPCTLQueue_Memcpy = [](sycl_queue queue, void*, const void*, std::size_t bytes) {
    return give<sycl_event>("DPCTLQueue_Memcpy", name(queue) + ", " + std::to_string(bytes), "e");
  };
}

inline void add_event_functions(core::sycl_driver& fake) {
  using namespace core;
  fake.DPCTLEvent_GetCommandExecutionStatus = [](sycl_event) { return now().event_status; };
  fake.DPCTLEvent_Wait = [](sycl_event event) { record("DPCTLEvent_Wait(" + name(event) + ")"); };
  fake.DPCTLEvent_Delete = [](sycl_event event) {
    record("DPCTLEvent_Delete(" + name(event) + ")");
    destroy(event);
  };
  fake.DPCTLEvent_GetWaitList = [](sycl_event event) {
    if (fails("DPCTLEvent_GetWaitList")) return static_cast<sycl_event_vector>(nullptr);
    return as<sycl_event_vector>(make("v", *at(event)));
  };
  fake.DPCTLEventVector_Size = [](sycl_event_vector list) { return at(list)->waits.size(); };
  fake.DPCTLEventVector_GetAt = [](sycl_event_vector list, std::size_t index) {
    return as<sycl_event>(make("e", *at(list)->waits[index]));
  };
  fake.DPCTLEventVector_Delete = [](sycl_event_vector list) { destroy(list); };
}

inline void add_device_functions(core::sycl_driver& fake) {
  using namespace core;
  fake.DPCTLContext_Delete = [](sycl_context context) { destroy(context); };
  fake.DPCTLDeviceMgr_GetDevices = [](int) {
    return give<sycl_device_vector>("DPCTLDeviceMgr_GetDevices", "", "v");
  };
  fake.DPCTLDeviceMgr_GetCachedContext = [](sycl_device device) {
    return give<sycl_context>("DPCTLDeviceMgr_GetCachedContext", name(device), "c");
  };
  fake.DPCTLDeviceVector_Size = [](sycl_device_vector) { return std::size_t{2}; };
  fake.DPCTLDeviceVector_GetAt = [](sycl_device_vector, std::size_t index) {
    return fails("DPCTLDeviceVector_GetAt") ? nullptr
                                            : as<sycl_device>(make_device(static_cast<int>(index)));
  };
  fake.DPCTLDeviceVector_Delete = [](sycl_device_vector list) { destroy(list); };
  fake.DPCTLDevice_AreEq = [](sycl_device a, sycl_device b) {
    return at(a)->identity == at(b)->identity;
  };
  fake.DPCTLDevice_GetParentDevice = [](sycl_device device) {
    return as<sycl_device>(std::exchange(at(device)->parent, nullptr));
  };
  fake.DPCTLDevice_GetDeviceType = [](sycl_device device) {
    return now().device_types[at(device)->identity];
  };
  fake.DPCTLDevice_GetName = [](sycl_device) -> const char* {
    return std::strcpy(new char[16], "a fake device");
  };
  fake.DPCTLDevice_Delete = [](sycl_device device) { destroy(device); };
  fake.DPCTLCString_Delete = [](const char* text) { delete[] text; };
}

inline void add_memory_functions(core::sycl_driver& fake) {
  using namespace core;
  fake.DPCTLmalloc_device = [](std::size_t bytes, sycl_queue queue) -> void* {
    record("DPCTLmalloc_device(" + std::to_string(bytes) + ", " + name(queue) + ")");
    if (fails("DPCTLmalloc_device")) return nullptr;
    void* memory = ::operator new(bytes);
    now().memory.insert(memory);
    return memory;
  };
  fake.DPCTLfree_with_queue = [](void* memory, sycl_queue queue) {
    record("DPCTLfree_with_queue(" + name(queue) + ")");
    now().memory.erase(memory);
    ::operator delete(memory);
  };
  fake.DPCTLUSM_GetPointerType = [](const void*, sycl_context) { return now().usm_type; };
}

// Forgets what was recorded, and gives a driver that works.
inline core::sycl_driver begin() {
  now() = {};
  core::sycl_driver fake;
  add_queue_functions(fake);
  add_event_functions(fake);
  add_device_functions(fake);
  add_memory_functions(fake);
  return fake;
}

}  // namespace sycl_fake
