// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copying arrays within the host, within a platform, and between the two.
#include "copy.hpp"

#include <string>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "order.hpp"

namespace anystream::core {
namespace {

struct transfer {
  const platform& from;
  const platform& to;
  const backend& engine;  // of the side that has streams, if one has
  const stream* on;       // null between host and host
  bool host_is_involved() const noexcept { return !same_platform(from, to); }
};

bool is_host(const platform& where) noexcept { return where.rules->objects == stream_family::none; }

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

void run_transfer(const transfer& plan, void* target, const void* source, std::size_t bytes) {
  if (plan.on == nullptr) return plan.engine.copy(nullptr, target, source, bytes);
  plan.engine.copy(plan.on->handle, target, source, bytes);
  if (plan.host_is_involved()) plan.engine.synchronize(plan.on->handle);
}

// The copy's memory, and the source that it may still be read from.
struct copy_memory {
  array_ref source;
  owner memory;
};

owner keep_both(array& source, owner memory) {
  auto* const both = new copy_memory{array_ref::keep(&source), std::move(memory)};
  return {both, [](void* context) { delete static_cast<copy_memory*>(context); }};
}

// The target: like the source, but its lowest element is the first of new memory, which is its own.
array_ref make_target(array& source, DLDevice target, const transfer& plan, byte_span span) {
  const stream* on = is_host(plan.to) ? nullptr : plan.on;
  auto [memory, keep] = allocate(plan.to, target, static_cast<std::size_t>(span.size()), on);
  if (plan.on != nullptr && !plan.host_is_involved()) keep = keep_both(source, std::move(keep));
  DLTensor tensor = source.tensor;
  tensor.data = memory;
  tensor.device = target;
  tensor.byte_offset = static_cast<std::uint64_t>(-span.lowest);
  const std::uint64_t flags = (source.flags & flag_subbyte_padded) | flag_is_copied;
  auto made = array_ref::take(array::make(tensor, flags, plan.to, std::move(keep)));
  made->stream = stream_ref::keep(const_cast<stream*>(on));
  return made;
}

}  // namespace

array_ref copy_array(array& source, DLDevice target, const stream* on) {
  const transfer plan = plan_transfer(source, target, on);
  const byte_span span = source.span();
  auto made = make_target(source, target, plan, span);
  if (span.size() == 0) return made;
  order_transfer(source, plan);
  const auto* first = static_cast<const char*>(source.tensor.data) + source.tensor.byte_offset;
  run_transfer(plan, made->tensor.data, first + span.lowest, static_cast<std::size_t>(span.size()));
  return made;
}

}  // namespace anystream::core
