// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding the C exchange API of a class, and refusing what is none.
#include "exchange_lookup.hpp"

#include <string>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "type_name.hpp"

namespace anystream::python {
namespace {

// dlpack.h since 1.3, and the name of 1.2, whose value was an int.
constexpr const char* attribute = "__dlpack_c_exchange_api__";
constexpr const char* former_attribute = "__c_dlpack_exchange_api__";
constexpr const char* capsule_name = "dlpack_exchange_api";

// More predecessors than versions there can be: a chain that is longer leads in a circle.
constexpr int most_predecessors = 32;

PyObject* own_attribute(PyObject* type, const char* name) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyObject* dict = PyType_GetDict(reinterpret_cast<PyTypeObject*>(type));
#else
  PyObject* dict = Py_XNewRef(reinterpret_cast<PyTypeObject*>(type)->tp_dict);
#endif
  PyObject* found = dict != nullptr ? PyDict_GetItemString(dict, name) : nullptr;
  Py_XDECREF(dict);  // the class keeps it
  return found;
}

[[noreturn]] void refuse(PyObject* type, const std::string& what) {
  throw exchange_error("the C exchange API of the class " +
                       std::string(reinterpret_cast<PyTypeObject*>(type)->tp_name) + what +
                       "\n  That is a fault of its library.");
}

// None is how a class says that it has none.
void* pointer_in(PyObject* type, PyObject* value) {
  if (value == Py_None) return nullptr;
  void* pointer = nullptr;
  if (PyCapsule_CheckExact(value)) pointer = PyCapsule_GetPointer(value, capsule_name);
  if (PyLong_Check(value)) pointer = PyLong_AsVoidPtr(value);
  PyErr_Clear();
  if (pointer != nullptr) return pointer;
  refuse(type, " is a capsule named \"" + std::string(capsule_name) + "\" or an address; got " +
                   got(value) + ".");
}

// dlpack.h says of these that they must not be NULL.
const char* missing_function(const DLPackExchangeAPI& table) noexcept {
  if (table.managed_tensor_allocator == nullptr) return "managed_tensor_allocator";
  if (table.managed_tensor_from_py_object_no_sync == nullptr) {
    return "managed_tensor_from_py_object_no_sync";
  }
  if (table.managed_tensor_to_py_object_no_sync == nullptr) {
    return "managed_tensor_to_py_object_no_sync";
  }
  return table.current_work_stream == nullptr ? "current_work_stream" : nullptr;
}

const DLPackExchangeAPI* usable(PyObject* type, void* pointer) {
  const auto* header = static_cast<const DLPackExchangeAPIHeader*>(pointer);
  for (int i = 0; header != nullptr && i < most_predecessors; ++i) {
    if (header->version.major == DLPACK_MAJOR_VERSION) {
      const auto* table = reinterpret_cast<const DLPackExchangeAPI*>(header);
      const char* missing = missing_function(*table);
      if (missing != nullptr)
        refuse(type, " has all functions; got NULL for " + std::string(missing) + ".");
      return table;
    }
    header = header->version.major > DLPACK_MAJOR_VERSION ? header->prev_api : nullptr;
  }
  return nullptr;
}

PyObject* table_attribute(PyObject* type) noexcept {
  PyObject* found = own_attribute(type, attribute);
  return found != nullptr ? found : own_attribute(type, former_attribute);
}

}  // namespace

const DLPackExchangeAPI* find_exchange_table(PyTypeObject* type) {
  PyObject* mro = type->tp_mro;
  if (mro == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    PyObject* const base = PyTuple_GET_ITEM(mro, i);
    if (PyObject* found = table_attribute(base)) return usable(base, pointer_in(base, found));
    if (own_attribute(base, "__dlpack__") != nullptr) return nullptr;
  }
  return nullptr;
}

void throw_table_failure(PyTypeObject* type, const char* what) {
  if (PyErr_Occurred() != nullptr) throw nanobind::python_error();  // first: a name is looked up
  const std::string whose = type != nullptr ? type_name(type) : "the library that was to take it";
  throw exchange_error("the C exchange API of " + whose + " gave no " + what +
                       ", and did not say why.\n  That is a fault of its library.");
}

}  // namespace anystream::python
