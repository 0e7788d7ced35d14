// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The OpenCL backend: queues, events and buffers.
#include "backends/opencl.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include <anystream/error.hpp>

#include "backends/backends.hpp"
#include "backends/opencl_calls.hpp"
#include "driver/driver.hpp"
#include "driver/fork.hpp"

namespace anystream::core {
namespace {

#if defined(__APPLE__)
constexpr bool has_tables = false;
#else
constexpr bool has_tables = true;
#endif

// How long idle() polls the marker that it has put in before it calls the queue busy.
constexpr std::chrono::microseconds idle_patience{200};

std::atomic<bool> forked{false};

opencl_queue queue(stream_handle stream) { return static_cast<opencl_queue>(stream); }
opencl_event event(event_handle handle) { return static_cast<opencl_event>(handle); }
opencl_memory buffer(const void* data) {
  return static_cast<opencl_memory>(const_cast<void*>(data));
}

// Where every call of a thread begins.
void check_process() {
  if (!forked.load(std::memory_order_relaxed)) return;
  throw driver_unavailable(
      "OpenCL cannot be used in a forked child of a process that used it.\n  Start the process by "
      "spawn or forkserver instead, or fork before OpenCL is first used.");
}

[[noreturn]] void refuse_queue(const std::string& got) {
  throw value_error("an OpenCL stream is a cl_command_queue of the host's; got " + got +
                    ".\n  Pass the queue itself: with pyopencl, the CommandQueue.");
}

void check_handle(const void* theirs) {
  if (theirs == nullptr) refuse_queue("NULL");
  if (!can_be_opencl_object(theirs)) refuse_queue("a handle that cannot be an object of OpenCL's");
}

void flush(opencl_queue on) {
  check_opencl(functions_of(on).clFlush(on), "clFlush", "a queue's work could not be handed down");
}

bool is_out_of_order(opencl_queue on) {
  return (of_queue<opencl_flags>(on, opencl_queue_properties) & opencl_out_of_order) != 0;
}

void put_barrier(opencl_queue on, const opencl_event* after) {
  check_opencl(
      functions_of(on).clEnqueueBarrierWithWaitList(on, after != nullptr ? 1U : 0U, after, nullptr),
      "clEnqueueBarrierWithWaitList", "a queue could not be made to wait");
}

int state_of(opencl_event asked) { return of_event<std::int32_t>(asked, opencl_event_state); }

// Not before the work is done; also what makes its memory visible to the host, and to what the host
// starts from then on.
void wait_on_host(opencl_event awaited) {
  const int code = functions_of(awaited).clWaitForEvents(1U, &awaited);
  if (code == opencl_success) return;
  const int state = state_of(awaited);
  if (state < 0) fail_for_event(state);
  fail_in_opencl("clWaitForEvents", code, "an event could not be waited for");
}

}  // namespace

backend& opencl_backend() {
  static auto* const only = new opencl_runtime;
  return *only;
}

// ---- streams ------------------------------------------------------------------------------------

// Of tests: the process's own lives as long as the process.
opencl_runtime::~opencl_runtime() {
  parked_.let_go_of_all([](opencl_queue last) { functions_of(last).clReleaseCommandQueue(last); });
}

void opencl_runtime::require() const {
  check_process();
  if (!has_tables) {
    throw driver_unavailable(
        "OpenCL of macOS has no tables of functions in its objects, by which they are called "
        "here.\n  Use Metal there, or an installable OpenCL driver on another system.");
  }
}

stream_handle opencl_runtime::retain(DLDevice, stream_handle theirs, bool) const {
  require();
  check_handle(theirs);
  [[maybe_unused]] static const bool hooked = (call_after_fork([] { forked.store(true); }), true);
  const auto given = queue(theirs);
  const auto properties = of_queue<opencl_flags>(given, opencl_queue_properties);
  if ((properties & opencl_on_device) != 0) refuse_queue("a queue on the device");
  check_opencl(functions_of(given).clRetainCommandQueue(given), "clRetainCommandQueue",
               "a queue could not be kept");
  return theirs;
}

// The last reference to an out-of-order queue is parked first.
void opencl_runtime::drop(stream_handle ours) const noexcept {
  if (ours == nullptr || forked.load(std::memory_order_relaxed)) return;
  const auto now = std::chrono::steady_clock::now();
  const auto release = [](opencl_queue last) { functions_of(last).clReleaseCommandQueue(last); };
  std::uint32_t references = 0;
  opencl_flags properties = 0;
  const opencl_queue gone = queue(ours);
  const auto functions = functions_of(gone);
  functions.clGetCommandQueueInfo(gone, opencl_queue_references, sizeof references, &references,
                                  nullptr);
  functions.clGetCommandQueueInfo(gone, opencl_queue_properties, sizeof properties, &properties,
                                  nullptr);
  if (references == 1 && (properties & opencl_out_of_order) != 0) {
    return parked_.park(gone, now, release);
  }
  release(gone);
  parked_.let_go(now, release);
}

DLDevice opencl_runtime::device_of(stream_handle stream) const {
  check_process();
  const auto device = of_queue<opencl_device>(queue(stream), opencl_queue_device);
  return {kDLOpenCL, devices_.number_of(device)};
}

bool opencl_runtime::in_order(stream_handle stream) const {
  check_process();
  return !is_out_of_order(queue(stream));
}

bool opencl_runtime::idle(stream_handle stream) const {
  const owned_opencl_event end(event(record(stream)));
  const auto deadline = std::chrono::steady_clock::now() + idle_patience;
  do {
    if (complete(end.get())) return true;
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

void opencl_runtime::synchronize(stream_handle stream) const {
  const owned_opencl_event end(event(record(stream)));
  synchronize_event(end.get());
}

bool opencl_runtime::barrier(stream_handle stream) const {
  check_process();
  put_barrier(queue(stream), nullptr);
  return true;
}

// ---- events -------------------------------------------------------------------------------------

event_handle opencl_runtime::record(stream_handle stream) const {
  check_process();
  const opencl_queue on = queue(stream);
  opencl_event made = nullptr;
  check_opencl(functions_of(on).clEnqueueMarkerWithWaitList(on, 0U, nullptr, &made),
               "clEnqueueMarkerWithWaitList", "the end of a queue's work could not be marked");
  owned_opencl_event marker(made);
  flush(on);
  return marker.release();
}

bool opencl_runtime::wait(stream_handle stream, event_handle handle) const {
  check_process();
  const opencl_event awaited = event(handle);
  const int state = state_of(awaited);
  if (state < 0) fail_for_event(state);
  if (state == opencl_event_complete) {
    wait_on_host(awaited);  // returns at once: a state alone makes nothing visible
    return true;
  }
  const opencl_queue on = queue(stream);
  const auto context = of_queue<opencl_context>(on, opencl_queue_context);
  if (of_event<opencl_context>(awaited, opencl_event_context) == context) {
    put_barrier(on, &awaited);
  } else {
    wait_across_contexts(on, awaited);
  }
  return true;
}

bool opencl_runtime::complete(event_handle handle) const {
  check_process();
  const int state = state_of(event(handle));
  if (state < 0) fail_for_event(state);
  return state == opencl_event_complete;
}

void opencl_runtime::synchronize_event(event_handle handle) const {
  check_process();
  wait_on_host(event(handle));
}

void opencl_runtime::destroy_event(event_handle handle) const noexcept {
  if (handle == nullptr || forked.load(std::memory_order_relaxed)) return;
  functions_of(handle).clReleaseEvent(event(handle));
}

// ---- memory -------------------------------------------------------------------------------------

int opencl_runtime::memory_kind(DLDevice, const void* memory, stream_handle stream) const {
  if (memory == nullptr || stream == nullptr) return ANYSTREAM_MEMORY_UNKNOWN;
  check_process();
  const bool of_the_driver =
      can_be_opencl_object(memory) && entries_of(memory) == entries_of(stream);
  if (!of_the_driver) return ANYSTREAM_MEMORY_UNKNOWN;
  std::uint32_t on_svm = 0;  // drivers of before 2.0 do not know the question
  const auto functions = functions_of(memory);
  const int known = functions.clGetMemObjectInfo(buffer(memory), opencl_memory_uses_svm,
                                                 sizeof on_svm, &on_svm, nullptr);
  if (known == opencl_success && on_svm != 0) return ANYSTREAM_MEMORY_SHARED;
  constexpr opencl_flags of_host = opencl_use_host_pointer | opencl_allocate_host_pointer;
  const auto flags = of_memory<opencl_flags>(buffer(memory), opencl_memory_flags);
  return (flags & of_host) != 0 ? ANYSTREAM_MEMORY_HOST : ANYSTREAM_MEMORY_DEVICE;
}

DLDevice opencl_runtime::locate(DLDevice claimed, const void* data) const {
  require();
  if (data == nullptr || !can_be_opencl_object(data)) {
    throw value_error(
        "kDLOpenCL memory is a cl_mem; got a number that cannot be one.\n  Pass the buffer itself: "
        "with pyopencl, the Buffer or the array.");
  }
  const auto context = of_memory<opencl_context>(buffer(data), opencl_memory_context);
  const std::vector<opencl_device> shared = devices_in(context);
  const auto is_claimed = [&](opencl_device one) {
    return devices_.number_of(one) == claimed.device_id;
  };
  if (shared.empty() || std::ranges::any_of(shared, is_claimed)) return claimed;
  return {kDLOpenCL, devices_.number_of(shared.front())};
}

void* opencl_runtime::allocate(DLDevice device, std::size_t bytes, stream_handle stream) const {
  check_process();
  if (stream == nullptr) {
    throw value_error("new memory on opencl:" + std::to_string(device.device_id) +
                      " is of a context, and a device has none of its own.\n  Name a queue: "
                      "stream=.");
  }
  const opencl_queue on = queue(stream);
  const auto context = of_queue<opencl_context>(on, opencl_queue_context);
  int code = opencl_success;
  opencl_memory made = functions_of(on).clCreateBuffer(
      context, opencl_read_write, std::max<std::size_t>(bytes, 1), nullptr, &code);
  if (made == nullptr || code != opencl_success) {
    fail_in_opencl("clCreateBuffer", code,
                   std::to_string(bytes) + " bytes of memory could not be had");
  }
  return made;
}

void opencl_runtime::deallocate(DLDevice, void* memory, stream_handle) const noexcept {
  if (memory == nullptr || forked.load(std::memory_order_relaxed)) return;
  functions_of(memory).clReleaseMemObject(buffer(memory));
}

void opencl_runtime::copy(stream_handle stream, location target, location source,
                          std::size_t bytes) const {
  if (bytes == 0) return;
  check_process();
  const opencl_queue on = queue(stream);
  const auto functions = functions_of(on);
  const char* function = "clEnqueueCopyBuffer";
  int code = opencl_success;
  if (target.of_host) {
    function = "clEnqueueReadBuffer";
    code = functions.clEnqueueReadBuffer(on, buffer(source.data), 0U, source.offset, bytes,
                                         target.address(), 0U, nullptr, nullptr);
  } else if (source.of_host) {
    function = "clEnqueueWriteBuffer";
    code = functions.clEnqueueWriteBuffer(on, buffer(target.data), 0U, target.offset, bytes,
                                          source.address(), 0U, nullptr, nullptr);
  } else {
    code = functions.clEnqueueCopyBuffer(on, buffer(source.data), buffer(target.data),
                                         source.offset, target.offset, bytes, 0U, nullptr, nullptr);
  }
  if (code == opencl_invalid_context) {
    throw exchange_error(
        "a copy needs a queue of the context that the buffer is in; got one of another.\n  Name a "
        "queue of its own context, or copy the array to the host first.");
  }
  check_opencl(code, function, "a copy could not be put on a queue");
}

void* opencl_runtime::map(stream_handle stream, location memory, std::size_t bytes,
                          bool writable) const {
  check_process();
  const opencl_queue on = queue(stream);
  if (is_out_of_order(on)) put_barrier(on, nullptr);
  const opencl_flags flags = writable ? opencl_map_read | opencl_map_write : opencl_map_read;
  int code = opencl_success;
  void* const address = functions_of(on).clEnqueueMapBuffer(
      on, buffer(memory.data), 1U, flags, memory.offset, bytes, 0U, nullptr, nullptr, &code);
  if (address == nullptr || code != opencl_success) {
    fail_in_opencl("clEnqueueMapBuffer", code, "a buffer could not be mapped for the host");
  }
  return address;
}

void opencl_runtime::unmap(stream_handle stream, void* memory, void* address) const noexcept {
  if (forked.load(std::memory_order_relaxed)) return;
  const opencl_queue on = queue(stream);
  const auto functions = functions_of(on);
  functions.clEnqueueUnmapMemObject(on, buffer(memory), address, 0U, nullptr, nullptr);
  functions.clFlush(on);
}

}  // namespace anystream::core
