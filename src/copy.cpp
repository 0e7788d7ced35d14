// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copying arrays within the host, within a platform, and between the two.
#include "copy.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <string>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "deferred.hpp"
#include "error.hpp"
#include "host_copy.hpp"
#include "order.hpp"
#include "release.hpp"
#include "release_error.hpp"

namespace anystream::core {
namespace {

bool is_host(const platform& where) noexcept { return where.rules->objects == stream_family::none; }

struct transfer {
  const platform& from;
  const platform& to;
  const backend& engine;  // of the side that has streams, if one has
  const stream* on;       // null between host and host
  bool host_is_involved() const noexcept { return is_host(from) || is_host(to); }
};

// Where several platforms share a device type, the source tells which is meant, else the stream.
const platform& target_platform(const array& source, DLDevice target, const stream* on) {
  if (target.device_type == source.tensor.device.device_type) return *source.platform;
  if (on != nullptr && target.device_type == on->device.device_type) return *on->platform;
  return find_platform_of(static_cast<device_type>(target.device_type), "");
}

[[noreturn]] void refuse_route(const array& source, DLDevice target) {
  throw exchange_error("a copy goes between the host and a device, or stays on one platform; got " +
                       to_string(device(source.tensor.device)) + " to " +
                       to_string(device(target)) + ".\n  Copy it to the host first.");
}

[[noreturn]] void refuse_no_stream(const array& source, DLDevice target) {
  throw exchange_error("a copy from " + to_string(device(source.tensor.device)) + " to " +
                       to_string(device(target)) +
                       " needs a stream to run on; the array has none.\n  Name it: stream=s, or "
                       "producer_stream=s for a hand-off to the host.");
}

transfer plan_transfer(const array& source, DLDevice target, const stream* on) {
  const platform& from = *source.platform;
  const platform& to = target_platform(source, target, on);
  const bool from_host = is_host(from);
  if (!same_platform(from, to) && !from_host && !is_host(to)) refuse_route(source, target);
  const platform& device_side = from_host ? to : from;
  const DLDevice device = from_host ? target : source.tensor.device;
  const backend& engine = require_backend(device_side, device);
  if (is_host(device_side)) return {from, to, engine, nullptr};
  const stream* stream = on != nullptr ? on : source.stream.get();
  if (stream == nullptr) refuse_no_stream(source, target);
  check_stream(device_side, device, *stream);
  return {from, to, engine, stream};
}

// After what is pending on the array's own stream; one that is out-of-order needs a barrier.
void order_transfer(const array& source, const transfer& plan) {
  if (plan.on != nullptr && source.stream) order_unchecked(*source.stream, *plan.on);
}

void run_transfer(const transfer& plan, location target, location source, std::size_t bytes) {
  plan.engine.copy(plan.on->handle, target, source, bytes);
  if (plan.host_is_involved()) plan.engine.synchronize(plan.on->handle);
}

// ---- with the host on one side, or on both: in row-major order --------------------------------

// Elements that share bytes with their neighbours cannot be told apart by an address.
void refuse_packed(const array& source) {
  if (element_step_bits(source.dtype(), source.flags) % 8 == 0) return;
  throw exchange_error("a copy of packed " + to_string(source.dtype()) +
                       " elements, which share bytes, takes them in row-major order without gaps; "
                       "got shape " +
                       to_string(source.shape()) + " with strides " + to_string(source.strides()) +
                       ".\n  Copy the array that this is a view of, or unpack it first.");
}

std::int64_t array_bytes(const array& array) {
  return packed_bytes(element_count(array.shape()), array.dtype(), array.flags);
}

array_ref make_row_major(const array& source, DLDevice target, const transfer& plan) {
  const stream* on = is_host(plan.to) ? nullptr : plan.on;
  DLTensor tensor = source.tensor;
  tensor.device = target;
  tensor.strides = nullptr;
  tensor.byte_offset = 0;
  auto [memory, keep] =
      allocate(plan.to, target, static_cast<std::size_t>(array_bytes(source)), on);
  tensor.data = memory;
  const std::uint64_t flags = (source.flags & flag_subbyte_padded) | flag_is_copied;
  auto made = array_ref::take(array::make(tensor, flags, plan.to, std::move(keep)));
  made->stream = stream_ref::keep(const_cast<stream*>(on));
  if (on != nullptr) {
    set_own_way_back(*made, plan.engine.frees_in_order(target, on->handle));
  }
  return made;
}

// So many bytes from the element (0, …, 0).
location place_in(const array& array, std::int64_t distance) noexcept {
  return {array.tensor.data, array.tensor.byte_offset + static_cast<std::uint64_t>(distance),
          is_host(*array.platform)};
}

location on_host(void* memory) noexcept { return {memory, 0, true}; }

// `first` is the element (0, …, 0) of the source, or of a transferred span of it.
void put_in_order(void* target, const array& source, const std::byte* first) {
  auto* const to = static_cast<std::byte*>(target);
  if (!is_row_major(source.shape(), source.strides())) {
    const auto size = static_cast<std::size_t>(source.dtype().itemsize());
    return copy_row_major(to, {first, source.shape(), source.strides(), size});
  }
  const std::int64_t bytes = array_bytes(source);
  constexpr std::int64_t one = 1;
  copy_row_major(to, {first, {&bytes, 1}, {&one, 1}, 1});
}

// What is put in order on its way between the host and a device.
std::unique_ptr<std::byte[]> memory_between(std::size_t bytes) {
  return with_memory_for(bytes, {kDLCPU, 0},
                         [=] { return std::make_unique_for_overwrite<std::byte[]>(bytes); });
}

void copy_to_device(const array& source, void* target, const transfer& plan) {
  const auto bytes = static_cast<std::size_t>(array_bytes(source));
  const auto between = memory_between(bytes);
  put_in_order(between.get(), source, place_in(source, 0).address());
  run_transfer(plan, {target}, on_host(between.get()), bytes);
}

void copy_from_device(const array& source, void* target, const transfer& plan) {
  const byte_span span = source.span();
  const auto bytes = static_cast<std::size_t>(span.size());
  const auto between = memory_between(bytes);
  run_transfer(plan, on_host(between.get()), place_in(source, span.lowest), bytes);
  put_in_order(target, source, between.get() - span.lowest);
}

// One transfer takes all; what is not in order is put in order on the side of the host.
void copy_elements(const array& source, void* target, const transfer& plan) {
  const location first = place_in(source, 0);
  if (plan.on == nullptr) return put_in_order(target, source, first.address());
  if (is_row_major(source.shape(), source.strides())) {
    return run_transfer(plan, {target, 0, is_host(plan.to)}, first,
                        static_cast<std::size_t>(array_bytes(source)));
  }
  if (is_host(plan.from)) return copy_to_device(source, target, plan);
  copy_from_device(source, target, plan);
}

array_ref copy_by_host(const array& source, DLDevice target, const transfer& plan) {
  if (!is_row_major(source.shape(), source.strides())) refuse_packed(source);
  auto made = make_row_major(source, target, plan);
  if (is_empty(source.shape())) return made;
  order_transfer(source, plan);
  copy_elements(source, made->tensor.data, plan);
  return made;
}

// ---- within a device: with the strides of the source ------------------------------------------

// The target: like the source, but its lowest element is the first of new memory, which is its own.
// It goes back when its stream is done, since a runtime may hold a copy back itself (SYCL's does
// behind a host task, and dpctl puts one behind each operation).
array_ref make_alike(const array& source, DLDevice target, const transfer& plan, byte_span span) {
  auto [memory, keep] = allocate(plan.to, target, static_cast<std::size_t>(span.size()), plan.on);
  DLTensor tensor = source.tensor;
  tensor.data = memory;
  tensor.device = target;
  tensor.byte_offset = static_cast<std::uint64_t>(-span.lowest);
  const std::uint64_t flags = (source.flags & flag_subbyte_padded) | flag_is_copied;
  auto made = array_ref::take(array::make(tensor, flags, plan.to, std::move(keep)));
  made->stream = stream_ref::keep(const_cast<stream*>(plan.on));
  set_own_way_back(*made, false);
  return made;
}

void release_array(void* context) { array_ref::release(static_cast<array*>(context)); }

// The source is read until the copy has run, and not longer. What is pending is no memory that
// would be free otherwise, as a rule: who has a copy made keeps the source himself.
deferred_releases keep_source(array& source) {
  deferred_releases one(1);
  one.front().after.reserve(1);
  one.front().memory = owner(array_ref::keep(&source).give(), release_array);
  return one;
}

void release_when_copied(deferred_releases one, const stream& on) noexcept {
  try {
    one.front().after.emplace_back(record_event(on));
  } catch (const std::exception& error) {
    report_failed_release("the end of a copy could not be told", error);
    return keep_for_good(std::move(one));
  }
  release_when_complete(std::move(one));
}

array_ref copy_on_device(array& source, DLDevice target, const transfer& plan) {
  const byte_span span = source.span();
  auto made = make_alike(source, target, plan, span);
  if (span.size() == 0) return made;
  order_transfer(source, plan);
  use_on(source, const_cast<stream&>(*plan.on));
  deferred_releases kept = keep_source(source);
  run_transfer(plan, {made->tensor.data}, place_in(source, span.lowest),
               static_cast<std::size_t>(span.size()));
  release_when_copied(std::move(kept), *plan.on);
  return made;
}

}  // namespace

array_ref copy_array(array& source, DLDevice target, const stream* on) {
  run_finished_releases();
  const transfer plan = plan_transfer(source, target, on);
  if (plan.host_is_involved()) return copy_by_host(source, target, plan);
  return copy_on_device(source, target, plan);
}

}  // namespace anystream::core
