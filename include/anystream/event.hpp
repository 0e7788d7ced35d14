// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a point in a stream's work, which streams can wait for and the host can ask about.
#pragma once

#include <utility>

#include <anystream/api.hpp>
#include <anystream/device.hpp>

namespace anystream {

// Owns one event; outlives the stream that it was recorded on. Made by stream_view::record.
class event {
 public:
  explicit event(anystream_event* taken) noexcept : handle_(taken) {}
  event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event() {
    if (handle_ != nullptr) detail::table_in_use().event_release(handle_);
  }

  anystream::device device() const { return anystream::device(api().event_device(handle_)); }

  // Whether the work before it has finished. Never waits.
  bool complete() const {
    std::int32_t complete = 0;
    check(api().event_query(handle_, &complete));
    return complete != 0;
  }

  // Blocks the calling thread until the work before it has finished.
  void synchronize() const { check(api().event_synchronize(handle_)); }

  const anystream_event* get() const noexcept { return handle_; }

 private:
  anystream_event* handle_;
};

}  // namespace anystream
