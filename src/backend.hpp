// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a platform must be able to do. One object a platform, made once, never destroyed; virtual
// dispatch happens here and nowhere else. A backend knows its driver; nothing else does.
#pragma once

#include <anystream/c_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <anystream/device.hpp>

#include "owner.hpp"

namespace anystream::core {

// A platform's own handles, opaque to everyone but their backend.
using stream_handle = void*;
using event_handle = void*;
using event_place = std::uint64_t;

// Where bytes begin. Of a platform whose `data` is a handle (OpenCL, Metal) nothing is added to it.
struct location {
  void* data = nullptr;
  std::uint64_t offset = 0;  // in bytes
  bool of_host = false;      // data is an address of the host's own memory

  std::byte* address() const noexcept { return static_cast<std::byte*>(data) + offset; }
};

class backend {
 public:
  virtual ~backend() = default;

  virtual const char* name() const noexcept = 0;  // "sycl"; lives for the process
  virtual bool serves(device_type type) const noexcept = 0;
  virtual void require() const = 0;  // throws driver_unavailable
  // False: its objects bring their functions, so that it orders without its library, which only
  // lists the devices.
  virtual bool needs_driver() const noexcept { return true; }
  virtual std::vector<anystream_device_info> devices() const = 0;

  // Streams. `retain` makes our own handle of a caller's (a copy of the queue, a reference, or what
  // is to be known of it); it throws value_error where it can tell that the handle is not one.
  // kept: something of the caller's keeps theirs alive as long as ours.
  virtual stream_handle retain(DLDevice device, stream_handle theirs, bool kept) const = 0;
  virtual void drop(stream_handle ours) const noexcept = 0;
  // Whether ours needs nothing of the caller's. If not, it is worth what its owner keeps alive, and
  // cannot be shared.
  virtual bool copies_streams() const noexcept { return true; }
  // Takes what keeps the caller's handle alive, where more than the stream is to keep it; else
  // leaves it to the stream.
  virtual void take_owner([[maybe_unused]] stream_handle ours, [[maybe_unused]] owner& keep) const {
  }
  // What the platform's own functions take: the number that users see.
  virtual stream_handle native(stream_handle ours) const noexcept { return ours; }
  // Asks what is to be known of a stream, while it is certain to be there.
  virtual void know([[maybe_unused]] stream_handle ours) const {}
  // When an array is given back, its streams may not be there any more where nothing kept them, or
  // not be this thread's to use. Then nothing is put into them: record_all stands for their work.
  virtual bool may_be_gone([[maybe_unused]] stream_handle ours) const noexcept { return false; }
  virtual DLDevice device_of(stream_handle stream) const = 0;
  // Whether a handle alone, of no device in particular, tells its own.
  virtual bool tells_device() const noexcept { return copies_streams(); }
  virtual bool in_order(stream_handle stream) const = 0;
  virtual bool same(stream_handle a, stream_handle b) const = 0;
  virtual bool idle(stream_handle stream) const = 0;  // never waits
  // The same where it costs nothing to know: puts nothing into the stream. False: not known.
  virtual bool surely_idle([[maybe_unused]] stream_handle stream) const { return false; }
  virtual void synchronize(stream_handle stream) const = 0;  // waits
  // Later work waits for earlier work. Returns whether the device sees to that; if not (a runtime
  // that has not handed the barrier down yet lets later copies overtake it), the caller must
  // synchronize the stream.
  virtual bool barrier(stream_handle stream) const = 0;

  // Events. An event outlives the stream that it was recorded on.
  virtual event_handle record(stream_handle stream) const = 0;
  // All work so far of whatever the stream belongs to; the stream itself is not touched. home,
  // which may be null: a stream that is there, whose capture is not to be broken by it.
  virtual event_handle record_all(stream_handle stream, [[maybe_unused]] stream_handle home) const {
    return record(stream);
  }
  // Throws ordering_error where the consumer cannot be made to wait for the producer without harm
  // to what either is doing. Puts nothing into them.
  virtual void check_order([[maybe_unused]] stream_handle producer,
                           [[maybe_unused]] stream_handle consumer) const {}
  // The same of the host in place of a consumer.
  virtual void check_host_wait([[maybe_unused]] stream_handle producer) const {}
  // Later work of the stream waits for the event. Returns whether the device sees to that; if not,
  // the caller must synchronize_event. For an in-order stream it always does.
  virtual bool wait(stream_handle stream, event_handle event) const = 0;
  // All of record and wait, where the platform has that in one. False: it has not.
  virtual bool order_at_once([[maybe_unused]] stream_handle producer,
                             [[maybe_unused]] stream_handle consumer) const {
    return false;
  }
  // False: there are no events, so that nobody can tell the end of a stream's work.
  virtual bool records() const noexcept { return true; }
  // Whether streams of the one device can wait for events of the other.
  virtual bool orders_across(DLDevice, DLDevice) const noexcept { return true; }
  virtual bool complete(event_handle event) const = 0;           // never waits
  virtual void synchronize_event(event_handle event) const = 0;  // waits
  // Throws value_error where a caller's thread must not wait, since nobody may go on for it.
  virtual void check_wait([[maybe_unused]] event_handle event) const {}
  virtual void destroy_event(event_handle event) const noexcept = 0;
  // An event that nobody needs any more is kept for streams of the same place, so that none is made
  // anew: vendors bind events to a device, or to its context. 0: it cannot be recorded again, as
  // where the runtime itself makes one of each submission.
  virtual event_place place_of_stream(DLDevice, stream_handle) const { return 0; }
  virtual event_place place_of_event(DLDevice, event_handle) const noexcept { return 0; }
  // In the place of the event. What waits for the earlier record goes on waiting for that one.
  // False: the event went with its place, so another is to be made.
  virtual bool record_again([[maybe_unused]] event_handle event,
                            [[maybe_unused]] stream_handle stream) const {
    return false;
  }
  // The two of what record_all gives.
  virtual event_place place_of_all(stream_handle) const { return 0; }
  virtual bool record_all_again([[maybe_unused]] event_handle event,
                                [[maybe_unused]] stream_handle stream,
                                [[maybe_unused]] stream_handle home) const {
    return false;
  }

  // The device made the thread's current one, where there is such a thing, and back again: what was
  // before, ANYSTREAM_UNCHANGED where nothing was done.
  virtual std::uintptr_t make_current(DLDevice) const { return ANYSTREAM_UNCHANGED; }
  virtual void restore_current([[maybe_unused]] std::uintptr_t before) const {}

  // Memory. `stream` may be null: the platform's default for the device.
  virtual int memory_kind(DLDevice device, const void* memory, stream_handle stream) const = 0;
  // Where the host sees memory that it may read: elsewhere than `data` says where that is a handle.
  virtual const void* host_address(const void* data) const { return data; }
  // Where the memory really is, and of which type, where an interface tells less than DLPack.
  virtual DLDevice locate(DLDevice claimed, const void*) const { return claimed; }
  virtual void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const = 0;
  virtual void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept = 0;
  // Whether deallocate is ordered after what is pending on its stream, and does not block for it.
  virtual bool frees_in_order(DLDevice device, stream_handle stream) const noexcept = 0;
  // Enqueues; either side may be host memory, which must live until the stream got there.
  virtual void copy(stream_handle stream, location target, location source,
                    std::size_t bytes) const = 0;
  // Whether memory that the host may read has to be mapped first, on a stream. `map` waits for that
  // and gives the address; until it is unmapped no device may use the memory.
  virtual bool maps() const noexcept { return false; }
  virtual void* map(stream_handle, location memory, [[maybe_unused]] std::size_t bytes,
                    [[maybe_unused]] bool writable) const {
    return memory.address();
  }
  virtual void unmap(stream_handle, [[maybe_unused]] void* memory,
                     [[maybe_unused]] void* address) const noexcept {}
  // Whether memory at `data` is ours (tells the platform of a device type that several share).
  virtual bool owns(const void* data) const noexcept = 0;
  // Throws exchange_error where the device type's promise does not hold for this memory.
  virtual void check_export(const DLTensor& tensor, stream_handle stream) const = 0;
};

}  // namespace anystream::core
