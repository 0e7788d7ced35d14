// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's element types by number, and finding its C functions where it has been imported.
#include "numpy_abi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace anystream::python::numpy {
namespace {

constexpr std::uint8_t bits_of(std::size_t bytes) noexcept {
  return static_cast<std::uint8_t>(8 * bytes);
}
constexpr DLDataType none = {0, 0, 0};
constexpr DLDataType signed_of(std::size_t bytes) noexcept { return {kDLInt, bits_of(bytes), 1}; }
constexpr DLDataType unsigned_of(std::size_t bytes) noexcept {
  return {kDLUInt, bits_of(bytes), 1};
}
constexpr DLDataType real(std::uint8_t bits) noexcept { return {kDLFloat, bits, 1}; }
constexpr DLDataType complex(std::uint8_t bits) noexcept { return {kDLComplex, bits, 1}; }

// By NPY_TYPES, which are C's types: their widths are this machine's. long double has no type of
// DLPack's that says which format it is.
constexpr std::array<DLDataType, 24> types = {DLDataType{kDLBool, 8, 1},       // 0
                                              signed_of(1),                    // BYTE
                                              unsigned_of(1),                  //
                                              signed_of(sizeof(short)),        //
                                              unsigned_of(sizeof(short)),      //
                                              signed_of(sizeof(int)),          // 5
                                              unsigned_of(sizeof(int)),        //
                                              signed_of(sizeof(long)),         //
                                              unsigned_of(sizeof(long)),       //
                                              signed_of(sizeof(long long)),    //
                                              unsigned_of(sizeof(long long)),  // 10
                                              real(32),                        //
                                              real(64),                        //
                                              none,                            // LONGDOUBLE
                                              complex(64),                     //
                                              complex(128),                    // 15
                                              none,                            // CLONGDOUBLE
                                              none,                            // OBJECT
                                              none,                            // STRING
                                              none,                            // UNICODE
                                              none,                            // 20: VOID
                                              none,                            // DATETIME
                                              none,                            // TIMEDELTA
                                              real(16)};                       // HALF

// Entries of the table of functions, by the numbers that NumPy keeps.
constexpr std::size_t abi_version = 0;
constexpr std::size_t array_type = 2;
constexpr std::size_t descr_from_type = 45;
constexpr std::size_t new_from_descr = 94;
constexpr std::size_t set_base_object = 282;

constexpr unsigned numpy_1 = 0x01000009;
constexpr unsigned numpy_2 = 0x02000000;

using version_function = unsigned (*)();
using descr_function = PyObject* (*)(int);
using new_function = PyObject* (*)(PyTypeObject*, PyObject*, int, const Py_ssize_t*,
                                   const Py_ssize_t*, void*, int, PyObject*);
using base_function = int (*)(PyObject*, PyObject*);

struct interface {
  PyTypeObject* type = nullptr;  // of arrays
  descr_function descr = nullptr;
  new_function make = nullptr;
  base_function set_base = nullptr;
};

template <class Function>
Function entry(void** table, std::size_t index) noexcept {
  return reinterpret_cast<Function>(table[index]);
}

bool is_known(unsigned abi) noexcept { return abi == numpy_1 || abi == numpy_2; }

// NumPy is not imported for it: what has no NumPy array cannot be one.
PyObject* loaded_module() noexcept {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* module = PyDict_GetItemString(modules, "numpy._core._multiarray_umath");
  if (module != nullptr) return module;
  return PyDict_GetItemString(modules, "numpy.core._multiarray_umath");
}

void** table_of(PyObject* module) noexcept {
  PyObject* capsule = PyObject_GetAttrString(module, "_ARRAY_API");
  void* table = capsule != nullptr ? PyCapsule_GetPointer(capsule, nullptr) : nullptr;
  Py_XDECREF(capsule);
  PyErr_Clear();
  return static_cast<void**>(table);
}

interface read_interface() noexcept {
  PyObject* module = loaded_module();
  void** table = module != nullptr ? table_of(module) : nullptr;
  if (table == nullptr || !is_known(entry<version_function>(table, abi_version)())) return {};
  return {entry<PyTypeObject*>(table, array_type), entry<descr_function>(table, descr_from_type),
          entry<new_function>(table, new_from_descr), entry<base_function>(table, set_base_object)};
}

const interface& numpy_interface() noexcept {
  static interface known;  // changed with the GIL only, and once
  if (known.type == nullptr) known = read_interface();
  return known;
}

bool same(DLDataType a, DLDataType b) noexcept {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

}  // namespace

DLDataType dtype_of(int number) noexcept {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < types.size() ? types[index] : none;
}

int number_of(DLDataType dtype) noexcept {
  if (dtype.bits == 0) return -1;
  // `long` before `long long` and `int`: NumPy's own name of a 64-bit integer is the former.
  for (const int number : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 23}) {
    if (same(types[static_cast<std::size_t>(number)], dtype)) return number;
  }
  return -1;
}

PyTypeObject* array_class() noexcept { return numpy_interface().type; }

PyObject* new_array(int number, int ndim, Py_ssize_t* shape, Py_ssize_t* strides, void* data,
                    bool writable, PyObject* base) noexcept {
  const interface& table = numpy_interface();
  PyObject* descr = table.descr(number);
  if (descr == nullptr) return nullptr;
  const int flags = writable ? writeable : 0;
  PyObject* made = table.make(table.type, descr, ndim, shape, strides, data, flags, nullptr);
  if (made == nullptr) return nullptr;                          // it has taken descr
  if (table.set_base(made, Py_NewRef(base)) == 0) return made;  // it has taken the reference
  Py_DECREF(made);
  return nullptr;
}

}  // namespace anystream::python::numpy
