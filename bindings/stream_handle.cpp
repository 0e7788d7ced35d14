// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading handles: ints in whatever clothes a library dresses them, pairs and capsules.
#include "stream_handle.hpp"

#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "stream_class.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

[[noreturn]] void refuse_handle(nb::handle object, const char* form, nb::handle value) {
  throw type_error(std::string(type_text(Py_TYPE(object.ptr()))) + " gives its handle " + form +
                   "; got " + type_text(Py_TYPE(value.ptr())) +
                   ".\n  Its library seems to be of a version that anystream does not know.");
}

// A float has __int__ too, but is no handle.
bool stands_for_an_int(const PyNumberMethods& slots) noexcept {
  return slots.nb_index != nullptr || (slots.nb_int != nullptr && slots.nb_float == nullptr);
}

// The number of a value that is an int, or an object that stands for one: with __index__, __int__,
// or, as ctypes' and enum's have, an attribute `value`. Invalid if it is none of these.
nb::object to_number(nb::handle value) {
  if (PyLong_Check(value.ptr())) return nb::borrow(value);
  PyNumberMethods* slots = Py_TYPE(value.ptr())->tp_as_number;
  if (slots != nullptr && stands_for_an_int(*slots)) {
    nb::object number = nb::steal(PyNumber_Long(value.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    return number;
  }
  const nb::object inner = optional_attribute(value, "value");
  if (inner.is_valid() && inner.is_none()) return nb::int_(0);  // a null pointer of ctypes
  return inner.is_valid() && PyLong_Check(inner.ptr()) ? inner : nb::object();
}

std::uintptr_t to_handle(nb::handle object, nb::handle value) {
  if (value.is_none()) return 0;
  const nb::object number = to_number(value);
  if (!number.is_valid()) refuse_handle(object, "as an int", value);
  const unsigned long long handle = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return handle;
  PyErr_Clear();
  throw value_error(std::string(type_text(Py_TYPE(object.ptr()))) +
                    " gives a handle that no pointer holds: " +
                    nb::cast<std::string>(nb::steal(PyNumber_ToBase(number.ptr(), 16))) + ".");
}

nb::object walk(nb::handle object, const std::vector<nb::object>& path) {
  nb::object at = nb::borrow(object);
  for (const nb::object& name : path) at = nb::getattr(at, name);
  return at;
}

[[noreturn]] void refuse_pair(nb::handle object, nb::handle got) {
  throw type_error(std::string("__cuda_stream__ of ") + type_text(Py_TYPE(object.ptr())) +
                   " is to give a pair (version, handle) of ints; got " +
                   type_text(Py_TYPE(got.ptr())) + ".");
}

void read_capsule_method(nb::handle object, const nb::object& method, stream_source& out) {
  nb::object capsule = method();
  if (!PyCapsule_CheckExact(capsule.ptr())) refuse_handle(object, "in a capsule", capsule);
  read_capsule(capsule, nb::make_tuple(nb::borrow(object), capsule), out);
}

}  // namespace

const char* family_of(nb::handle object, const stream_class& row) {
  if (row.choice.path.empty()) return row.family.c_str();
  nb::object value = nb::borrow(object);
  for (const nb::object& name : row.choice.path) {
    value = optional_attribute(value, nb::cast<std::string>(name).c_str());
    if (!value.is_valid()) return "";
  }
  const auto text = nb::cast<std::string>(nb::str(value));
  for (const auto& [known, family] : row.choice.families) {
    if (known.empty() || known == text) return family.c_str();
  }
  return "";
}

void read_by_row(nb::handle object, const stream_class& row, stream_source& out) {
  switch (row.source) {
    case handle_source::attribute:
      out.handle = to_handle(object, walk(object, row.path));
      break;
    case handle_source::call:
      out.handle = to_handle(object, walk(object, row.path)());
      break;
    case handle_source::integer:
      out.handle = to_handle(object, object);
      break;
    case handle_source::protocol:
      read_protocol(object, object.attr("__cuda_stream__"), out);
      break;
    case handle_source::object:
      out.handle = reinterpret_cast<std::uintptr_t>(object.ptr());
      break;
    case handle_source::function:
      out.handle = to_handle(object, row.function(object));
      break;
    case handle_source::capsule:
      read_capsule_method(object, walk(object, row.path), out);
      break;
  }
}

void read_protocol(nb::handle object, nb::handle protocol, stream_source& out) {
  const nb::object pair =
      PyCallable_Check(protocol.ptr()) != 0 ? protocol() : nb::borrow<nb::object>(protocol);
  if (!PyTuple_Check(pair.ptr()) && !PyList_Check(pair.ptr())) refuse_pair(object, pair);
  if (nb::len(pair) != 2) refuse_pair(object, pair);
  const nb::object version = to_number(pair[0]);
  if (!version.is_valid()) refuse_pair(object, pair[0]);
  out.version = nb::cast<std::int64_t>(version);
  // What a later version says of the handle is not known: it is not looked at.
  if (out.version == 0) out.handle = to_handle(object, pair[1]);
}

void read_capsule(nb::handle capsule, nb::object owner, stream_source& out) {
  out.kind = ANYSTREAM_ARGUMENT_CAPSULE;
  out.capsule_name = PyCapsule_GetName(capsule.ptr());
  out.handle =
      reinterpret_cast<std::uintptr_t>(PyCapsule_GetPointer(capsule.ptr(), out.capsule_name));
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  out.owner = std::move(owner);
}

nb::object optional_attribute(nb::handle object, const char* name) {
  nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), name));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return found;
}

}  // namespace anystream::python
