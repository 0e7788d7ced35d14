// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What `__dlpack__` does once its arguments are read: check, order, and hand out a capsule.
#pragma once

#include <Python.h>

#include <memory>
#include <string>

#include <anystream/c_api.h>

#include "core.hpp"

namespace anystream::python {

struct core_stream_release {
  void operator()(anystream_stream* stream) const noexcept { core().stream_release(stream); }
};
using core_stream = std::unique_ptr<anystream_stream, core_stream_release>;

// The consumer's side of the order: what its `stream` came to on the device.
struct consumer_stream {
  int form = ANYSTREAM_FORM_UNORDERED;  // ANYSTREAM_FORM_…
  core_stream stream;                   // FORM_STREAM
  PyObject* given = nullptr;            // as it was passed, borrowed, for messages
};

enum class copy_rule { as_needed, always, never };

struct export_request {
  DLDevice target;  // where the memory shall be: where it is, or the host
  bool versioned;
  bool knows_padding;  // DLPack 1.1 brought the flag of padded elements
  copy_rule copy;
  PyObject* stream;  // borrowed, not looked at yet
};

// The arguments of `__dlpack__`, held against where the array is. Throws.
export_request read_export_request(DLDevice device, const char* platform, PyObject* const* values,
                                   Py_ssize_t given, PyObject* names);

// Whether the arguments ask for a capsule of DLPack 1 and say nothing else.
bool asks_for_version_only(PyObject* const* values, Py_ssize_t given, PyObject* names);

// A versioned capsule of an Array of the host that needs no more thought; null without an error for
// any other. Throws.
PyObject* export_usual(PyObject* array);

// What request.stream is to the array, or on the host where that is the target. Throws.
consumer_stream read_consumer(DLDevice device, const char* platform, const export_request& request);

// Called once, before any array is made.
void register_export();

// A new capsule of the array's memory, in order before the consumer's later work. Throws; nothing
// has been exported then, and nothing ordered if the request was at fault. `array` is an Array.
PyObject* export_array(PyObject* array, const export_request& request,
                       const consumer_stream& consumer);

// Orders what is pending on the array before the consumer's later work; what it waits for, where it
// must, is the row's word for None. Without a stream of the array's nothing is known to be pending.
// Throws.
void order_for(anystream_array* array, const consumer_stream& consumer);

// "a kDLOneAPI array"; "an array of device type 77" where the table has no row.
std::string array_words(DLDevice device, const char* platform);

}  // namespace anystream::python
