// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of memory of the host: nothing can be pending there, so that the core has no part
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

// The same of an ndarray of exactly NumPy's class, which needs no Array in between; null where it
// is one that takes more thought: of another byte order or element type, with strides that are no
// whole elements, or of more dimensions than are usual. Runs no code of others. Throws
// std::bad_alloc.
managed_tensor<DLManagedTensorVersioned> ndarray_tensor(PyObject* x);

// What the deleter of such a tensor does, at less cost where the caller is known to have the GIL.
// An error that is pending stays so. False, and nothing done, for a tensor of another kind.
template <class Managed>
bool let_go_with_gil(Managed* managed) noexcept;

extern template bool let_go_with_gil(DLManagedTensor* managed) noexcept;
extern template bool let_go_with_gil(DLManagedTensorVersioned* managed) noexcept;
extern template managed_tensor<DLManagedTensor> host_tensor(PyObject* array);
extern template managed_tensor<DLManagedTensorVersioned> host_tensor(PyObject* array);

}  // namespace anystream::python
