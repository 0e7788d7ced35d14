// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Making streams, and what can be asked of one.
#include "stream.hpp"

#include <string>

#include <anystream/error.hpp>

#include "backends/backends.hpp"

anystream_stream::~anystream_stream() {
  if (engine() != nullptr && handle_is_ours) engine()->drop(handle);
}

namespace anystream::core {
namespace {

void refuse_streamless(const platform& where, DLDevice device) {
  if (where.rules->objects != stream_family::none) return;
  throw type_error(describe_array(where, device) +
                   " has no stream.\n  Name a device that has, or leave the device out.");
}

template <std::size_t Index>
void drop_handle(void* handle) {
  all_backends[Index]().drop(handle);
}

// A C function pointer carries no context, so there is one function a backend.
template <std::size_t... Index>
void (*dropper_of(const backend* engine, std::index_sequence<Index...>))(void*) {
  void (*found)(void*) = nullptr;
  static_cast<void>(
      ((&all_backends[Index]() == engine && (found = drop_handle<Index>, true)) || ...));
  return found;
}

}  // namespace

stream_ref make_stream(const platform& where, DLDevice device, stream_handle theirs, owner keep) {
  refuse_streamless(where, device);
  if (where.is_opaque()) require_backend(where, device);
  if (where.engine == nullptr) {
    auto made = stream_ref::take(new stream(where, device, theirs));
    made->in_order = false;  // nobody here can tell
    made->keep = std::move(keep);
    return made;
  }
  auto made = stream_ref::take(new stream(where, device, nullptr));
  made->handle_is_ours = false;
  made->handle = where.engine->retain(device, theirs, keep.is_set());
  made->handle_is_ours = true;
  made->device = where.engine->device_of(made->handle);
  made->in_order = where.engine->in_order(made->handle);
  if (!where.engine->copies_streams()) {
    where.engine->take_owner(made->handle, keep);
    made->keep = std::move(keep);
  }
  return made;
}

stream_ref make_described_stream(std::string_view platform_name, stream_handle theirs, owner keep) {
  const platform& where = find_platform_named(platform_name);
  const DLDevice any = {static_cast<DLDeviceType>(where.type), 0};
  refuse_streamless(where, any);
  if (where.engine == nullptr || !where.engine->tells_device()) {
    throw value_error(
        "a stream handle of platform \"" + std::string(platform_name) +
        "\" does not tell its device.\n  Name it: stream_from_handle takes a device.");
  }
  return make_stream(where, any, theirs, std::move(keep));
}

stream_ref with_policy(const stream& base, std::int32_t out_of_order) {
  if (out_of_order != ANYSTREAM_OUT_OF_ORDER_REFUSE &&
      out_of_order != ANYSTREAM_OUT_OF_ORDER_BARRIER) {
    throw value_error(
        "out_of_order takes ANYSTREAM_OUT_OF_ORDER_REFUSE (0) or "
        "ANYSTREAM_OUT_OF_ORDER_BARRIER (1); got " +
        std::to_string(out_of_order) + ".");
  }
  auto made = stream_ref::take(new stream(*base.platform, base.device, base.handle));
  made->handle_is_ours = false;
  made->in_order = base.in_order;
  made->out_of_order = out_of_order;
  base.retain();
  made->keep = owner(const_cast<stream*>(&base),
                     [](void* context) { stream_ref::release(static_cast<stream*>(context)); });
  return made;
}

bool is_in_order(const stream& stream) {
  if (stream.engine() == nullptr) require_backend(*stream.platform, stream.device);
  return stream.in_order;
}

void check_consumer(const stream& stream, std::string_view where) {
  const bool told = stream.engine() != nullptr;
  if (!told || stream.in_order || stream.out_of_order == ANYSTREAM_OUT_OF_ORDER_BARRIER) return;
  throw value_error(std::string(where) +
                    ": the stream that will use the array must be in-order; got an out-of-order "
                    "queue on " +
                    to_string(device(stream.device)) +
                    ".\n  Make the queue in-order, or have a barrier put into it: "
                    "anystream.Stream(q, out_of_order=\"barrier\").");
}

shared_handle share(const stream& stream) {
  const backend* engine = stream.engine();
  const auto indices = std::make_index_sequence<std::size(all_backends)>();
  auto* const release = dropper_of(engine, indices);  // null: no handle of ours is the platform's
  if (release == nullptr || !engine->copies_streams()) {
    throw value_error("a handle of platform \"" + std::string(stream.platform->name) +
                      "\" cannot be copied; the stream's own handle is what there is.");
  }
  return {engine->retain(stream.device, stream.handle, true), release};
}

}  // namespace anystream::core
