// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A platform that somebody registered: a backend over their callbacks. What holds of all of it:
//
// - A stream handle is a record of ours that remembers the caller's and its device; an event handle
//   one that remembers theirs, so that NULL is an event like any other.
// - What a callback returns becomes the exception of that status, which names the platform. A
//   callback that is missing is told of by its name, where something needs it.
// - A forked child calls none of the parent's: what is asked of them throws driver_unavailable, and
//   what would release something leaves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend.hpp"
#include "owner.hpp"

namespace anystream::core {

class registered_platform final : public backend {
 public:
  // The names in `callbacks` must be there to be told of later; strings are not looked at.
  registered_platform(const anystream_platform& callbacks, std::string name);

  const char* name() const noexcept override { return name_.c_str(); }
  bool serves(device_type type) const noexcept override { return type == type_; }
  void require() const override;
  std::vector<anystream_device_info> devices() const override;

  stream_handle retain(DLDevice device, stream_handle theirs, bool kept) const override;
  void drop(stream_handle ours) const noexcept override;
  bool copies_streams() const noexcept override { return calls_.retain != nullptr; }
  stream_handle native(stream_handle ours) const noexcept override;
  DLDevice device_of(stream_handle stream) const override;
  bool tells_device() const noexcept override { return calls_.device_of != nullptr; }
  bool in_order(stream_handle stream) const override;
  bool same(stream_handle a, stream_handle b) const override;
  // By an event, where there are events that can be asked; else what is not known is not idle.
  bool idle(stream_handle stream) const override;
  void synchronize(stream_handle stream) const override;
  // The stream waits for its own work so far.
  bool barrier(stream_handle stream) const override;

  event_handle record(stream_handle stream) const override;
  bool wait(stream_handle stream, event_handle event) const override;
  bool order_at_once(stream_handle producer, stream_handle consumer) const override;
  bool records() const noexcept override { return calls_.record != nullptr; }
  bool orders_across(DLDevice a, DLDevice b) const noexcept override;
  bool complete(event_handle event) const override;
  void synchronize_event(event_handle event) const override;
  void destroy_event(event_handle event) const noexcept override;

  int memory_kind(DLDevice device, const void* memory, stream_handle stream) const override;
  const void* host_address(const void* data) const override;
  void* allocate(DLDevice device, std::size_t bytes, stream_handle stream) const override;
  void deallocate(DLDevice device, void* memory, stream_handle stream) const noexcept override;
  bool frees_in_order(DLDevice device, stream_handle stream) const noexcept override;
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override;
  bool owns(const void* data) const noexcept override;
  void check_export(const DLTensor&, stream_handle) const override {}

 private:
  [[noreturn]] void refuse_missing(const char* callback, const char* what) const;
  [[noreturn]] void fail(anystream_status status, const char* callback,
                         const anystream_fault& fault) const;
  bool is_of_parent() const noexcept;

  // Calls one that is there; throws what it reports.
  template <class Callback, class... Arguments>
  void call(const char* callback, Callback function, Arguments... arguments) const;
  // The same of one that may be missing. what: what needs it.
  template <class Callback, class... Arguments>
  void need(const char* callback, const char* what, Callback function,
            Arguments... arguments) const;

  anystream_platform calls_;
  std::string name_;
  device_type type_;
  std::uint32_t generation_;
};

// The names of the callbacks that are there: "in_order record wait".
std::string callback_names(const anystream_platform& callbacks);

}  // namespace anystream::core
