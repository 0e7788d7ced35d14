// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of any platform, and the order between them.
//
// A stream is a queue of device work: cudaStream_t, hipStream_t, sycl::queue, cl_command_queue,
// MTLCommandQueue. `stream` owns a reference to one, `stream_view` borrows it: a view is valid as
// long as some `stream` or array that refers to the same one. All functions may be called from any
// thread. They throw driver_unavailable where this version cannot order on the platform, and
// driver_error where the vendor's function failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <anystream/api.hpp>
#include <anystream/device.hpp>
#include <anystream/event.hpp>

namespace anystream {

// How two streams stand to each other.
enum class relation : std::int32_t {
  same = ANYSTREAM_RELATION_SAME,
  same_out_of_order = ANYSTREAM_RELATION_SAME_OUT_OF_ORDER,
  different = ANYSTREAM_RELATION_DIFFERENT,
  unrelated = ANYSTREAM_RELATION_UNRELATED
};

// What an ordering call did; `idle` is a host wait that was due, with nothing pending.
enum class ordered : std::int32_t {
  nothing = ANYSTREAM_ORDERED_NOTHING,
  barrier = ANYSTREAM_ORDERED_BARRIER,
  event = ANYSTREAM_ORDERED_EVENT,
  host_wait = ANYSTREAM_ORDERED_HOST_WAIT,
  idle = ANYSTREAM_ORDERED_IDLE
};

// Whether an out-of-order queue may be a consumer's stream.
enum class out_of_order : std::int32_t {
  refuse = ANYSTREAM_OUT_OF_ORDER_REFUSE,
  barrier = ANYSTREAM_OUT_OF_ORDER_BARRIER
};

class stream;

// A borrowed stream, or none.
class stream_view {
 public:
  stream_view() = default;
  // The library keeps its counts behind a const; what a view can change is the device's work.
  explicit stream_view(const anystream_stream* borrowed) noexcept
      : handle_(const_cast<anystream_stream*>(borrowed)) {}
  // A number is a stream on CUDA and ROCm only, and 0 is ambiguous: stream::from_handle says which.
  stream_view(int) = delete;
  stream_view(long) = delete;
  stream_view(std::nullptr_t) = delete;

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  anystream_stream* get() const noexcept { return handle_; }

  anystream::device device() const { return anystream::device(api().stream_device(handle_)); }
  std::string_view platform() const { return api().stream_platform(handle_); }
  // The platform's own handle; where queues are copied (SYCL), our copy, alive as long as the
  // stream.
  std::uintptr_t native_handle() const { return api().stream_handle(handle_); }

  bool in_order() const {
    std::int32_t in_order = 0;
    check(api().stream_in_order(handle_, &in_order));
    return in_order != 0;
  }

  // The stream's later work waits for the producer's earlier work, on the device; between two
  // platforms the host waits. Throws value_error if this stream is an out-of-order queue that was
  // not allowed (stream::with_policy).
  ordered wait(stream_view producer) const {
    std::int32_t how = 0;
    check(api().stream_order(producer.handle_, handle_, &how));
    return static_cast<ordered>(how);
  }
  // The same for the work before an event.
  void wait(const event& earlier) const { check(api().event_wait(handle_, earlier.get())); }

  // An event at the end of the work so far.
  event record() const {
    anystream_event* made = nullptr;
    check(api().event_record(handle_, &made));
    return event(made);
  }

  // Whether nothing is pending. Never waits.
  bool idle() const {
    std::int32_t idle = 0;
    check(api().stream_idle(handle_, &idle));
    return idle != 0;
  }

  // Blocks the calling thread until the work so far has finished: host_wait, or idle.
  ordered synchronize() const {
    std::int32_t how = 0;
    check(api().stream_synchronize(handle_, &how));
    return static_cast<ordered>(how);
  }

  // By the word of the runtime: two handles may be one queue.
  relation relation_to(stream_view consumer) const {
    std::int32_t relation = 0;
    check(api().stream_relation(handle_, consumer.handle_, &relation));
    return static_cast<anystream::relation>(relation);
  }

 private:
  anystream_stream* handle_ = nullptr;
};

// An owned reference to a stream; copying shares it.
class stream {
 public:
  // Takes the reference that the caller owns.
  explicit stream(anystream_stream* taken) noexcept : handle_(taken) {}
  explicit stream(stream_view borrowed) : handle_(borrowed.get()) {
    if (handle_ != nullptr) api().stream_retain(handle_);
  }
  stream(const stream& other) : stream(stream_view(other)) {}
  stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  stream& operator=(stream other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  stream(int) = delete;
  stream(long) = delete;
  stream(std::nullptr_t) = delete;
  ~stream() {
    if (handle_ != nullptr) detail::table_in_use().stream_release(handle_);
  }

  // A handle that the caller vouches for: the one opt-in to raw handles. A SYCL queue is copied;
  // any other handle must outlive the stream. platform "": the device type's own.
  static stream from_handle(anystream::device where, std::uintptr_t handle,
                            const char* platform = "") {
    anystream_stream* made = nullptr;
    check(api().stream_from_handle(where.dlpack(), platform, handle, {}, &made));
    return stream(made);
  }

  // The same queue, to be used as a consumer's even if it is out-of-order.
  stream with_policy(out_of_order policy) const {
    anystream_stream* made = nullptr;
    check(api().stream_with_policy(handle_, static_cast<std::int32_t>(policy), &made));
    return stream(made);
  }

  // NOLINTNEXTLINE(misc-explicit-constructor): wherever a view is asked for, its owner will do
  operator stream_view() const noexcept { return view(); }
  stream_view view() const noexcept { return stream_view(handle_); }
  stream_view operator*() const noexcept { return view(); }

  anystream::device device() const { return view().device(); }
  std::string_view platform() const { return view().platform(); }
  std::uintptr_t native_handle() const { return view().native_handle(); }
  bool in_order() const { return view().in_order(); }
  ordered wait(stream_view producer) const { return view().wait(producer); }
  void wait(const event& earlier) const { view().wait(earlier); }
  event record() const { return view().record(); }
  bool idle() const { return view().idle(); }
  ordered synchronize() const { return view().synchronize(); }
  anystream_stream* get() const noexcept { return handle_; }

 private:
  anystream_stream* handle_;
};

// Names for the two sides, so that they cannot be swapped unseen: order({.producer = …, .consumer =
// …}).
struct hand_off {
  stream_view producer;
  stream_view consumer;
};

inline ordered order(const hand_off& sides) { return sides.consumer.wait(sides.producer); }

}  // namespace anystream
