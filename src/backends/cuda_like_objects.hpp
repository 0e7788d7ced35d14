// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the CUDA and the HIP backend know of a stream, and what their events are.
#pragma once

#include <anystream/c_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "owner.hpp"

namespace anystream::core::cuda_like {

// Where streams and events live: a CUcontext, or a HIP device's number plus one. 0: not known yet.
using place = std::uintptr_t;

// Handles with a meaning, as both drivers have them; CUDA's 1 means what NULL does.
inline constexpr std::uintptr_t legacy_default = 0;
inline constexpr std::uintptr_t per_thread_default = 2;

// A number of the calling thread that no other thread has, nor will have.
std::uint64_t this_thread() noexcept;

struct known_stream;
using stream_pointer = std::shared_ptr<const known_stream>;

// Whether a stream is being captured into a graph, and into which.
struct capture_state {
  enum kind : std::uint8_t {
    none,
    active,
    invalidated,  // by an error: its work goes nowhere
    implicit      // a legacy stream, beside a capture of which it would be part
  };
  kind status = none;
  std::uint64_t id = 0;  // 0 where the driver does not tell

  bool is_in(const capture_state& other) const noexcept {
    return status == active && other.status == active && id != 0 && id == other.id;
  }
};

// A capture, and a stream in it that can be asked whether it goes on.
struct known_capture {
  stream_pointer of;
  capture_state state;
};

// A stream of somebody else's, of which nothing can be copied. Counted, with what keeps it alive,
// since who looks out for the end of a capture asks it.
//
// The driver is asked where a stream belongs when that is first needed and not when the handle
// comes in, since many are never put to use, and a mere number is looked at only when it must be.
struct known_stream : std::enable_shared_from_this<known_stream> {
  known_stream(std::uintptr_t number, DLDevice told, bool is_kept, std::uint64_t whose) noexcept
      : handle(number), device(told), kept(is_kept), thread(whose) {}

  std::uintptr_t handle;  // legacy_default where NULL and 1 are one
  DLDevice device;        // as it was told
  bool kept;              // an object keeps the handle alive
  std::uint64_t thread;   // of per_thread_default: the one that it belongs to, else 0
  mutable std::atomic<place> where{0};
  mutable std::atomic<std::uint64_t> life{0};  // of the place; set before it
  mutable std::atomic<std::uint64_t> id{0};    // unlike handles, never used again; 0: none is known
  mutable owner keep;                          // set before anybody else has the stream

  bool is_legacy() const noexcept { return handle == legacy_default; }
  bool is_default() const noexcept { return is_legacy() || thread != 0; }
  bool is_of_other_thread() const noexcept { return thread != 0 && thread != this_thread(); }
  bool may_be_gone() const noexcept { return is_default() ? is_of_other_thread() : !kept; }

  // The capture that it was last made part of, of a stream that cannot be asked when it matters.
  void join(known_capture by) const {
    if (is_legacy() || (kept && thread == 0)) return;
    const std::scoped_lock lock(mutex_);
    std::swap(joined_, by);
  }
  known_capture joined() const {
    const std::scoped_lock lock(mutex_);
    return joined_;
  }

 private:
  mutable std::mutex mutex_;
  mutable known_capture joined_;
};

// Captures that were seen while streams were asked for theirs. The driver does not list them, and
// what asks for all work of a place breaks those that are there.
class seen_captures {
 public:
  void add(place where, const known_stream& stream, const capture_state& state) {
    const std::scoped_lock lock(mutex_);
    for (const seen& each : all_) {
      if (each.where == where && each.state.id == state.id && each.of.lock().get() == &stream)
        return;
    }
    all_.push_back({where, stream.weak_from_this(), state});
  }

  // Those of which a stream is still known.
  std::vector<known_capture> in(place where) {
    std::vector<known_capture> found;
    const std::scoped_lock lock(mutex_);
    std::erase_if(all_, [](const seen& each) { return each.of.expired(); });
    for (const seen& each : all_) {
      if (each.where != where) continue;
      if (stream_pointer of = each.of.lock()) found.push_back({std::move(of), each.state});
    }
    return found;
  }

  void forget(const known_capture& over) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(all_, [&](const seen& each) {
      return each.state.id == over.state.id && !each.of.owner_before(over.of) &&
             !over.of.owner_before(each.of);
    });
  }

 private:
  struct seen {
    place where;
    std::weak_ptr<const known_stream> of;
    capture_state state;
  };
  std::mutex mutex_;  // no driver is called under it, and no stream let go of
  std::vector<seen> all_;
};

// All work of a place, waited for by a thread: of a driver that has no event for it.
struct awaited_place {
  struct error {
    std::string api;
    std::int64_t code = 0;
    std::string name;
    std::string text;
  };
  std::atomic<bool> done{false};
  std::optional<error> failure;  // set before `done` is
};

struct known_event {
  std::uintptr_t handle = 0;               // the driver's; 0 where what follows stands for it
  place where = 0;                         //
  std::uint64_t life = 0;                  // of the place
  capture_state capture;                   // recorded into this one; all of it, without a handle
  stream_pointer captured;                 // is in that capture; null unless it can be asked
  std::shared_ptr<awaited_place> awaited;  //
};

}  // namespace anystream::core::cuda_like
