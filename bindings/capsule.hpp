// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack's capsules: made for a consumer, and claimed from a producer (DLPack, python_spec).
#pragma once

#include <Python.h>

#include <cstdint>

#include "array_type.hpp"
#include "managed.hpp"

namespace anystream::python {

// A new capsule, which calls the deleter if nobody claims it. Throws.
template <class Managed>
PyObject* to_capsule(managed_tensor<Managed> managed);

extern template PyObject* to_capsule(managed_tensor<DLManagedTensor> managed);
extern template PyObject* to_capsule(managed_tensor<DLManagedTensorVersioned> managed);

// Claims the capsule and gives its memory to a new array. `force` is or-ed into the flags. The
// capsule is untouched if it is not one, or not one any more (TypeError, ValueError); else it has
// been used, and the deleter is called exactly once, also where this throws.
core_array claim_capsule(PyObject* capsule, const char* platform, std::uint64_t force);

// The same, for memory of the host: a new Array. Null, without an error and with the capsule as it
// was, if the memory is elsewhere. plan is borrowed and may be null.
PyObject* claim_host_capsule(PyObject* capsule, std::uint64_t force, PyObject* plan);

// Of another major version nothing but version, deleter and flags may be looked at. Throws.
void check_version(const DLManagedTensorVersioned& managed);

// Those flags that are known.
std::uint64_t flags_in(const DLManagedTensorVersioned& managed) noexcept;

// Where the memory of an unused capsule is. Leaves the capsule as it is. Throws.
DLDevice device_of_capsule(PyObject* capsule);

}  // namespace anystream::python
