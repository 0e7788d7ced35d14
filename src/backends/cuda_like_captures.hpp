// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Captures of streams into graphs, as a backend of the CUDA kind deals with them: member functions
// of the template.
#pragma once

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "backends/cuda_like_streams.hpp"

namespace anystream::core {

// ---- what is captured ---------------------------------------------------------------------------

// The caller has made its place current, if it is a default stream.
template <class Traits>
auto cuda_like_backend<Traits>::capture_of(const calls& api, const known_stream& stream) const
    -> capture_state {
  if (stream.is_of_other_thread()) return {};
  const auto native = cuda_like::native_of<Traits>(stream);
  int status = 0;
  const bool told = api.template call_unless<&driver::stream_is_capturing>(
      cuda_like::capture_implicit, native, &status);
  if (!told) return {capture_state::implicit, 0};
  if (status == 0) return {};
  capture_state found{status == 1 ? capture_state::active : capture_state::invalidated, 0};
  unsigned long long id = 0;
  if (found.status == capture_state::active && api->stream_capture != nullptr) {
    api.template call<&driver::stream_capture>(native, &status, &id, static_cast<void**>(nullptr),
                                               static_cast<const void**>(nullptr),
                                               static_cast<std::size_t*>(nullptr));
    ++id;
  }
  found.id = id;
  const place where = stream.where.load(std::memory_order_acquire);
  if (found.status == capture_state::active && where != 0) seen_.add(where, stream, found);
  return found;
}

template <class Traits>
void cuda_like_backend<Traits>::refuse_broken(const known_stream& stream,
                                              const capture_state& state) const {
  const std::string where = to_string(anystream::device(stream.device));
  if (state.status == capture_state::invalidated) {
    throw ordering_error("a stream of " + where +
                         " is being captured into a graph, and an error has made that capture "
                         "invalid: what is put into it is lost.\n  End the capture, and begin it "
                         "anew.");
  }
  if (state.status != capture_state::implicit) return;
  throw ordering_error("the legacy default stream of " + where +
                       " cannot be used while a blocking stream is being captured into a graph: "
                       "the capture would be broken.\n  Name the stream that is captured, or "
                       "another that is made non-blocking, in place of the default one.");
}

// from, to: the captures of what is waited for and of who waits.
template <class Traits>
void cuda_like_backend<Traits>::check_join(const known_stream& consumer, const capture_state& from,
                                           const capture_state& to) const {
  refuse_broken(consumer, to);
  const bool none = from.status == capture_state::none && to.status == capture_state::none;
  const bool joins =
      from.status == capture_state::active &&
      (to.is_in(from) || (to.status == capture_state::none && !consumer.is_legacy()));
  if (none || joins) return;
  const std::string where = to_string(anystream::device(consumer.device));
  if (from.status == capture_state::none) {
    throw ordering_error(
        "a stream of " + where +
        " that is being captured into a graph cannot wait for work outside of the capture: the "
        "capture would be broken.\n  Have the work done before the capture begins "
        "(synchronize, and pass producer_stream=-1), or make it part of the capture.");
  }
  if (to.status == capture_state::none) {
    throw ordering_error("the legacy default stream of " + where +
                         " cannot become part of a capture.\n  Name another stream as the "
                         "consumer's.");
  }
  throw ordering_error(
      "two streams of " + where +
      " are being captured into two graphs, and neither can wait for the other.\n  Capture both "
      "into one: fork the second from the first by an event before it is captured.");
}

template <class Traits>
auto cuda_like_backend<Traits>::capture_in_place(const calls& api, const known_stream& stream) const
    -> capture_state {
  const place where = require_place(api, stream);
  if (!stream.is_default()) return capture_of(api, stream);
  const current_place here(api, where);
  return capture_of(api, stream);
}

template <class Traits>
void cuda_like_backend<Traits>::check_order(stream_handle producer, stream_handle consumer) const {
  if (driver_if_there() == nullptr) return;  // a producer that orders by itself may have one
  const known_stream& from = cuda_like::stream_at(producer);
  const known_stream& to = cuda_like::stream_at(consumer);
  const calls api = ready();
  const capture_state first = capture_in_place(api, from);
  refuse_broken(from, first);
  check_join(to, first, capture_in_place(api, to));
}

template <class Traits>
void cuda_like_backend<Traits>::check_host_wait(stream_handle producer) const {
  if (driver_if_there() == nullptr) return;
  const known_stream& stream = cuda_like::stream_at(producer);
  if (capture_in_place(ready(), stream).status != capture_state::none) Traits::refuse_wait();
}

// ---- how long it lasts --------------------------------------------------------------------------

// By the word of a stream in it. Nothing is known where that is null or another thread's: then it
// lasts for good.
template <class Traits>
bool cuda_like_backend<Traits>::goes_on(const calls& api, place where,
                                        const known_capture& asked) const {
  if (asked.of == nullptr || asked.of->is_of_other_thread()) return true;
  const current_place here(api, where);
  const capture_state now = capture_of(api, *asked.of);
  return now.status == capture_state::active && now.id == asked.state.id;
}

// What asks for all work of a place breaks the captures there. The legacy stream tells, without
// harm, of those of blocking streams; others are known where they were met. The place is current.
template <class Traits>
bool cuda_like_backend<Traits>::shows_capture(const calls& api, place where) const {
  int status = 0;
  const auto legacy = static_cast<typename Traits::stream>(nullptr);
  const bool none = api.template call_unless<&driver::stream_is_capturing>(
      cuda_like::capture_implicit, legacy, &status);
  if (!none || status != 0) return true;
  for (const known_capture& each : seen_.in(where)) {
    if (goes_on(api, where, each)) return true;
    seen_.forget(each);
  }
  return false;
}

// home, unless it is null: where the memory goes back to, which is asked first.
template <class Traits>
bool cuda_like_backend<Traits>::shows_capture(const calls& api, place where,
                                              stream_handle home) const {
  if (home != nullptr) {
    const known_stream& asked = cuda_like::stream_at(home);
    const bool here = !asked.may_be_gone() && place_of(asked) == where;
    if (here && capture_of(api, asked).status != capture_state::none) return true;
  }
  return shows_capture(api, where);
}

// The capture that a stream, which cannot be asked, is part of. It was made part of it by us.
template <class Traits>
auto cuda_like_backend<Traits>::joined_by(const calls& api, const known_stream& stream) const
    -> known_capture {
  known_capture joined = stream.joined();
  if (joined.of == nullptr) return {};
  const place where = joined.of->where.load(std::memory_order_acquire);
  return goes_on(api, where, joined) ? std::move(joined) : known_capture{};
}

// All that has been captured so far comes before what this stream captures from now on.
template <class Traits>
bool cuda_like_backend<Traits>::wait_for_capture(const calls& api, const known_stream& stream,
                                                 const capture_state& state) const {
  if (api->stream_capture == nullptr || api->graph_nodes == nullptr ||
      api->add_capture_dependencies == nullptr || !capture_of(api, stream).is_in(state)) {
    return false;
  }
  const auto native = cuda_like::native_of<Traits>(stream);
  int status = 0;
  unsigned long long id = 0;
  void* graph = nullptr;
  api.template call<&driver::stream_capture>(native, &status, &id, &graph,
                                             static_cast<const void**>(nullptr),
                                             static_cast<std::size_t*>(nullptr));
  std::size_t count = 0;
  api.template call<&driver::graph_nodes>(graph, static_cast<void**>(nullptr), &count);
  std::vector<void*> nodes(count);
  if (count != 0) api.template call<&driver::graph_nodes>(graph, nodes.data(), &count);
  if (count != 0) Traits::add_dependencies(api, native, nodes.data(), count);
  return true;
}

}  // namespace anystream::core
