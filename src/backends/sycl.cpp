// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The SYCL backend: queues, events and USM memory by the functions of driver/sycl.hpp.
#include "backends/sycl.hpp"

#include <algorithm>
#include <chrono>

#include "backends/sycl_objects.hpp"

namespace anystream::core {
namespace {

// How long idle() polls the barrier that it has put in before it calls the queue busy.
constexpr std::chrono::microseconds idle_patience{200};

sycl_queue queue(stream_handle stream) { return static_cast<sycl_queue>(stream); }
sycl_event event(event_handle handle) { return static_cast<sycl_event>(handle); }

int memory_kind_of(int usm_type) {
  switch (usm_type) {
    case sycl_usm_device:
      return ANYSTREAM_MEMORY_DEVICE;
    case sycl_usm_shared:
      return ANYSTREAM_MEMORY_SHARED;
    case sycl_usm_host:
      return ANYSTREAM_MEMORY_HOST;
    default:
      return ANYSTREAM_MEMORY_UNKNOWN;
  }
}

const sycl_root_device* find_root(const sycl_driver& sycl, std::span<sycl_root_device> roots,
                                  sycl_device device) {
  const auto is_device = [&](const sycl_root_device& root) {
    return sycl.DPCTLDevice_AreEq(root.device, device);
  };
  const auto found = std::ranges::find_if(roots, is_device);
  return found == roots.end() ? nullptr : &*found;
}

using owned_events = owned<sycl_event_vector_object>;

owned_events wait_list(const sycl_driver& sycl, sycl_event event) {
  return {given(sycl.DPCTLEvent_GetWaitList(event), "DPCTLEvent_GetWaitList",
                "an event could not be asked what it waits for"),
          sycl.DPCTLEventVector_Delete};
}

bool waits_for_nothing(const sycl_driver& sycl, sycl_event event) {
  return sycl.DPCTLEventVector_Size(wait_list(sycl, event).get()) == 0;
}

// Whether a barrier that was given one event waits for that one only, and the device has it.
bool waits_for_device_only(const sycl_driver& sycl, sycl_event barrier) {
  const auto waits = wait_list(sycl, barrier);
  const std::size_t count = sycl.DPCTLEventVector_Size(waits.get());
  if (count != 1) return count == 0;
  const owned<sycl_event_object> first(
      given(sycl.DPCTLEventVector_GetAt(waits.get(), 0), "DPCTLEventVector_GetAt",
            "an event of a wait list could not be read"),
      sycl.DPCTLEvent_Delete);
  return waits_for_nothing(sycl, first.get());
}

}  // namespace

// ---- streams ------------------------------------------------------------------------------------

stream_handle sycl_runtime::retain(DLDevice, stream_handle theirs, bool) const {
  if (!theirs)
    throw value_error("a SYCL stream is a sycl::queue*; got NULL.\n  SYCL has no default queue.");
  const auto& sycl = driver();
  refuse_second_libsycl();
  return given(sycl.DPCTLQueue_Copy(queue(theirs)), "DPCTLQueue_Copy",
               "a queue could not be copied");
}

void sycl_runtime::drop(stream_handle ours) const noexcept {
  const sycl_driver* sycl = driver_.load();
  if (!sycl || !ours) return;
  const auto now = std::chrono::steady_clock::now();
  if (!sycl->DPCTLQueue_IsInOrder(queue(ours))) {
    return parked_.park(queue(ours), now, sycl->DPCTLQueue_Delete);
  }
  sycl->DPCTLQueue_Delete(queue(ours));
  parked_.let_go(now, sycl->DPCTLQueue_Delete);
}

DLDevice sycl_runtime::device_of(stream_handle stream) const {
  const auto& sycl = driver();
  owned<sycl_device_object> device(given(sycl.DPCTLQueue_GetDevice(queue(stream)),
                                         "DPCTLQueue_GetDevice", "a queue has no device"),
                                   sycl.DPCTLDevice_Delete);
  const auto roots = device_list().all();
  // A sub-device has its root's number. Asking for the parent is slow, so it comes second.
  for (; device; device.reset(sycl.DPCTLDevice_GetParentDevice(device.get())))
    if (const auto* root = find_root(sycl, roots, device.get())) return root->info.device;
  throw driver_error("DPCTLDevice_AreEq", 0, "",
                     "a queue is on a device that SYCL does not list, so that it has no number.");
}

bool sycl_runtime::in_order(stream_handle stream) const {
  return driver().DPCTLQueue_IsInOrder(queue(stream));
}

bool sycl_runtime::same(stream_handle a, stream_handle b) const {
  return a == b || driver().DPCTLQueue_AreEq(queue(a), queue(b));
}

bool sycl_runtime::idle(stream_handle stream) const {
  const owned<sycl_event_object> end(event(record(stream)), driver().DPCTLEvent_Delete);
  const auto deadline = std::chrono::steady_clock::now() + idle_patience;
  do {
    if (complete(end.get())) return true;
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

void sycl_runtime::synchronize(stream_handle stream) const {
  const owned<sycl_event_object> end(event(record(stream)), driver().DPCTLEvent_Delete);
  synchronize_event(end.get());
}

bool sycl_runtime::barrier(stream_handle stream) const {
  const auto& sycl = driver();
  const owned<sycl_event_object> end(event(record(stream)), sycl.DPCTLEvent_Delete);
  return sycl.DPCTLQueue_IsInOrder(queue(stream)) || waits_for_nothing(sycl, end.get()) ||
         complete(end.get());
}

// ---- events -------------------------------------------------------------------------------------

event_handle sycl_runtime::record(stream_handle stream) const {
  return given(driver().DPCTLQueue_SubmitBarrier(queue(stream)), "DPCTLQueue_SubmitBarrier",
               "the end of a queue's work could not be marked");
}

bool sycl_runtime::wait(stream_handle stream, event_handle handle) const {
  const auto& sycl = driver();
  const sycl_event awaited = event(handle);
  if (complete(handle)) {
    // Nothing is left to wait for, and what is put on the queue from here on comes after. A state
    // alone is no synchronization point of OpenCL's; a wait, which returns at once here, is.
    sycl.DPCTLEvent_Wait(awaited);
    return true;
  }
  const owned<sycl_event_object> barrier(
      given(sycl.DPCTLQueue_SubmitBarrierForEvents(queue(stream), &awaited, 1),
            "DPCTLQueue_SubmitBarrierForEvents", "a queue could not be made to wait for an event"),
      sycl.DPCTLEvent_Delete);
  return sycl.DPCTLQueue_IsInOrder(queue(stream)) || waits_for_device_only(sycl, barrier.get()) ||
         complete(handle);
}

bool sycl_runtime::complete(event_handle handle) const {
  const int status = driver().DPCTLEvent_GetCommandExecutionStatus(event(handle));
  if (status == sycl_event_unknown) {
    fail_in_sycl("DPCTLEvent_GetCommandExecutionStatus",
                 "an event could not be asked for its state");
  }
  return status == sycl_event_complete;
}

// The wait itself reports nothing, so the event is asked after it.
void sycl_runtime::synchronize_event(event_handle handle) const {
  driver().DPCTLEvent_Wait(event(handle));
  if (!complete(handle)) fail_in_sycl("DPCTLEvent_Wait", "it returned with the work not complete");
}

void sycl_runtime::destroy_event(event_handle handle) const noexcept {
  const sycl_driver* sycl = driver_.load();
  if (sycl && handle) sycl->DPCTLEvent_Delete(event(handle));
}

// ---- memory -------------------------------------------------------------------------------------

int sycl_runtime::memory_kind(DLDevice device, const void* memory, stream_handle stream) const {
  const auto& sycl = driver();
  if (stream) {
    const owned<sycl_context_object> context(
        given(sycl.DPCTLQueue_GetContext(queue(stream)), "DPCTLQueue_GetContext",
              "a queue has no context"),
        sycl.DPCTLContext_Delete);
    const int type = sycl.DPCTLUSM_GetPointerType(memory, context.get());
    if (type != sycl_usm_unknown) return memory_kind_of(type);
  }
  auto* const context = default_context(root_device(device));
  return memory_kind_of(sycl.DPCTLUSM_GetPointerType(memory, context));
}

void* sycl_runtime::allocate(DLDevice device, std::size_t bytes, stream_handle stream) const {
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  void* memory = driver().DPCTLmalloc_device(at_least_one, queue_of(device, stream));
  if (!memory) {
    fail_in_sycl("DPCTLmalloc_device",
                 std::to_string(bytes) + " bytes of device memory could not be had");
  }
  return memory;
}

void sycl_runtime::deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept {
  const sycl_driver* sycl = driver_.load();
  if (sycl && memory) sycl->DPCTLfree_with_queue(memory, queue_of(device, stream));
}

void sycl_runtime::copy(stream_handle stream, location target, location source,
                        std::size_t bytes) const {
  if (bytes == 0) return;
  destroy_event(
      given(driver().DPCTLQueue_Memcpy(queue(stream), target.address(), source.address(), bytes),
            "DPCTLQueue_Memcpy", "a copy could not be put on a queue"));
}

bool sycl_runtime::owns(const void* data) const noexcept {
  const sycl_driver* sycl = driver_.load();
  const sycl_device_list* list = device_list_.load();
  if (!sycl || !list || !data) return false;
  return std::ranges::any_of(list->all(), [&](const sycl_root_device& root) {
    auto* const context = root.context.load();
    return context && sycl->DPCTLUSM_GetPointerType(data, context) != sycl_usm_unknown;
  });
}

void sycl_runtime::check_export(const DLTensor& tensor, stream_handle) const {
  if (!tensor.data) return;
  auto* const context = default_context(root_device(tensor.device));
  if (driver().DPCTLUSM_GetPointerType(tensor.data, context) != sycl_usm_unknown) return;
  throw exchange_error(
      "a kDLOneAPI array must lie in the default context of its platform, since DLPack names no "
      "context; this one, on oneapi:" +
      std::to_string(tensor.device.device_id) +
      ", does not.\n  Make it on a queue of the default context, as dpctl.SyclQueue(device) is, or "
      "copy it to one first. dpctl's own interface, __sycl_usm_array_interface__, carries any "
      "context.");
}

}  // namespace anystream::core
