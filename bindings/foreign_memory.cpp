// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the package's imports by other interfaces than DLPack need of the interpreter: where a
// buffer starts, how a capsule is named, and whether an array's small elements are padded.
#include "foreign_memory.hpp"

#include <cstdint>
#include <string>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_type.hpp"
#include "managed.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// Asked before a memoryview is made, whose own errors then go through: they are the producer's.
bool exports_buffer(nb::handle object) { return PyObject_CheckBuffer(object.ptr()) != 0; }

std::uintptr_t view_address(nb::handle view) {
  if (PyMemoryView_Check(view.ptr())) {
    return reinterpret_cast<std::uintptr_t>(PyMemoryView_GET_BUFFER(view.ptr())->buf);
  }
  throw type_error("_view_address(view) takes a memoryview; got " + got(view.ptr()) + ".");
}

void require_capsule(nb::handle object, const char* function) {
  if (PyCapsule_CheckExact(object.ptr())) return;
  throw type_error(std::string(function) + " takes a capsule; got " + got(object.ptr()) + ".");
}

const char* name_of(nb::handle capsule) {
  const char* name = PyCapsule_GetName(capsule.ptr());
  if (name == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return name;
}

nb::object capsule_name(nb::handle capsule) {
  require_capsule(capsule, "_capsule_name(capsule)");
  const char* name = name_of(capsule);
  return nb::str(name != nullptr ? name : "");
}

// Whoever consumes a capsule renames it. A capsule that was found in an interface is not ours to
// use up, so its reader is given this one; it must be done before the first one goes.
nb::object capsule_twin(nb::handle capsule) {
  require_capsule(capsule, "_capsule_twin(capsule)");
  const char* name = name_of(capsule);
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  nb::object twin = nb::steal(PyCapsule_New(pointer, name, nullptr));
  if (!twin.is_valid()) throw nb::python_error();
  return twin;
}

bool is_padded(nb::handle array) {
  return (flags_of(to_array(array.ptr(), "_is_padded(array)")) & flag_subbyte_padded) != 0;
}

}  // namespace

void register_foreign_memory(nb::module_& m) {
  m.def("_exports_buffer", exports_buffer, nb::arg().none());
  m.def("_view_address", view_address, nb::arg().none());
  m.def("_capsule_name", capsule_name, nb::arg().none());
  m.def("_capsule_twin", capsule_twin, nb::arg().none());
  m.def("_is_padded", is_padded, nb::arg().none());
}

}  // namespace anystream::python
