// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays of our own: a further view, which keeps the first.
#include <algorithm>

#include "array_type.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {

PyObject* take_array(PyObject* x, const route& how) {
  const array_object& from = as_array(x);
  if (from.tensor.device.device_type != kDLCPU) return nullptr;
  array_object* self = new_host_array(from.tensor.ndim);
  if (self == nullptr) throw nb::python_error();
  std::copy_n(from.tensor.shape, from.tensor.ndim, self->tensor.shape);
  std::copy_n(from.tensor.strides, from.tensor.ndim, self->tensor.strides);
  self->tensor.data = from.tensor.data;
  self->tensor.dtype = from.tensor.dtype;
  self->tensor.byte_offset = from.tensor.byte_offset;
  self->flags = from.flags;
  self->keeps = keeper::object;
  // Of the first array, so that a long line of views is no long line of owners.
  self->owner = Py_NewRef(from.keeps == keeper::object ? from.owner : x);
  self->plan = Py_XNewRef(how.plan);
  return publish(self);
}

}  // namespace anystream::python
