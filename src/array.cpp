// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Making arrays: around memory of someone else's, in new memory, and on the host.
#include "array.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include <anystream/device.hpp>
#include <anystream/error.hpp>
#include <anystream/tensor_check.hpp>

#include "deferred.hpp"
#include "error.hpp"
#include "foreign_thread.hpp"
#include "release.hpp"
#include "way_back.hpp"

anystream_array::anystream_array(const DLTensor& source, std::uint64_t bits,
                                 const anystream::core::platform& where,
                                 anystream::core::owner keep) noexcept
    : tensor(source), flags(bits), platform(&where), memory(std::move(keep)) {
  const auto ndim = static_cast<std::size_t>(source.ndim);
  tensor.shape = reinterpret_cast<std::int64_t*>(this + 1);
  tensor.strides = tensor.shape + ndim;
  std::copy_n(source.shape, ndim, tensor.shape);
  if (source.strides != nullptr) {
    std::copy_n(source.strides, ndim, tensor.strides);
  } else {
    anystream::row_major_strides(shape(), {tensor.strides, ndim});
  }
}

anystream_array::~anystream_array() { anystream::core::release_memory(*this); }

namespace {

void destroy(void* context) {
  auto* const self = static_cast<anystream_array*>(context);
  self->~anystream_array();
  ::operator delete(context);
}

}  // namespace

void anystream_array::operator delete(anystream_array* self, std::destroying_delete_t) {
  using anystream::core::leave_to_release_thread;
  const bool left =
      self->back != nullptr &&
      leave_to_release_thread(self, destroy, static_cast<std::uint64_t>(self->span().size()));
  if (!left) destroy(self);
}

anystream_array* anystream_array::make(const DLTensor& tensor, std::uint64_t flags,
                                       const anystream::core::platform& where,
                                       anystream::core::owner keep) {
  const auto extents = 2 * static_cast<std::size_t>(tensor.ndim);
  void* memory = ::operator new(sizeof(anystream_array) + extents * sizeof(std::int64_t));
  return ::new (memory) anystream_array(tensor, flags, where, std::move(keep));
}

namespace anystream::core {
namespace {

// A backend's memory on its way to be given back: to the stream that it was allocated on.
struct allocated {
  const backend* engine;
  DLDevice device;
  void* memory;
  stream_ref stream;

  ~allocated() {
    if (memory != nullptr) engine->deallocate(device, memory, stream ? stream->handle : nullptr);
  }
};

void give_back(void* context) { delete static_cast<allocated*>(context); }

void release_array(void* context) { array_ref::release(static_cast<array*>(context)); }

// Memory of an array that the host has mapped.
struct mapped {
  array_ref base;
  void* address = nullptr;

  ~mapped() {
    if (address == nullptr) return;
    base->engine()->unmap(base->stream_handle(), base->tensor.data, address);
  }
};

void unmap(void* context) { delete static_cast<mapped*>(context); }

// Sets where the element (0, …, 0) is for the host.
owner map_for_host(array& base, DLTensor& seen) {
  if (!base.stream) {
    throw exchange_error("the memory of " + describe_array(*base.platform, base.tensor.device) +
                         " is mapped for the host on a stream; the array has none.\n  Name the one "
                         "that its work is on: producer_stream=.");
  }
  auto* const made = new mapped{array_ref::keep(&base), nullptr};
  owner keep(made, unmap);
  const byte_span span = base.span();
  seen.data = nullptr;
  seen.byte_offset = 0;
  if (span.size() == 0) return keep;
  const location first = {base.tensor.data,
                          base.tensor.byte_offset + static_cast<std::uint64_t>(span.lowest), false};
  made->address =
      base.engine()->map(base.stream_handle(), first, static_cast<std::size_t>(span.size()),
                         (base.flags & flag_read_only) == 0);
  seen.data = static_cast<std::byte*>(made->address) - span.lowest;
  return keep;
}

}  // namespace

array_ref wrap_memory(const DLTensor& tensor, std::uint64_t flags, const platform& where,
                      owner keep) {
  check_tensor(tensor, flags);
  return array_ref::take(array::make(tensor, flags, where, std::move(keep)));
}

allocation allocate(const platform& where, DLDevice device, std::size_t bytes,
                    const stream* stream) {
  if (bytes == 0) return {nullptr, {}};  // DLPack: an array without elements has no data
  const backend& engine = require_backend(where, device);
  auto* made =
      new allocated{&engine, device, nullptr, stream_ref::keep(const_cast<core::stream*>(stream))};
  owner keep(made, give_back);
  made->memory = with_memory_for(bytes, device, [&] {
    return engine.allocate(device, bytes, stream != nullptr ? stream->handle : nullptr);
  });
  return {made->memory, std::move(keep)};
}

array_ref make_empty(DLDevice device, const platform& where, std::int32_t ndim,
                     const std::int64_t* shape, DLDataType type, const stream* stream) {
  run_finished_releases();  // who makes room may do with theirs
  DLTensor tensor = {nullptr, device, ndim, type, const_cast<std::int64_t*>(shape), nullptr, 0};
  const std::int64_t count = check_layout(tensor, 0);
  if (stream != nullptr) check_stream(where, device, *stream);
  const std::int64_t bytes = packed_bytes(count, dtype(type));
  auto [memory, keep] = allocate(where, device, static_cast<std::size_t>(bytes), stream);
  tensor.data = memory;
  auto made = array_ref::take(array::make(tensor, 0, where, std::move(keep)));
  made->stream = stream_ref::keep(const_cast<core::stream*>(stream));
  if (stream != nullptr) {
    set_own_way_back(*made, made->engine()->frees_in_order(device, stream->handle));
  }
  return made;
}

void set_stream(array& array, stream* stream) {
  if (stream != nullptr) check_stream(*array.platform, array.tensor.device, *stream);
  if (stream != nullptr) use_on(array, *stream);
  array.stream = stream_ref::keep(stream);
}

void check_stream(const platform& where, DLDevice device, const stream& stream) {
  if (same_platform(where, *stream.platform)) return;
  throw type_error("a stream of " + to_string(anystream::device(stream.device)) +
                   " cannot carry the work of " + describe_array(where, device) + ".");
}

std::int32_t memory_kind_of(const array& array) {
  const memory_kind promised = array.platform->rules->memory;
  if (promised != memory_kind::unknown) return static_cast<std::int32_t>(promised);
  if (array.engine() == nullptr) return ANYSTREAM_MEMORY_UNKNOWN;
  return array.engine()->memory_kind(array.tensor.device, array.tensor.data, array.stream_handle());
}

array_ref view_on_host(array& base) {
  const std::int32_t kind = memory_kind_of(base);
  if (kind != ANYSTREAM_MEMORY_HOST && kind != ANYSTREAM_MEMORY_SHARED) {
    throw exchange_error("a view for the host needs memory that the host may read; got " +
                         describe_array(*base.platform, base.tensor.device) +
                         (kind == ANYSTREAM_MEMORY_DEVICE ? " in device memory" : "") +
                         ".\n  Copy it to the host, or allocate it as host or shared memory.");
  }
  DLTensor tensor = base.tensor;
  tensor.device = {kDLCPU, 0};
  const platform& host = find_platform_of(device_type::cpu, "");
  if (base.engine() != nullptr && base.engine()->maps()) {
    owner keep = map_for_host(base, tensor);
    return array_ref::take(array::make(tensor, base.flags, host, std::move(keep)));
  }
  if (base.engine() != nullptr && tensor.data != nullptr) {
    tensor.data = const_cast<void*>(base.engine()->host_address(tensor.data));
  }
  base.retain();
  return array_ref::take(array::make(tensor, base.flags, host, owner(&base, release_array)));
}

}  // namespace anystream::core
