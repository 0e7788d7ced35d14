// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How the handle of a foreign stream object is read: by its library's row, by __cuda_stream__, or
// by the capsule that it gives. What the object raises meanwhile is left as it is.
#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>

#include "configuration.hpp"
#include "stream_source.hpp"

namespace anystream::python {

// The family of an object's streams; lives as long as the row. "" if it is of none that is known.
const char* family_of(nanobind::handle object, const stream_class& row);

// The handle, capsule or version of an object of a known class, into out.
void read_by_row(nanobind::handle object, const stream_class& row, stream_source& out);

// What __cuda_stream__ gives: a pair (version, handle). It may be a method or an attribute.
void read_protocol(nanobind::handle object, nanobind::handle protocol, stream_source& out);

// A capsule's name and pointer. owner keeps both alive.
void read_capsule(nanobind::handle capsule, nanobind::object owner, stream_source& out);

// obj.name, or an invalid object if there is no such attribute; other errors are thrown.
nanobind::object optional_attribute(nanobind::handle object, const char* name);

}  // namespace anystream::python
