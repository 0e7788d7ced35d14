// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of NumPy's C interface that is used: its array struct, which NumPy documents and has
// kept since 1.7, and three entries of its table of functions. NumPy is not needed to build this.
#pragma once

#include <Python.h>

#include <cstdint>

#include <anystream/c_api.h>

namespace anystream::python::numpy {

// PyArrayObject, as far as it is read ("Array API", PyArrayObject_fields).
struct array {
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;  // in bytes
  PyObject* base;
  PyObject* descr;
  int flags;
};

// PyArray_Descr, as far as it is the same in NumPy 1 and 2.
struct descr {
  PyObject_HEAD PyTypeObject* scalar;
  char kind;
  char type;
  char byteorder;  // '=' and '|' are native
  char flags;
  int number;
};

constexpr int writeable = 0x0400;

inline const array& as_array(PyObject* object) noexcept {
  return *reinterpret_cast<const array*>(object);
}
inline const descr& descr_of(const array& from) noexcept {
  return *reinterpret_cast<const descr*>(from.descr);
}

// DLPack's type of a built-in type number; bits 0 where it has none.
DLDataType dtype_of(int number) noexcept;

// The same of an array's elements; bits 0 where they are of a foreign byte order, too.
inline DLDataType native_dtype_of(const array& from) noexcept {
  const descr& type = descr_of(from);
  const bool native = type.byteorder == '=' || type.byteorder == '|';
  return dtype_of(native ? type.number : -1);
}

// What DLPack says of it.
inline std::uint64_t flags_of(const array& from) noexcept {
  return (from.flags & writeable) != 0 ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY;
}

// The built-in type number of DLPack's type; -1 where NumPy has none.
int number_of(DLDataType dtype) noexcept;

// The class of arrays if NumPy has been imported and its ABI is one that is known, else null.
// Borrowed. With the GIL; leaves no error set.
PyTypeObject* array_class() noexcept;

// A new ndarray of the memory, which base (borrowed) keeps alive; null with the error set. Only
// after array_class() was not null. strides in bytes.
PyObject* new_array(int number, int ndim, Py_ssize_t* shape, Py_ssize_t* strides, void* data,
                    bool writable, PyObject* base) noexcept;

}  // namespace anystream::python::numpy
