// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Ordering OpenCL queues, by the functions of each object's own driver. What holds of all of it:
//
// - A stream handle is the caller's cl_command_queue with a reference of ours; an event handle is a
//   cl_event, of a marker of ours. `data` of an array is a cl_mem: nothing is ever added to it.
// - A pointer cannot be asked whether it is an object of OpenCL's. What cannot be one, by its
//   address, is refused; memory is asked only where it is of the driver of a queue that is known.
// - Queues of one context wait for one another's markers. A queue of another context, of whatever
//   driver, waits for an event of its own context's that the producer's driver sets as soon as the
//   marker is done (opencl_bridge.cpp): the host does not wait there either.
// - What is recorded is flushed: no driver need begin with what was not, and then nobody's wait
//   would end. The host does not wait for a flush.
// - A barrier holds back later work also on an out-of-order queue.
// - The end of a marker of work that failed is an error of the driver's, to whoever asks or waits.
//   Whether a queue behind it goes on is the driver's to say: PoCL's does not, Intel's does.
// - OpenCL numbers no devices. opencl_devices.cpp says how they get theirs.
// - A forked child has no OpenCL: there every call throws driver_unavailable, and what would let go
//   of something leaves it.
#pragma once

#include <vector>

#include "backend.hpp"
#include "backends/opencl_devices.hpp"
#include "backends/parked_queues.hpp"
#include "driver/opencl.hpp"

namespace anystream::core {

class opencl_runtime final : public backend {
 public:
  opencl_runtime() = default;
  opencl_runtime(const opencl_runtime&) = delete;
  opencl_runtime& operator=(const opencl_runtime&) = delete;
  ~opencl_runtime() override;

  const char* name() const noexcept override { return "opencl"; }
  bool serves(device_type type) const noexcept override { return type == device_type::opencl; }
  // No loader is needed for what objects there are: only a forked child, and macOS, lack it.
  void require() const override;
  bool needs_driver() const noexcept override { return false; }
  // All that are known, and those that the system's loader finds.
  std::vector<anystream_device_info> devices() const override;

  stream_handle retain(DLDevice device, stream_handle theirs, bool) const override;
  // Does not wait for the queue's work: the driver finishes it.
  void drop(stream_handle ours) const noexcept override;
  DLDevice device_of(stream_handle stream) const override;
  bool in_order(stream_handle stream) const override;
  bool same(stream_handle a, stream_handle b) const override { return a == b; }
  // OpenCL cannot be asked this, so a marker is put in and polled. An idle queue has finished it
  // within microseconds; one that has not after a while is called busy.
  bool idle(stream_handle stream) const override;
  void synchronize(stream_handle stream) const override;
  bool barrier(stream_handle stream) const override;

  event_handle record(stream_handle stream) const override;
  bool wait(stream_handle stream, event_handle event) const override;
  bool complete(event_handle event) const override;
  void synchronize_event(event_handle event) const override;
  void destroy_event(event_handle event) const noexcept override;

  // host: the buffer was made on the host's own memory, or in such that it can map; shared:
  // on SVM. Unknown without a stream, whose driver is the one to ask.
  int memory_kind(DLDevice device, const void* memory, stream_handle stream) const override;
  // A buffer is of a context, and so of all its devices: the claimed one where it is among them,
  // else the first. Throws value_error for what cannot be a cl_mem.
  DLDevice locate(DLDevice claimed, const void* data) const override;
  // A buffer in the stream's context, which must be named: a device has no context of its own.
  void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const override;
  void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept override;
  // The driver keeps a buffer until the commands that use it have ended.
  bool frees_in_order(DLDevice, stream_handle) const noexcept override { return true; }
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override;
  // Maps it, which waits for the stream; what the host wrote is there for the device when unmapped.
  bool maps() const noexcept override { return true; }
  void* map(stream_handle stream, location memory, std::size_t bytes, bool writable) const override;
  void unmap(stream_handle stream, void* memory, void* address) const noexcept override;
  bool owns(const void*) const noexcept override { return false; }
  void check_export(const DLTensor&, stream_handle) const override {}

 private:
  mutable opencl_devices devices_;
  mutable parked_queues<opencl_queue> parked_;
};

// Later work of the queue waits for an event of another context, though no driver knows both.
void wait_across_contexts(opencl_queue queue, opencl_event event);

}  // namespace anystream::core
