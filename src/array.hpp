// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The array: memory that someone owns, its layout, and the stream that its work is on.
#pragma once

#include <anystream/c_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

#include <anystream/layout.hpp>

#include "owner.hpp"
#include "reference.hpp"
#include "stream.hpp"

namespace anystream::core {
class way_back;
struct way_back_delete {
  void operator()(way_back* gone) const noexcept;  // in release.cpp: most arrays have none
};
}  // namespace anystream::core

// Shape and strides lie behind the object, in the same allocation.
struct anystream_array : anystream::core::counted {
  // Both of the tensor's; its strides may be NULL (row-major).
  static anystream_array* make(const DLTensor& tensor, std::uint64_t flags,
                               const anystream::core::platform& where, anystream::core::owner keep);
  ~anystream_array();

  // Not by its size, which the shape makes larger.
  static void operator delete(anystream_array* self, std::destroying_delete_t);

  const anystream::core::backend* engine() const noexcept { return platform->engine; }
  anystream::extents shape() const noexcept {
    return {tensor.shape, static_cast<std::size_t>(tensor.ndim)};
  }
  anystream::extents strides() const noexcept {
    return {tensor.strides, static_cast<std::size_t>(tensor.ndim)};
  }
  anystream::dtype dtype() const noexcept { return anystream::dtype(tensor.dtype); }
  anystream::byte_span span() const {
    return anystream::span_of(shape(), strides(), dtype(), flags);
  }
  anystream::core::stream_handle stream_handle() const noexcept {
    return stream ? stream->handle : nullptr;
  }

  std::uint32_t ways = 0;  // how often its way back was set
  DLTensor tensor;
  std::uint64_t flags;
  const anystream::core::platform* platform;
  anystream::core::stream_ref stream;
  std::unique_ptr<anystream::core::way_back, anystream::core::way_back_delete>
      back;                       // null: the memory goes back at once
  anystream::core::owner memory;  // run by release_memory, and by nothing else

 private:
  anystream_array(const DLTensor& source, std::uint64_t bits,
                  const anystream::core::platform& where, anystream::core::owner keep) noexcept;
};

namespace anystream::core {

using array = anystream_array;
using array_ref = reference<array>;

// Memory of someone else's. Throws exchange_error for a layout that cannot be.
array_ref wrap_memory(const DLTensor& tensor, std::uint64_t flags, const platform& where,
                      owner keep);

// New row-major memory. stream may be null: the platform's default.
array_ref make_empty(DLDevice device, const platform& where, std::int32_t ndim,
                     const std::int64_t* shape, DLDataType type, const stream* stream);

// stream may be null. An array that has a way back is used on the stream from then on. Throws
// type_error for a stream of another platform.
void set_stream(array& array, stream* stream);
void check_stream(const platform& where, DLDevice device, const stream& stream);

// Memory of a backend's, and how it is given back.
struct allocation {
  void* memory;
  owner keep;
};
allocation allocate(const platform& where, DLDevice device, std::size_t bytes,
                    const stream* stream);

// ANYSTREAM_MEMORY_… : what the device type promises, else what the platform says.
std::int32_t memory_kind_of(const array& array);

// The same memory as the host's; throws exchange_error where the host may not read it.
array_ref view_on_host(array& base);

}  // namespace anystream::core
