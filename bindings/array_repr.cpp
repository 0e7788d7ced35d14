// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How an Array is shown.
#include <string>

#include <nanobind/stl/string.h>

#include <anystream/dtype.hpp>

#include "array_type.hpp"
#include "device.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// Asked of the object, as anyone would: it is made and remembered there.
std::string stream_text(PyObject* array) {
  const nb::object stream = nb::handle(array).attr("stream");
  return stream.is_none() ? "" : ", stream=" + nb::cast<std::string>(nb::repr(stream));
}

std::string text_of(PyObject* array) {
  const array_object& self = as_array(array);
  const DLTensor& tensor = tensor_of(self);
  std::string text = "anystream.Array(shape=" + to_string(shape_of(tensor));
  text += ", dtype=" + to_string(dtype(tensor.dtype));
  text += ", device=" + device_text(tensor.device);
  text += ", strides=" + to_string(strides_of(tensor)) + stream_text(array);
  if ((flags_of(self) & flag_read_only) != 0) text += ", readonly";
  return text + ")";
}

}  // namespace

PyObject* array_repr(PyObject* self) {
  return at_border<PyObject*>(nullptr, [self] { return nb::cast(text_of(self)).release().ptr(); });
}

}  // namespace anystream::python
