// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays: memory of some library, its layout, and the stream that its work is on.
//
// `array` owns a reference, `array_view` borrows one. Shape and strides are counted in elements;
// element (0, …, 0) is at data + byte_offset. On OpenCL, Metal, Vulkan and WebGPU `data` is a
// handle: never add to it. The last reference gives the memory back to its library, on whatever
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <anystream/api.hpp>
#include <anystream/device.hpp>
#include <anystream/dtype.hpp>
#include <anystream/layout.hpp>
#include <anystream/stream.hpp>

namespace anystream {

// What happens to the memory when the last reference goes while streams still use it. Home is the
// stream on which it is written, reused or freed later: the producer's.
enum class release : std::int32_t {
  ordered = ANYSTREAM_RELEASE_ORDERED,    // home waits for the users on the device
  deferred = ANYSTREAM_RELEASE_DEFERRED,  // home does not; the memory is kept until they are done
  host = ANYSTREAM_RELEASE_HOST,          // whoever lets go waits for them
  none = ANYSTREAM_RELEASE_NONE           // it goes back at once
};

// A borrowed array: valid as long as some array that refers to the same memory.
class array_view {
 public:
  explicit array_view(const anystream_array* borrowed) noexcept
      : handle_(const_cast<anystream_array*>(borrowed)) {}
  array_view(int) = delete;
  array_view(std::nullptr_t) = delete;

  const DLTensor& tensor() const { return *api().array_tensor(handle_); }
  anystream::device device() const { return anystream::device(tensor().device); }
  anystream::dtype dtype() const { return anystream::dtype(tensor().dtype); }
  std::int32_t ndim() const { return tensor().ndim; }
  extents shape() const { return {tensor().shape, static_cast<std::size_t>(ndim())}; }
  extents strides() const { return {tensor().strides, static_cast<std::size_t>(ndim())}; }
  std::int64_t size() const { return element_count(shape()); }
  // Of the elements, as if they were packed: ceil(size x bits x lanes / 8).
  std::int64_t nbytes() const { return packed_bytes(size(), dtype(), flags()); }
  void* data() const { return tensor().data; }
  std::uint64_t byte_offset() const { return tensor().byte_offset; }

  std::uint64_t flags() const { return api().array_flags(handle_); }
  bool read_only() const { return (flags() & flag_read_only) != 0; }
  std::string_view platform() const { return api().array_platform(handle_); }

  // Empty where no stream is known.
  stream_view stream() const { return stream_view(api().array_stream(handle_)); }

  // Who may read the memory. Throws driver_unavailable where only a missing driver could tell.
  anystream::memory_kind memory_kind() const {
    std::int32_t kind = 0;
    check(api().array_memory_kind(handle_, &kind));
    return static_cast<anystream::memory_kind>(kind);
  }

  // Empty where the array has no way back.
  std::optional<release> release_policy() const {
    const std::int32_t policy = api().array_release_policy(handle_);
    return policy < 0 ? std::nullopt : std::optional(static_cast<release>(policy));
  }

  anystream_array* get() const noexcept { return handle_; }

 private:
  anystream_array* handle_;
};

// An owned reference to an array; copying shares the memory.
class array {
 public:
  // Takes the reference that the caller owns.
  explicit array(anystream_array* taken) noexcept : handle_(taken) {}
  explicit array(array_view borrowed) : handle_(borrowed.get()) { api().array_retain(handle_); }
  array(const array& other) : array(array_view(other)) {}
  array(array&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  array& operator=(array other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  array(int) = delete;
  array(std::nullptr_t) = delete;
  ~array() {
    if (handle_ != nullptr) detail::table_in_use().array_release(handle_);
  }

  // New row-major memory with undefined values; on `on`, else the platform's default stream.
  static array empty(anystream::device where, extents shape, anystream::dtype type,
                     stream_view on = {}, const char* platform = "") {
    anystream_array* made = nullptr;
    check(api().array_empty(where.dlpack(), platform, static_cast<std::int32_t>(shape.size()),
                            shape.data(), type.dlpack(), on.get(), &made));
    return array(made);
  }

  // Memory of the caller's. The description is copied; `owner` is released with the last reference,
  // or at once if the description is refused (exchange_error).
  static array wrap(const DLTensor& described, std::uint64_t flags, anystream_owner owner,
                    const char* platform = "") {
    anystream_array* made = nullptr;
    check(api().array_wrap(&described, flags, platform, owner, &made));
    return array(made);
  }

  // A copy in memory of its own, on `on`, else on the array's stream. Complete on return and in
  // row-major order if the host is one of the two sides, else queued and with the array's strides.
  // Throws exchange_error where there is no way, or no stream.
  array copy_to(anystream::device target, stream_view on = {}) const {
    anystream_array* made = nullptr;
    check(api().array_copy(handle_, target.dlpack(), on.get(), &made));
    return array(made);
  }

  // The same memory as the host's, once its work is done. Throws exchange_error where the host may
  // not read it.
  array host_view() const {
    anystream_array* made = nullptr;
    check(api().array_host_view(handle_, &made));
    return array(made);
  }

  // Says which stream the array's work is on; an empty view forgets it. Orders nothing. Not beside
  // another use of the same array.
  void set_stream(stream_view now) { check(api().array_set_stream(handle_, now.get())); }

  // How the memory goes back: to `home`, by its owner, whose release is itself ordered there or
  // only gives up a reference (frees_in_order), or frees at once or when home is idle (not). An
  // empty home: at once, whatever is pending. Not beside another use of the same array. Throws
  // type_error for a stream of another platform.
  void set_way_back(stream_view home, release policy, bool frees_in_order) {
    const auto number = static_cast<std::int32_t>(policy);
    check(api().array_set_way_back(handle_, home.get(), number, frees_in_order ? 1 : 0));
  }

  // The memory is used on this stream too. Throws value_error if the array has no way back.
  void record_stream(stream_view user) const {
    check(api().array_record_stream(handle_, user.get()));
  }

  // Goes the way back now: afterwards the producer may write on home, though arrays live. May wait
  // with release::host, and where no device can see to it; release::deferred makes nobody wait.
  ordered order_back() const {
    std::int32_t how = 0;
    check(api().array_order_back(handle_, &how));
    return static_cast<ordered>(how);
  }

  // NOLINTNEXTLINE(misc-explicit-constructor): wherever a view is asked for, its owner will do
  operator array_view() const noexcept { return view(); }
  array_view view() const noexcept { return array_view(handle_); }

  const DLTensor& tensor() const { return view().tensor(); }
  anystream::device device() const { return view().device(); }
  anystream::dtype dtype() const { return view().dtype(); }
  std::int32_t ndim() const { return view().ndim(); }
  extents shape() const { return view().shape(); }
  extents strides() const { return view().strides(); }
  std::int64_t size() const { return view().size(); }
  std::int64_t nbytes() const { return view().nbytes(); }
  void* data() const { return view().data(); }
  std::uint64_t byte_offset() const { return view().byte_offset(); }
  std::uint64_t flags() const { return view().flags(); }
  bool read_only() const { return view().read_only(); }
  std::string_view platform() const { return view().platform(); }
  stream_view stream() const { return view().stream(); }
  anystream::memory_kind memory_kind() const { return view().memory_kind(); }
  std::optional<release> release_policy() const { return view().release_policy(); }
  anystream_array* get() const noexcept { return handle_; }

 private:
  anystream_array* handle_;
};

}  // namespace anystream
