// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's arrays, read from their struct: exactly its class, since a subclass may mean more than
// its memory (a masked array has a mask).
#include <bit>

#include "array_type.hpp"
#include "numpy_abi.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

bool is_native(const numpy::descr& type) noexcept {
  return type.byteorder == '=' || type.byteorder == '|';
}

// NumPy counts strides in bytes, DLPack in elements: not all of the former can be said. A field of
// a record array is an example.
// Its own types are all of 2^n bytes: a division for each axis would cost more than all the rest.
bool fill_layout(array_object& self, const numpy::array& from, unsigned itemsize) noexcept {
  std::int64_t* const shape = self.tensor.shape;
  std::int64_t* const strides = self.tensor.strides;
  const int shift = std::countr_zero(itemsize);
  std::int64_t all = 0;
  for (int axis = 0; axis < from.nd; ++axis) {
    shape[axis] = from.dimensions[axis];
    strides[axis] = from.strides[axis] >> shift;
    all |= from.strides[axis];
  }
  return (all & (itemsize - 1)) == 0;
}

}  // namespace

PyObject* take_array_struct(PyObject* x, const route& how) {
  const numpy::array& from = numpy::as_array(x);
  const numpy::descr& type = numpy::descr_of(from);
  const DLDataType dtype = numpy::dtype_of(type.number);
  if (dtype.bits == 0 || !is_native(type)) return nullptr;
  array_object* self = new_host_array(from.nd);
  if (self == nullptr) throw nb::python_error();
  if (!fill_layout(*self, from, dtype.bits / 8U)) return discard(self), nullptr;
  self->tensor.data = from.data;
  self->tensor.dtype = dtype;
  self->flags = (from.flags & numpy::writeable) != 0 ? 0 : flag_read_only;
  self->keeps = keeper::object;
  self->owner = Py_NewRef(x);
  self->plan = Py_XNewRef(how.plan);
  return publish(self);
}

}  // namespace anystream::python
