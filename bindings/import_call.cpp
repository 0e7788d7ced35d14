// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays by their __dlpack__, for classes whose own does nothing about streams: it is called bare.
#include "array_type.hpp"
#include "capsule.hpp"
#include "errors.hpp"
#include "from_dlpack.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

struct call_names {
  PyObject* method = PyUnicode_InternFromString("__dlpack__");
  PyObject* keywords = Py_BuildValue("(s)", "max_version");
  PyObject* version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
};

const call_names& names() {
  static const call_names made;  // owned by the process
  return made;
}

nb::object called(PyObject* x) {
  const call_names& with = names();
  PyObject* const arguments[] = {x, with.version};
  return nb::steal(PyObject_VectorcallMethod(with.method, arguments, 1, with.keywords));
}

nb::object called_bare(PyObject* x) {
  return nb::steal(PyObject_CallMethodNoArgs(x, names().method));
}

// Memory that is not the host's goes to the planner with what its producer gave: it is not called
// twice.
PyObject* taken(PyObject* x, const nb::object& capsule, const route& how) {
  if (!capsule.is_valid()) throw nb::python_error();
  PyObject* array = claim_host_capsule(capsule.ptr(), how.immutable ? flag_read_only : 0, how.plan);
  return array != nullptr ? array : plan_import_of(x, capsule.ptr());
}

}  // namespace

PyObject* take_by_call(PyObject* x, const route& how) { return taken(x, called(x), how); }

PyObject* take_by_bare_call(PyObject* x, const route& how) { return taken(x, called_bare(x), how); }

}  // namespace anystream::python
