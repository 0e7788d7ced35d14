// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The backend over a registrant's callbacks.
#include "registered.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include <anystream/error.hpp>

#include "driver/fork.hpp"

namespace anystream::core {
namespace {

using namespace std::chrono_literals;

struct held_stream {
  DLDevice device;
  void* theirs;
};

struct held_event {
  void* theirs;
};

const held_stream& stream_at(stream_handle ours) { return *static_cast<held_stream*>(ours); }
void* theirs(stream_handle ours) { return ours != nullptr ? stream_at(ours).theirs : nullptr; }
void* theirs_of_event(event_handle ours) { return static_cast<held_event*>(ours)->theirs; }

anystream_location to_theirs(const location& place) {
  return {place.data, place.offset, place.of_host ? 1 : 0, 0};
}

template <std::size_t Size>
std::string text_of(const char (&bytes)[Size]) {
  return {bytes, ::strnlen(bytes, Size)};
}

// What an empty message stands for.
std::string words_of(anystream_status status, const anystream_fault& fault) {
  std::string text = text_of(fault.message);
  if (text.empty()) text = "it gave status " + std::to_string(status) + " and no message";
  const std::string code = text_of(fault.code_name);
  if (!code.empty()) text += " (" + code + ")";
  return text;
}

}  // namespace

registered_platform::registered_platform(const anystream_platform& callbacks, std::string name)
    : calls_(callbacks),
      name_(std::move(name)),
      type_(static_cast<device_type>(callbacks.device_type)),
      generation_(process_generation()) {}

// ---- calling ------------------------------------------------------------------------------------

bool registered_platform::is_of_parent() const noexcept {
  return generation_ != process_generation();
}

void registered_platform::require() const {
  if (!is_of_parent()) return;
  throw driver_unavailable("platform \"" + name_ +
                           "\" was registered in the process that this one was forked from, and "
                           "is not called here.\n  Start the process by spawn, or register in it "
                           "what it needs before it is forked again.");
}

void registered_platform::refuse_missing(const char* callback, const char* what) const {
  throw driver_unavailable("platform \"" + name_ + "\" was registered without " + callback +
                           "=…: " + what + " takes it.\n  Give it to anystream.register_platform(" +
                           callback + "=…), or set anystream_platform." + callback + " in C.");
}

void registered_platform::fail(anystream_status status, const char* callback,
                               const anystream_fault& fault) const {
  const std::string text =
      "platform \"" + name_ + "\": " + callback + " failed: " + words_of(status, fault);
  switch (status) {
    case ANYSTREAM_TYPE_ERROR:
      throw type_error(text);
    case ANYSTREAM_VALUE_ERROR:
      throw value_error(text);
    case ANYSTREAM_EXCHANGE_ERROR:
      throw exchange_error(text);
    case ANYSTREAM_ORDERING_ERROR:
      throw ordering_error(text);
    case ANYSTREAM_DRIVER_UNAVAILABLE:
      throw driver_unavailable(text);
    case ANYSTREAM_OUT_OF_MEMORY:
      throw std::bad_alloc();
    default:
      throw driver_error(name_ + "." + callback, fault.code, text_of(fault.code_name), text);
  }
}

template <class Callback, class... Arguments>
void registered_platform::call(const char* callback, Callback function,
                               Arguments... arguments) const {
  require();
  anystream_fault fault;
  fault.code = 0;
  fault.code_name[0] = fault.message[0] = '\0';
  const anystream_status status = function(calls_.context, arguments..., &fault);
  if (status != ANYSTREAM_OK) fail(status, callback, fault);
}

template <class Callback, class... Arguments>
void registered_platform::need(const char* callback, const char* what, Callback function,
                               Arguments... arguments) const {
  if (function == nullptr) refuse_missing(callback, what);
  call(callback, function, arguments...);
}

// ---- streams ------------------------------------------------------------------------------------

std::vector<anystream_device_info> registered_platform::devices() const {
  if (calls_.devices == nullptr || is_of_parent()) return {};
  std::int32_t count = 0;
  call("devices", calls_.devices, static_cast<anystream_device_info*>(nullptr), 0, &count);
  std::vector<anystream_device_info> all(static_cast<std::size_t>(std::max(count, 0)));
  std::int32_t filled = 0;
  call("devices", calls_.devices, all.data(), static_cast<std::int32_t>(all.size()), &filled);
  all.resize(std::min(all.size(), static_cast<std::size_t>(std::max(filled, 0))));
  for (anystream_device_info& each : all) {
    each.device.device_type = static_cast<DLDeviceType>(type_);
    std::strncpy(each.platform, name_.c_str(), sizeof each.platform - 1);
    each.kind[sizeof each.kind - 1] = each.name[sizeof each.name - 1] = '\0';
  }
  return all;
}

stream_handle registered_platform::retain(DLDevice device, stream_handle given, bool) const {
  require();
  auto made = std::make_unique<held_stream>(held_stream{device, given});
  made->device.device_type = static_cast<DLDeviceType>(type_);
  if (calls_.device_of != nullptr) {
    call("device_of", calls_.device_of, given, &made->device.device_id);
  }
  if (calls_.retain != nullptr) call("retain", calls_.retain, made->device, given, &made->theirs);
  return made.release();
}

void registered_platform::drop(stream_handle ours) const noexcept {
  const std::unique_ptr<held_stream> last(static_cast<held_stream*>(ours));
  if (calls_.retain != nullptr && !is_of_parent()) calls_.release(calls_.context, last->theirs);
}

stream_handle registered_platform::native(stream_handle ours) const noexcept {
  return theirs(ours);
}

DLDevice registered_platform::device_of(stream_handle stream) const {
  return stream_at(stream).device;
}

bool registered_platform::in_order(stream_handle stream) const {
  if (calls_.in_order == nullptr) return true;
  std::int32_t in_order = 0;
  call("in_order", calls_.in_order, theirs(stream), &in_order);
  return in_order != 0;
}

bool registered_platform::same(stream_handle a, stream_handle b) const {
  const held_stream &one = stream_at(a), &other = stream_at(b);
  const bool equal = one.theirs == other.theirs && one.device.device_id == other.device.device_id;
  if (equal || calls_.same == nullptr) return equal;
  std::int32_t same = 0;
  call("same", calls_.same, one.theirs, other.theirs, &same);
  return same != 0;
}

bool registered_platform::idle(stream_handle stream) const {
  if (calls_.complete == nullptr) return false;
  const event_handle end = record(stream);
  try {
    const bool done = complete(end);
    destroy_event(end);
    return done;
  } catch (...) {
    destroy_event(end);
    throw;
  }
}

void registered_platform::synchronize(stream_handle stream) const {
  const event_handle end = record(stream);
  try {
    synchronize_event(end);
  } catch (...) {
    destroy_event(end);
    throw;
  }
  destroy_event(end);
}

bool registered_platform::barrier(stream_handle stream) const {
  const event_handle end = record(stream);
  try {
    wait(stream, end);
  } catch (...) {
    destroy_event(end);
    throw;
  }
  destroy_event(end);
  return true;
}

// ---- events -------------------------------------------------------------------------------------

event_handle registered_platform::record(stream_handle stream) const {
  auto made = std::make_unique<held_event>();
  need("record", "what waits for a stream's work", calls_.record, theirs(stream), &made->theirs);
  return made.release();
}

bool registered_platform::wait(stream_handle stream, event_handle event) const {
  need("wait", "ordering one stream after another", calls_.wait, theirs(stream),
       theirs_of_event(event));
  return true;
}

bool registered_platform::order_at_once(stream_handle producer, stream_handle consumer) const {
  if (calls_.order == nullptr) return false;
  call("order", calls_.order, theirs(producer), theirs(consumer));
  return true;
}

bool registered_platform::orders_across(DLDevice a, DLDevice b) const noexcept {
  return a.device_id == b.device_id || (calls_.flags & ANYSTREAM_PLATFORM_SEPARATE_DEVICES) == 0;
}

bool registered_platform::complete(event_handle event) const {
  std::int32_t done = 0;
  need("complete", "asking whether work is done", calls_.complete, theirs_of_event(event), &done);
  return done != 0;
}

void registered_platform::synchronize_event(event_handle event) const {
  if (calls_.synchronize != nullptr) {
    return call("synchronize", calls_.synchronize, theirs_of_event(event));
  }
  if (calls_.complete == nullptr) refuse_missing("synchronize", "waiting on the host");
  for (auto pause = 20us; !complete(event); pause = std::min(2 * pause, 1000us)) {
    std::this_thread::sleep_for(pause);
  }
}

void registered_platform::destroy_event(event_handle event) const noexcept {
  const std::unique_ptr<held_event> last(static_cast<held_event*>(event));
  if (calls_.destroy != nullptr && !is_of_parent()) calls_.destroy(calls_.context, last->theirs);
}

// ---- memory -------------------------------------------------------------------------------------

int registered_platform::memory_kind(DLDevice device, const void* memory,
                                     stream_handle stream) const {
  auto* const data = const_cast<void*>(memory);
  std::int32_t kind = ANYSTREAM_MEMORY_UNKNOWN;
  if (calls_.memory_kind != nullptr) {
    call("memory_kind", calls_.memory_kind, device, data, theirs(stream), &kind);
  } else if (calls_.host_address != nullptr) {
    kind = host_address(data) != nullptr ? ANYSTREAM_MEMORY_SHARED : ANYSTREAM_MEMORY_DEVICE;
  }
  return kind;
}

const void* registered_platform::host_address(const void* data) const {
  if (calls_.host_address == nullptr) return data;
  void* address = nullptr;
  call("host_address", calls_.host_address, const_cast<void*>(data), &address);
  return address;
}

void* registered_platform::allocate(DLDevice device, std::size_t bytes,
                                    stream_handle stream) const {
  void* memory = nullptr;
  need("allocate", "new memory on its devices", calls_.allocate, device, bytes, theirs(stream),
       &memory);
  return memory;
}

void registered_platform::deallocate(DLDevice device, void* memory,
                                     stream_handle stream) const noexcept {
  if (!is_of_parent()) calls_.deallocate(calls_.context, device, memory, theirs(stream));
}

bool registered_platform::frees_in_order(DLDevice, stream_handle) const noexcept {
  return (calls_.flags & ANYSTREAM_PLATFORM_FREES_IN_ORDER) != 0;
}

void registered_platform::copy(stream_handle stream, location target, location source,
                               std::size_t bytes) const {
  const anystream_location to = to_theirs(target), from = to_theirs(source);
  need("copy", "a copy from, to or on its devices", calls_.copy, theirs(stream), &to, &from, bytes);
}

bool registered_platform::owns(const void* data) const noexcept {
  return calls_.owns != nullptr && !is_of_parent() && calls_.owns(calls_.context, data) != 0;
}

std::string callback_names(const anystream_platform& callbacks) {
  std::string names;
  const auto add = [&](const char* name, bool there) {
    if (there) names += (names.empty() ? "" : " ") + std::string(name);
  };
  add("retain", callbacks.retain != nullptr);
  add("device_of", callbacks.device_of != nullptr);
  add("in_order", callbacks.in_order != nullptr);
  add("same", callbacks.same != nullptr);
  add("order", callbacks.order != nullptr);
  add("record", callbacks.record != nullptr);
  add("wait", callbacks.wait != nullptr);
  add("complete", callbacks.complete != nullptr);
  add("synchronize", callbacks.synchronize != nullptr);
  add("destroy", callbacks.destroy != nullptr);
  add("copy", callbacks.copy != nullptr);
  add("allocate", callbacks.allocate != nullptr);
  add("memory_kind", callbacks.memory_kind != nullptr);
  add("host_address", callbacks.host_address != nullptr);
  add("owns", callbacks.owns != nullptr);
  add("devices", callbacks.devices != nullptr);
  return names;
}

}  // namespace anystream::core
