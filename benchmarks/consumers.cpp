// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension with nanobind's importer, and with a function that does nothing, for scale.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace nb = nanobind;

namespace {

// Where what was read goes, so that no compiler leaves the reading out.
volatile std::uintptr_t sink;

void take(const nb::ndarray<nb::ro>& array) {
  auto sum = reinterpret_cast<std::uintptr_t>(array.data());
  for (std::size_t i = 0; i < array.ndim(); ++i)
    sum += array.shape(i) + static_cast<std::uintptr_t>(array.stride(i));
  sum += array.dtype().code + array.dtype().bits + array.dtype().lanes;
  sum += static_cast<std::uintptr_t>(array.device_type() + array.device_id());
  sink = sum;
}

PyObject* empty(PyObject*, PyObject*) { Py_RETURN_NONE; }

PyMethodDef empty_function = {"empty", empty, METH_O, nullptr};

}  // namespace

NB_MODULE(consumers, module) {
  module.def("take", take);
  module.attr("empty") = nb::steal(PyCFunction_New(&empty_function, nullptr));
}
