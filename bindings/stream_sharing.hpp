// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A Stream as other libraries take it: by __cuda_stream__, or by a capsule.
#pragma once

#include <nanobind/nanobind.h>

#include "stream.hpp"

namespace anystream::python {

nanobind::tuple cuda_stream_pair(const py_stream& self);
nanobind::object make_capsule(const py_stream& self);

// The properties __cuda_stream__ and _get_capsule, which give these methods; each is an
// AttributeError where it would not be true.
PyObject* get_cuda_stream(PyObject* self, void*);
PyObject* get_capsule(PyObject* self, void*);

}  // namespace anystream::python
