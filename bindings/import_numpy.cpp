// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's arrays, read from their struct: exactly its class, since a subclass may mean more than
// its memory (a masked array has a mask).

#include "array_type.hpp"
#include "numpy_abi.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

bool is_native(const numpy::descr& type) noexcept {
  return type.byteorder == '=' || type.byteorder == '|';
}

}  // namespace

PyObject* take_array_struct(PyObject* x, const route& how) {
  const numpy::array& from = numpy::as_array(x);
  const numpy::descr& type = numpy::descr_of(from);
  const DLDataType dtype = numpy::dtype_of(type.number);
  if (dtype.bits == 0 || !is_native(type)) return nullptr;
  nb::object plan = nb::borrow(how.plan);
  const int ndim = from.nd;
  array_object* self = new_host_array(ndim);
  if (self == nullptr) throw nb::python_error();
  // A new place may make the collector run, and so anything: the array may have another shape now.
  const bool fits =
      from.nd == ndim && copy_byte_layout(*self, from.dimensions, from.strides, dtype.bits / 8U);
  if (!fits) return discard(self), nullptr;
  self->tensor.data = from.data;
  self->tensor.dtype = dtype;
  self->flags = (from.flags & numpy::writeable) != 0 ? 0 : flag_read_only;
  self->keeps = keeper::object;
  self->owner = Py_NewRef(x);
  self->plan = plan.release().ptr();
  return publish(self);
}

}  // namespace anystream::python
