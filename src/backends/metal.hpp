// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Ordering Metal's command queues, through the Objective-C runtime. What holds of all of it:
//
// - A stream handle is the id<MTLCommandQueue> itself, retained. `data` is an id<MTLBuffer>, to
//   which nothing is added.
// - A queue starts its command buffers in the order of their commits, and Metal keeps those apart
//   that use one tracked resource. So one queue needs nothing. Of untracked resources whoever uses
//   them sees to that between his own command buffers by fences, and goes on doing so; our own
//   copies of them are put between two barriers.
// - Two queues are ordered by a shared event of the producer's: metal_timeline. A signal comes when
//   all earlier commands of the queue have ended, and the commands after a wait start when it has
//   come, tracked or not. A shared event orders queues of several devices, too.
// - What is encoded but not committed is not in a queue yet: nobody can wait for it. Libraries that
//   hold such work have to commit it first.
// - Every call is within an autorelease pool, and what is retained has one owner.
// - No lock is held while Metal is called, but for a timeline's, around the two messages that must
//   not be torn apart; neither waits, nor comes back to us.
// - Streams are taken where there is no Metal, too, since a producer may order by itself: they are
//   numbers then, and not touched.
// - A forked child has no Metal: there every call throws driver_unavailable, and what would release
//   something leaves it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend.hpp"
#include "backends/metal_objects.hpp"
#include "driver/fork.hpp"

namespace anystream::core {

class metal_backend_of_driver final : public backend {
 public:
  // Opens the driver when it is first needed.
  metal_backend_of_driver() = default;
  // On a driver that is there: how tests put a recording one in.
  explicit metal_backend_of_driver(const metal_driver& driver);
  metal_backend_of_driver(const metal_backend_of_driver&) = delete;
  metal_backend_of_driver& operator=(const metal_backend_of_driver&) = delete;
  ~metal_backend_of_driver() override;

  const char* name() const noexcept override { return "metal"; }
  bool serves(device_type type) const noexcept override { return type == device_type::metal; }
  void require() const override { runtime(); }
  // Numbered as MTLCopyAllDevices lists them.
  std::vector<anystream_device_info> devices() const override;

  // Of NULL, since Metal has no default queue, it is a new queue of the device.
  stream_handle retain(DLDevice device, stream_handle theirs, bool) const override;
  void drop(stream_handle ours) const noexcept override;
  DLDevice device_of(stream_handle stream) const override;
  bool copies_streams() const noexcept override { return runtime_if_there() != nullptr; }
  bool in_order(stream_handle) const override { return true; }
  bool same(stream_handle a, stream_handle b) const override { return a == b; }
  // Metal cannot be asked this, so a signal is put in and polled, for at most idle_patience.
  bool idle(stream_handle stream) const override;
  void synchronize(stream_handle stream) const override;
  // Of untracked resources, too.
  bool barrier(stream_handle stream) const override;

  event_handle record(stream_handle stream) const override;
  bool wait(stream_handle stream, event_handle event) const override;
  bool complete(event_handle event) const override;
  void synchronize_event(event_handle event) const override;
  void destroy_event(event_handle event) const noexcept override;

  int memory_kind(DLDevice device, const void* memory, stream_handle stream) const override;
  const void* host_address(const void* memory) const override;
  // Shared with the host where the device has no memory of its own.
  void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const override;
  void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept override;
  // A command buffer may use a buffer without keeping it.
  bool frees_in_order(DLDevice, stream_handle) const noexcept override { return false; }
  // Waits where the host is on one side, or where what is copied is no multiple of the 4 bytes that
  // Metal's own copies are in.
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override;
  bool owns(const void*) const noexcept override { return false; }
  void check_export(const DLTensor&, stream_handle) const override {}

 private:
  // A queue that somebody holds a stream of.
  struct known_queue {
    std::size_t held = 0;     // references of ours
    std::size_t numbers = 0;  // streams that were made without a driver, and hold none
    DLDevice told{};
    std::shared_ptr<metal_timeline> line;  // made with the first event
  };
  // A forked child has one of its own, since the parent's may be locked for good.
  struct queue_table {
    explicit queue_table(std::uint32_t now) noexcept : generation(now) {}
    const std::uint32_t generation;
    std::mutex lock;
    std::map<metal_object, known_queue> queues;
  };

  const metal_runtime& open() const;
  const metal_runtime& runtime() const;
  const metal_runtime* known_runtime() const noexcept;
  const metal_runtime* runtime_if_there() const noexcept;
  queue_table& table() const;
  stream_handle new_queue(DLDevice device) const;
  void note(metal_object queue, DLDevice told, bool held) const;
  bool forget(metal_object queue) const noexcept;
  std::shared_ptr<metal_timeline> timeline(metal_object queue) const;
  metal_event signal(metal_object queue) const;

  const std::vector<metal_object>& device_list() const;
  int number_of(metal_object device) const;
  metal_object device_at(DLDevice device, stream_handle stream) const;

  // Copies; metal_copy.cpp.
  struct range;
  metal_owned new_buffer(metal_object device, std::size_t bytes, metal_integer options) const;
  void blit(metal_object queue, location target, location source, std::size_t bytes) const;
  metal_owned read_out(metal_object queue, const range& of) const;
  void write_in(metal_object queue, const range& to, const void* bytes) const;
  void copy_through_host(metal_object queue, location target, location source,
                         std::size_t bytes) const;
  bool is_shared(metal_object buffer) const;
  bool is_untracked(const location& side) const;

  mutable std::atomic<const metal_runtime*> runtime_{nullptr};
  mutable std::atomic<std::uint32_t> generation_{0};  // of the process that has the driver
  mutable std::atomic<const std::vector<metal_object>*> devices_{nullptr};
  mutable std::atomic<queue_table*> table_{nullptr};
};

}  // namespace anystream::core
