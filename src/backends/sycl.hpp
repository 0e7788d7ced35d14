// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Ordering SYCL queues, over dpctl's C library. What holds of all of it:
//
// - A stream handle is a sycl::queue* on the heap, ours: callers' queues are copied, which makes a
//   second object of the same queue, and never kept by address. An event handle is a sycl::event*.
// - A pointer cannot be asked whether it is a queue. One that comes from a "SyclQueueRef" capsule
//   or out of an object of a known class is trusted for that; a bare number gets here by the
//   caller's word only.
// - Events order queues of two contexts, and of two devices, like those of one. A queue that is to
//   wait for one that is complete by then is given no barrier.
// - A barrier holds back later work also on an out-of-order queue, once the device has it. The
//   runtime keeps it back while it depends on what only the host can wait for: an event of another
//   context, or a host task (dpctl puts one behind an operation to keep its arguments alive). A
//   later copy or fill on an out-of-order queue goes straight to the device, and so overtakes it;
//   kernels do not, and nothing does on an in-order queue. What a barrier waits for shows whether
//   it was kept back: then barrier() and wait() say false, and the host has to wait.
// - Nothing is held locked while the runtime is called. What is made on first need (the device
//   list, default queues) is made by whoever comes first, and published by a compare-exchange.
// - A queue is only carried between libraries that use one libsycl. Two in a process are refused by
//   name: when the driver is opened, and when a queue comes in after anything was loaded since.
// - A forked child has no SYCL: there every call throws driver_unavailable, and what would release
//   something leaves it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "backend.hpp"
#include "backends/parked_queues.hpp"
#include "driver/sycl.hpp"

namespace anystream::core {

struct sycl_root_device;
struct sycl_device_list;

class sycl_runtime final : public backend {
 public:
  // Opens the driver when it is first needed.
  sycl_runtime() = default;
  // On a driver that is there: how tests put a fake one in.
  explicit sycl_runtime(const sycl_driver& driver) : driver_(&driver) {}
  sycl_runtime(const sycl_runtime&) = delete;
  sycl_runtime& operator=(const sycl_runtime&) = delete;
  ~sycl_runtime() override;

  const char* name() const noexcept override { return "sycl"; }
  bool serves(device_type type) const noexcept override { return type == device_type::one_api; }
  void require() const override { driver(); }
  std::vector<anystream_device_info> devices() const override;

  stream_handle retain(DLDevice device, stream_handle theirs, bool) const override;
  // Does not wait for the queue's work: the runtime finishes it without the handle. Out-of-order
  // queues are parked first.
  void drop(stream_handle ours) const noexcept override;
  // The number of the queue's root device among all SYCL devices: what DLPack numbers them by.
  DLDevice device_of(stream_handle stream) const override;
  bool in_order(stream_handle stream) const override;
  bool same(stream_handle a, stream_handle b) const override;
  // SYCL cannot be asked this, so a barrier is put in and polled. An idle queue has finished it
  // within microseconds; one that has not after idle_patience is called busy.
  bool idle(stream_handle stream) const override;
  void synchronize(stream_handle stream) const override;
  bool barrier(stream_handle stream) const override;

  event_handle record(stream_handle stream) const override;
  bool wait(stream_handle stream, event_handle event) const override;
  bool complete(event_handle event) const override;
  void synchronize_event(event_handle event) const override;
  void destroy_event(event_handle event) const noexcept override;

  // As the stream's context sees it, else as the device's default context does.
  int memory_kind(DLDevice device, const void* memory, stream_handle stream) const override;
  // Device memory in the stream's context, else in the device's default one.
  void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const override;
  // To the stream that it was allocated on, or one in the same context. It blocks until the work
  // that is pending there has ended: wait, or defer it, where that matters.
  void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept override;
  bool frees_in_order(DLDevice, stream_handle) const noexcept override { return false; }
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override;
  // Whether a default context of a device knows the memory. Opens no driver.
  bool owns(const void* data) const noexcept override;
  // kDLOneAPI promises the platform's default context: that is all that a consumer is told.
  void check_export(const DLTensor& tensor, stream_handle stream) const override;

 private:
  static void forget_driver() noexcept;
  const sycl_driver& open() const;
  const sycl_driver& driver() const {
    const sycl_driver* known = driver_.load();
    return known ? *known : open();
  }
  const sycl_device_list& device_list() const;
  const sycl_root_device& root_device(DLDevice device) const;
  sycl_context default_context(const sycl_root_device& device) const;
  sycl_queue default_queue(const sycl_root_device& device) const;
  sycl_queue queue_of(DLDevice device, stream_handle stream) const;
  void refuse_second_libsycl() const;

  mutable std::atomic<const sycl_driver*> driver_{nullptr};
  mutable std::atomic<const sycl_device_list*> device_list_{nullptr};
  mutable std::atomic<std::uint64_t> checked_loads_{0};
  mutable parked_queues<sycl_queue> parked_;
};

// Throws driver_unavailable, naming them, if the files are more than one libsycl.
void require_one_libsycl(std::span<const std::string> files);

}  // namespace anystream::core
