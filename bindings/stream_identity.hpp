// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Which stream a Python Stream is: its rules, handle, equality, hash and repr.
#pragma once

#include <cstdint>
#include <string>

#include <nanobind/nanobind.h>

#include <anystream/device.hpp>

#include "stream.hpp"

namespace anystream::python {

// The rules of a stream's platform.
stream_rules rules_of(const anystream_stream* stream);

// CUDA and ROCm: their streams are numbers, and __cuda_stream__ speaks of them.
bool is_a_number(const anystream_stream* stream);

// Of an unresolved Stream too: "" and what it was made of.
const char* platform_of(const py_stream& self);
std::uintptr_t handle_of(const py_stream& self);
const char* policy_word(const py_stream& self);

// By the runtime's word; NotImplemented for an object of another class.
nanobind::object equals(const py_stream& self, nanobind::handle other);
Py_hash_t hash_of(const py_stream& self);

// Raises nothing: what a driver cannot tell is left out.
std::string repr(const py_stream& self);

}  // namespace anystream::python
