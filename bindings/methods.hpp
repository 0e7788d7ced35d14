// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods of nanobind's classes as the interpreter has its own. A call that does not fit is then
// told in the words of Python, and help() and inspect know the parameters.
#pragma once

#include <type_traits>
#include <utility>

#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace anystream::python {

// The slot of what makes an instance. Python has its name since 3.14; nanobind sees to it before.
#ifdef Py_tp_vectorcall
inline constexpr int making_slot = Py_tp_vectorcall;
#else
inline constexpr int making_slot = 82;
#endif

template <class Body>
PyObject* result_of(Body&& body) noexcept {
  return at_border<PyObject*>(nullptr, [&]() -> PyObject* {
    if constexpr (std::is_void_v<decltype(body())>) {
      std::forward<Body>(body)();
      return Py_NewRef(Py_None);
    } else {
      return nanobind::cast(std::forward<Body>(body)()).release().ptr();
    }
  });
}

// A getter of PyGetSetDef: body(self)
template <class Class, auto body>
PyObject* property_of(PyObject* self, void*) noexcept {
  return result_of([self] { return body(*nanobind::inst_ptr<Class>(self)); });
}

// METH_NOARGS: body(self)
template <class Class, auto body>
PyObject* method_of_none(PyObject* self, PyObject*) noexcept {
  return result_of([self] { return body(*nanobind::inst_ptr<Class>(self)); });
}

// METH_O: body(self, argument)
template <class Class, auto body>
PyObject* method_of_one(PyObject* self, PyObject* argument) noexcept {
  return result_of(
      [=] { return body(*nanobind::inst_ptr<Class>(self), nanobind::handle(argument)); });
}

}  // namespace anystream::python
