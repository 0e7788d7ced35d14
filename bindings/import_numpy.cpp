// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's arrays, read from their struct: exactly its class, since a subclass may mean more than
// its memory (a masked array has a mask).

#include "array_type.hpp"
#include "byte_layout.hpp"
#include "numpy_abi.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {

// In one piece with all that it calls: of an import by a struct the calls are a sixth.
[[gnu::flatten]] PyObject* take_array_struct(PyObject* x, const route& how) {
  const numpy::array& from = numpy::as_array(x);
  const DLDataType dtype = numpy::native_dtype_of(from);
  if (dtype.bits == 0) return nullptr;
  nb::object plan = nb::borrow(how.plan);
  const int ndim = from.nd;
  array_object* self = new_host_array(ndim);
  if (self == nullptr) throw nb::python_error();
  // A new place may make the collector run, and so anything: the array may have another shape now.
  const bool fits = from.nd == ndim && copy_byte_layout(self->tensor.shape, ndim, from.dimensions,
                                                        from.strides, dtype.bits / 8U);
  if (!fits) return discard(self), nullptr;
  self->tensor.data = from.data;
  self->tensor.dtype = dtype;
  self->flags = numpy::flags_of(from);
  self->keeps = keeper::object;
  self->owner = Py_NewRef(x);
  self->plan = plan.release().ptr();
  return publish(self);
}

}  // namespace anystream::python
