// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Ordering streams of the CUDA kind: one implementation over two lists of driver functions. What
// holds of both:
//
// - A stream handle is a known_stream of ours: what is known of somebody else's stream. An event
//   handle is a known_event. Handles of the driver are checked by the driver where they are used; a
//   mere number, of which nobody keeps the stream alive, is used while the call runs that it was
//   given to, and never later.
// - A stream belongs to a place, a context (CUDA) or a device (HIP), which is made current around
//   calls that depend on it, and around all that enqueue or wait in a thread that has none, since
//   CUDA may refuse them there. The caller's own is current again afterwards.
// - Two streams are the same if they are of one place, have one handle, NULL and 1 being one, and
//   have one id, where the driver gives ids. Handle 2 is another stream in each thread.
// - Before an event is recorded it is known whether either stream is being captured into a graph.
//   Within one capture, record and wait become edges of the graph. What would break a capture is
//   refused before anything is called. A stream being captured is never asked for its state, and
//   captures of other threads are not broken by what is asked here.
// - What stands for a mere number asks for all work of its place, which breaks the captures there
//   and is put off while one is known of: one that the number was made part of, one of the stream
//   that the memory goes back to, any that was met before, and those of blocking streams. Others
//   cannot be known of.
// - Nothing is held locked while the driver is called.
// - A forked child has no driver: there every call throws driver_unavailable, and what would
//   release something leaves it.
//
// CUDA driver API: https://docs.nvidia.com/cuda/cuda-driver-api/ ("Stream synchronization
// behavior", "Stream Management", "Event Management"). HIP keeps to the same rules.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "backends/cuda_like_calls.hpp"
#include "backends/cuda_like_objects.hpp"
#include "driver/driver.hpp"
#include "driver/fork.hpp"

namespace anystream::core {

template <class Traits>
class cuda_like_backend final : public backend {
 public:
  using driver = typename Traits::driver;
  using calls = cuda_like::calls<driver>;

  // Opens the driver when it is first needed.
  cuda_like_backend() = default;
  // On a driver that is there: how tests put a recording one in.
  explicit cuda_like_backend(const driver& there)
      : driver_(&there), generation_(process_generation()) {}
  cuda_like_backend(const cuda_like_backend&) = delete;
  cuda_like_backend& operator=(const cuda_like_backend&) = delete;

  const char* name() const noexcept override { return Traits::name; }
  bool serves(device_type type) const noexcept override { return Traits::serves(type); }
  void require() const override { opened(); }
  std::vector<anystream_device_info> devices() const override;

  stream_handle retain(DLDevice device, stream_handle theirs, bool kept) const override;
  void drop(stream_handle ours) const noexcept override;
  void take_owner(stream_handle ours, owner& keep) const override;
  bool copies_streams() const noexcept override { return false; }
  stream_handle native(stream_handle ours) const noexcept override;
  void know(stream_handle ours) const override;
  bool may_be_gone(stream_handle ours) const noexcept override;
  DLDevice device_of(stream_handle stream) const override;
  bool in_order(stream_handle) const override { return true; }
  bool same(stream_handle a, stream_handle b) const override;
  bool idle(stream_handle stream) const override;
  bool surely_idle(stream_handle stream) const override;
  void synchronize(stream_handle stream) const override;
  bool barrier(stream_handle) const override { return true; }
  void check_order(stream_handle producer, stream_handle consumer) const override;
  void check_host_wait(stream_handle producer) const override;
  std::uintptr_t make_current(DLDevice device) const override;
  void restore_current(std::uintptr_t before) const override;

  event_handle record(stream_handle stream) const override;
  event_handle record_all(stream_handle stream, stream_handle home) const override;
  bool wait(stream_handle stream, event_handle event) const override;
  bool complete(event_handle event) const override;
  void synchronize_event(event_handle event) const override;
  void destroy_event(event_handle event) const noexcept override;
  event_place place_of_stream(DLDevice device, stream_handle stream) const override;
  event_place place_of_event(DLDevice device, event_handle event) const noexcept override;
  bool record_again(event_handle event, stream_handle stream) const override;
  event_place place_of_all(stream_handle stream) const override;
  bool record_all_again(event_handle event, stream_handle stream,
                        stream_handle home) const override;

  // As the driver says of the pointer; `device` and `stream` do not matter.
  int memory_kind(DLDevice device, const void* memory, stream_handle stream) const override;
  DLDevice locate(DLDevice claimed, const void* memory) const override;
  // From the stream's pool, where it is on that device and the device has pools.
  void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const override;
  void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept override;
  bool frees_in_order(DLDevice device, stream_handle stream) const noexcept override;
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override;
  bool owns(const void*) const noexcept override { return false; }
  void check_export(const DLTensor&, stream_handle) const override {}

 private:
  using known_stream = cuda_like::known_stream;
  using known_event = cuda_like::known_event;
  using known_capture = cuda_like::known_capture;
  using capture_state = cuda_like::capture_state;
  using place = cuda_like::place;
  using current_place = cuda_like::current_place<Traits>;
  using relaxed = cuda_like::relaxed<driver>;

  const driver& open() const;
  const driver* known_driver() const noexcept;
  // As a list of calls; `ready` has the driver initialised.
  calls opened() const;
  calls ready() const;
  const driver* driver_if_there() const noexcept;

  place place_of(const known_stream& stream) const;
  place default_place(const calls& api, int device) const;
  void resolve(const calls& api, const known_stream& stream) const;
  // Of a stream that is gone with its place the driver is asked nothing; the other throws.
  bool is_there(const calls& api, const known_stream& stream) const;
  place require_place(const calls& api, const known_stream& stream) const;

  capture_state capture_of(const calls& api, const known_stream& stream) const;
  capture_state capture_in_place(const calls& api, const known_stream& stream) const;
  bool goes_on(const calls& api, place where, const known_capture& asked) const;
  bool shows_capture(const calls& api, place where) const;
  bool shows_capture(const calls& api, place where, stream_handle home) const;
  known_capture joined_by(const calls& api, const known_stream& stream) const;
  bool wait_for_capture(const calls& api, const known_stream& stream,
                        const capture_state& state) const;
  void refuse_broken(const known_stream& stream, const capture_state& state) const;
  void check_join(const known_stream& consumer, const capture_state& from,
                  const capture_state& to) const;

  // Where record_all finds work, and whether it is the place that the stream was in.
  struct whole {
    place where;
    std::uint64_t life;
    bool is_there;
  };
  whole whole_of(const calls& api, const known_stream& stream) const;
  bool record_context(const calls& api, known_event& event, stream_handle home) const;
  void record_whole(const calls& api, known_event& event, const known_stream& stream,
                    stream_handle home) const;
  void record_into(const calls& api, known_event& event, const known_stream& stream,
                   const capture_state& state) const;
  std::shared_ptr<cuda_like::awaited_place> await_place(place where, std::uint64_t life) const;
  bool is_gone(const calls& api, place where, std::uint64_t life) const noexcept;
  bool has_pool(DLDevice device) const noexcept;
  bool uses_pool(DLDevice device, stream_handle stream) const noexcept;

  mutable std::atomic<const driver*> driver_{nullptr};
  mutable std::atomic<std::uint32_t> generation_{0};  // of the process that has the driver
  mutable std::atomic<bool> initialized_{false};
  mutable cuda_like::seen_captures seen_;
  static constexpr std::size_t most_devices = 64;
  mutable std::array<std::atomic<place>, most_devices> primary_{};
  mutable std::array<std::atomic<bool>, most_devices> without_pools_{};
};

}  // namespace anystream::core
