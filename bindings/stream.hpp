// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Stream, which holds an anystream_stream, or what one can be made of once a
// device is known.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

#include "core.hpp"
#include "stream_argument.hpp"

namespace anystream::python {

struct stream_releaser {
  void operator()(anystream_stream* stream) const noexcept { core().stream_release(stream); }
};
using stream_ptr = std::unique_ptr<anystream_stream, stream_releaser>;

// One Python Stream. Immutable: an unresolved one stays so, and what an array makes of it is a
// Stream of its own.
class py_stream {
 public:
  explicit py_stream(stream_ptr stream) noexcept : stream_{std::move(stream)} {}
  py_stream(stream_source source, int policy) noexcept
      : source_{std::move(source)}, policy_{policy} {}

  anystream_stream* get() const noexcept { return stream_.get(); }  // null while unresolved
  stream_ptr take() noexcept { return std::move(stream_); }
  const stream_source& source() const noexcept { return source_; }
  stream_source& source() noexcept { return source_; }
  int policy() const noexcept { return stream_ ? core().stream_policy(stream_.get()) : policy_; }

 private:
  stream_ptr stream_;
  stream_source source_;  // what an unresolved one was made of
  int policy_ = ANYSTREAM_OUT_OF_ORDER_REFUSE;
};

// A new Python Stream; null with the Python error set. Owns the handle from the call on.
PyObject* wrap_stream(anystream_stream* anystream_give stream) noexcept;

// The handle of a Python Stream, borrowed from it. Null with the Python error set if the object is
// of another class (TypeError), or not resolved yet (ValueError).
anystream_stream* unwrap_stream(PyObject* stream) noexcept;

// The instance, or null (no error set) if the object is of another class.
py_stream* as_stream(PyObject* object) noexcept;

// Its handle, for the function `where`; throws value_error while it is unresolved.
anystream_stream* resolved(const py_stream& stream, const char* where);

// Anything that Stream(…) takes, made into one. Throws.
// policy: nothing for what it has already, which is to refuse unless it is a Stream that does not.
py_stream make_stream(nanobind::handle given, nanobind::handle device, std::optional<int> policy,
                      const char* where);
py_stream make_stream_from_handle(nanobind::handle device, nanobind::handle handle,
                                  nanobind::handle owner);

// How messages name the two that are ordered.
struct order_names {
  const char* producer;
  const char* consumer;
};

// Makes a stream wait for what producer, anything that Stream(…) takes, has been given so far; a
// number and the like are of the consumer's device. Throws.
void wait_for(anystream_stream* consumer, nanobind::handle producer, const order_names& names);

void register_streams(const nanobind::module_& m);
void register_stream_functions(nanobind::module_& m);

}  // namespace anystream::python
