// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back as the package needs it: arrays that bring their memory home, and the releases that
// wait for the device.
#pragma once

#include <nanobind/nanobind.h>

#include "array_type.hpp"

namespace anystream::python {

// "ordered", "deferred", "host", "none": ANYSTREAM_RELEASE_… ; throws ValueError, TypeError, which
// name `where`.
std::int32_t to_release_policy(PyObject* word, const char* where);

// Has the core keep the memory of an array on a device whose stream is known, with a way back to
// that stream, if a Python object alone kept it so far. Throws.
void keep_by_core(array_object& array);

// What _array_on_stream is told of the way back.
struct way_arguments {
  PyObject* homes = Py_None;  // a tuple of Streams, or None for no way back
  PyObject* policy = nullptr;
  int frees_in_order = 0;
  int fresh = 0;  // nobody else has seen the array yet
};

// The same memory, to be put on a stream (a Stream or None), with a way back to `homes`. Throws.
array_parts on_stream(PyObject* array, PyObject* stream, const way_arguments& given);

// The array of the core goes back to that Stream, which is its producer's. Throws.
void bring_home(anystream_array* array, nanobind::handle stream);

// The array is used on a further stream until it goes, if it has a way back. Throws.
void use_on(PyObject* array, anystream_stream* user);

// Array's methods.
PyObject* array_release(PyObject* self, PyObject*);
PyObject* array_record_stream(PyObject* self, PyObject* stream);

// How many blocks have another policy than the usual one, in all threads: while there are any, no
// quick way takes the usual one for granted. Changed with the GIL.
extern int releasing_blocks;

// Lets releases that are due be done, and waits where there are more than the limit allows, with
// the GIL dropped. Costs a call where none is pending. Throws.
void make_room_for_arrays();

void register_way_back(nanobind::module_& m);

}  // namespace anystream::python
