// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of arrays of the host: nothing can be pending there, so that the core has no part
// in them.
#pragma once

#include <Python.h>

#include "managed.hpp"

namespace anystream::python {

// Whether the form can say what the array is; the unversioned one knows no flags.
bool can_be_exported(PyObject* array, bool versioned) noexcept;

// A further reference to the memory of an Array of the host, in DLPack's form. Its deleter may run
// on any thread, with the GIL or without. Throws std::bad_alloc.
template <class Managed>
managed_tensor<Managed> host_tensor(PyObject* array);

extern template managed_tensor<DLManagedTensor> host_tensor(PyObject* array);
extern template managed_tensor<DLManagedTensorVersioned> host_tensor(PyObject* array);

}  // namespace anystream::python
