// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions that anystream calls, each behind a guard: none of them throws.
#include "platform.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "buffer.hpp"
#include "errors.hpp"
#include "queue.hpp"

namespace vulkan_example {
namespace {

// A stream that anystream keeps, and an event: each a share in what it names.
using kept_queue = std::shared_ptr<queue>;
queue& at(void* stream) { return **static_cast<kept_queue*>(stream); }
point& event_at(void* event) { return *static_cast<point*>(event); }

void tell(anystream_fault* fault, std::int64_t code, const char* name, const std::string& message) {
  fault->code = code;
  std::snprintf(fault->code_name, sizeof fault->code_name, "%s", name);
  std::snprintf(fault->message, sizeof fault->message, "%s", message.c_str());
}

// Runs a callback's body: what it throws becomes the status that anystream raises.
template <class Body>
anystream_status guarded(anystream_fault* fault, Body body) {
  try {
    body();
    return ANYSTREAM_OK;
  } catch (const vulkan_error& error) {
    tell(fault, error.code, name_of(error.code), error.what());
    return ANYSTREAM_DRIVER_ERROR;
  } catch (const std::bad_alloc&) {
    tell(fault, VK_ERROR_OUT_OF_HOST_MEMORY, "", "there is no more memory of the host");
    return ANYSTREAM_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    tell(fault, 0, "", error.what());
    return ANYSTREAM_VALUE_ERROR;
  }
}

std::shared_ptr<device> numbered(std::int32_t number) {
  for (const std::shared_ptr<device>& one : open_devices()) {
    if (one->number() == number) return one;
  }
  throw std::invalid_argument("there is no open Device of the number " + std::to_string(number));
}

std::shared_ptr<buffer> owned(const void* handle) {
  std::shared_ptr<buffer> found = buffer::find(handle);
  if (found == nullptr) {
    throw std::invalid_argument("the array's data is no buffer of anystream_vulkan");
  }
  return found;
}

// ---- streams ------------------------------------------------------------------------------------

// A handle as it came in is a number of the caller's: it is looked up, never followed.
kept_queue named(const void* handle) {
  kept_queue found = queue::find(handle);
  if (found == nullptr) throw std::invalid_argument("there is no Queue of this handle");
  return found;
}

anystream_status retain(void*, DLDevice, void* stream, void** kept, anystream_fault* fault) {
  return guarded(fault, [&] { *kept = new kept_queue(named(stream)); });
}

void release(void*, void* stream) { delete static_cast<kept_queue*>(stream); }

anystream_status device_of(void*, void* stream, std::int32_t* id, anystream_fault* fault) {
  return guarded(fault, [&] { *id = named(stream)->place()->number(); });
}

anystream_status same(void*, void* a, void* b, std::int32_t* out, anystream_fault*) {
  *out = &at(a) == &at(b) ? 1 : 0;
  return ANYSTREAM_OK;
}

// ---- events -------------------------------------------------------------------------------------

anystream_status record(void*, void* stream, void** event, anystream_fault* fault) {
  return guarded(fault, [&] { *event = new point(at(stream).end()); });
}

anystream_status wait(void*, void* stream, void* event, anystream_fault* fault) {
  return guarded(fault, [&] { at(stream).wait_for(event_at(event)); });
}

anystream_status complete(void*, void* event, std::int32_t* out, anystream_fault* fault) {
  return guarded(fault, [&] { *out = event_at(event).reached() ? 1 : 0; });
}

anystream_status synchronize(void*, void* event, anystream_fault* fault) {
  return guarded(fault, [&] { event_at(event).wait(); });
}

void destroy(void*, void* event) { delete static_cast<point*>(event); }

// ---- memory -------------------------------------------------------------------------------------

struct place_in {
  std::shared_ptr<buffer> memory;  // null: the host's own
  std::byte* address;

  explicit place_in(const anystream_location& at) {
    if (at.of_host == 0) memory = owned(at.data);
    address = (memory ? memory->host() : static_cast<std::byte*>(at.data)) + at.offset;
  }
};

// Between buffers on the device. What the host has is copied there and back by the host: at once
// into a buffer, since nothing is pending on it, and on the device's thread out of one.
anystream_status copy(void*, void* stream, const anystream_location* target,
                      const anystream_location* source, std::size_t bytes, anystream_fault* fault) {
  return guarded(fault, [&] {
    if (bytes == 0) return;
    queue& on = at(stream);
    const place_in to(*target);
    place_in from(*source);
    std::uint64_t first = source->offset;
    if (to.memory == nullptr) {
      const auto take = [to, from, bytes] { std::memcpy(to.address, from.address, bytes); };
      on.call(take, {from.memory});
      return;
    }
    if (from.memory == nullptr) {
      const std::byte* const outside = from.address;
      from.memory = buffer::make(on.place(), bytes);
      std::memcpy(from.memory->host(), outside, bytes);
      first = 0;
    }
    const VkBuffer out = to.memory->on(on.place());
    const VkBuffer in = from.memory->on(on.place());
    const VkBufferCopy region{first, target->offset, bytes};
    on.submit([&](VkCommandBuffer commands) { vkCmdCopyBuffer(commands, in, out, 1, &region); },
              {to.memory, from.memory});
  });
}

anystream_status allocate(void*, DLDevice device, std::size_t bytes, void*, void** memory,
                          anystream_fault* fault) {
  return guarded(fault, [&] {
    const auto made = buffer::make(numbered(device.device_id), bytes);
    made->own = made;
    *memory = made.get();
  });
}

void deallocate(void*, DLDevice, void* memory, void*) {
  // Pending work has a share of its own.
  if (const std::shared_ptr<buffer> found = buffer::find(memory)) found->own.reset();
}

anystream_status host_address(void*, void* data, void** address, anystream_fault* fault) {
  return guarded(fault, [&] { *address = owned(data)->host(); });
}

// ---- devices ------------------------------------------------------------------------------------

anystream_status devices(void*, anystream_device_info* out, std::int32_t capacity,
                         std::int32_t* count, anystream_fault* fault) {
  return guarded(fault, [&] {
    const auto open = open_devices();
    *count = static_cast<std::int32_t>(open.size());
    for (std::int32_t i = 0; i < std::min(capacity, *count); ++i) {
      const device& one = *open[static_cast<std::size_t>(i)];
      out[i].device.device_id = one.number();
      std::snprintf(out[i].kind, sizeof out[i].kind, "%s", one.is_processor() ? "cpu" : "gpu");
      std::snprintf(out[i].name, sizeof out[i].name, "%s", one.name().c_str());
    }
  });
}

}  // namespace

anystream_platform describe_platform() {
  anystream_platform out{};
  out.size = sizeof out;
  out.device_type = kDLVulkan;
  out.name = platform_name;
  out.takes = "an anystream_vulkan.Queue";
  out.capsules = "anystream_vulkan_queue";
  out.fix = "Pass the Queue itself: stream=queue.";
  out.memory = ANYSTREAM_MEMORY_SHARED;
  out.retain = retain;
  out.release = release;
  out.device_of = device_of;
  out.same = same;
  out.record = record;
  out.wait = wait;
  out.complete = complete;
  out.synchronize = synchronize;
  out.destroy = destroy;
  out.copy = copy;
  out.allocate = allocate;
  out.deallocate = deallocate;
  out.host_address = host_address;
  out.devices = devices;
  return out;
}

}  // namespace vulkan_example
