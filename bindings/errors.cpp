// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Failures of the core as Python errors: the one mapping, and the classes that anystream adds.
#include "errors.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <anystream/error.hpp>

#include "callback_error.hpp"
#include "core.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr const char* ordering_error_doc =
    "The order that a hand-off needs cannot be proved on the device, or cannot be had at all.\n\n"
    "Raised with strict=True where the host would have to wait or a producer's word taken. It is "
    "a\n"
    "BufferError, since the exchange is what failed.";
constexpr const char* driver_error_doc =
    "A function of a vendor's library failed.\n\n"
    "api is the function (\"DPCTLQueue_SubmitBarrier\"), code what it returned and code_name the\n"
    "vendor's name of that code; \"\", 0 and \"\" where there is none.";
constexpr const char* driver_unavailable_doc =
    "A vendor's library is not there, or this version of anystream cannot order on it.\n\n"
    "The message says what is missing, every place that was tried, and what helps.";

// Owned by the process: a failure may have to be told after the module is gone.
PyObject* ordering_class = nullptr;
PyObject* driver_class = nullptr;
PyObject* unavailable_class = nullptr;

// The one mapping from failures to Python's classes.
PyObject* class_of(anystream_status status) noexcept {
  switch (status) {
    case ANYSTREAM_TYPE_ERROR:
      return PyExc_TypeError;
    case ANYSTREAM_VALUE_ERROR:
      return PyExc_ValueError;
    case ANYSTREAM_EXCHANGE_ERROR:
      return PyExc_BufferError;
    case ANYSTREAM_ORDERING_ERROR:
      return ordering_class;
    case ANYSTREAM_DRIVER_ERROR:
      return driver_class;
    case ANYSTREAM_DRIVER_UNAVAILABLE:
      return unavailable_class;
    case ANYSTREAM_OUT_OF_MEMORY:
      return PyExc_MemoryError;
    default:
      return PyExc_SystemError;
  }
}

bool is_driver_error(anystream_status status) noexcept {
  return status == ANYSTREAM_DRIVER_ERROR || status == ANYSTREAM_DRIVER_UNAVAILABLE;
}

// A vendor's text need not be UTF-8; an error that hides another one helps no one.
nb::object text(const char* bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(std::strlen(bytes)), "replace"));
}

void set_error(const anystream_error& error) {
  const nb::handle cls = class_of(error.status);
  const bool silent = *error.message == '\0' && error.status == ANYSTREAM_OUT_OF_MEMORY;
  const nb::object value = cls(text(silent ? "there is no memory left." : error.message));
  if (is_driver_error(error.status)) {
    value.attr("api") = text(error.api);
    value.attr("code") = error.code;
    value.attr("code_name") = text(error.code_name);
  }
  if (!attach_cause(value, error.message)) PyErr_SetObject(cls.ptr(), value.ptr());
}

void set_error(anystream_status status, const std::exception& error) {
  set_error(anystream_error{status, 0, 0, error.what(), "", ""});
}

void set_error(const driver_error& error, anystream_status status) {
  set_error(anystream_error{status, 0, error.code(), error.what(), error.api().c_str(),
                            error.code_name().c_str()});
}

PyObject* builtin_class(nb::exception_type type) noexcept {
  switch (type) {
    case nb::exception_type::type_error:
      return PyExc_TypeError;
    case nb::exception_type::value_error:
      return PyExc_ValueError;
    case nb::exception_type::buffer_error:
      return PyExc_BufferError;
    case nb::exception_type::attribute_error:
      return PyExc_AttributeError;
    case nb::exception_type::index_error:
      return PyExc_IndexError;
    case nb::exception_type::key_error:
      return PyExc_KeyError;
    case nb::exception_type::import_error:
      return PyExc_ImportError;
    default:
      return PyExc_RuntimeError;
  }
}

// The exceptions of anystream/error.hpp become Python's error; others pass.
void translate(const std::exception_ptr& raised) {
  try {
    std::rethrow_exception(raised);
  } catch (const type_error& e) {
    set_error(ANYSTREAM_TYPE_ERROR, e);
  } catch (const value_error& e) {
    set_error(ANYSTREAM_VALUE_ERROR, e);
  } catch (const ordering_error& e) {
    set_error(ANYSTREAM_ORDERING_ERROR, e);
  } catch (const exchange_error& e) {
    set_error(ANYSTREAM_EXCHANGE_ERROR, e);
  } catch (const driver_unavailable& e) {
    set_error(e, ANYSTREAM_DRIVER_UNAVAILABLE);
  } catch (const driver_error& e) {
    set_error(e, ANYSTREAM_DRIVER_ERROR);
  } catch (const internal_error& e) {
    set_error(ANYSTREAM_INTERNAL_ERROR, e);
  }
}

PyObject* new_class(const nb::module_& m, const char* name, const char* doc, PyObject* base,
                    PyObject* attributes) {
  const std::string full = std::string("anystream.") + name;
  PyObject* cls = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, attributes);
  if (cls == nullptr) throw nb::python_error();
  m.attr(name) = nb::borrow(cls);
  return cls;
}

}  // namespace

void set_python_error(anystream_status status) noexcept {
  anystream_error error{};
  core().last_error(&error);
  error.status = status;
  at_border(0, [&error] { return set_error(error), 0; });
}

void raise_python_error(anystream_status status) {
  set_python_error(status);
  throw nb::python_error();
}

void pass_over_error() {
  if (PyErr_Occurred() == nullptr) return;
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nb::python_error();
  PyErr_Clear();
}

void set_python_error_from_exception() noexcept {
  try {
    translate(std::current_exception());
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(builtin_class(e.type()), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_SystemError, e.what());
  }
}

PyObject* ordering_error_class() noexcept { return ordering_class; }
PyObject* driver_unavailable_class() noexcept { return unavailable_class; }

void register_errors(const nb::module_& m) {
  const nb::dict nothing_known;
  nothing_known["api"] = "";
  nothing_known["code"] = 0;
  nothing_known["code_name"] = "";
  ordering_class = new_class(m, "OrderingError", ordering_error_doc, PyExc_BufferError, nullptr);
  driver_class =
      new_class(m, "DriverError", driver_error_doc, PyExc_RuntimeError, nothing_known.ptr());
  unavailable_class =
      new_class(m, "DriverUnavailable", driver_unavailable_doc, driver_class, nullptr);
  nb::register_exception_translator(
      [](const std::exception_ptr& raised, void*) { translate(raised); });
}

}  // namespace anystream::python
