// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays of the host by the buffer protocol (PEP 3118), the buffer held to the end.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <anystream/dtype.hpp>
#include <anystream/tensor_check.hpp>

#include "array_type.hpp"
#include "byte_layout.hpp"
#include "errors.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr DLDataType none = {0, 0, 0};

constexpr DLDataType number(std::uint8_t code, std::size_t bytes) noexcept {
  return {code, static_cast<std::uint8_t>(8 * bytes), 1};
}

// A letter of the struct module, with its size in C ("@") and its standard one ("=", "<", ">").
struct letter {
  char name;
  std::uint8_t code;
  std::uint8_t bytes;
  std::uint8_t standard;
};

constexpr letter letters[] = {{'?', kDLBool, 1, 1},
                              {'b', kDLInt, 1, 1},
                              {'B', kDLUInt, 1, 1},
                              {'h', kDLInt, sizeof(short), 2},
                              {'H', kDLUInt, sizeof(short), 2},
                              {'i', kDLInt, sizeof(int), 4},
                              {'I', kDLUInt, sizeof(int), 4},
                              {'l', kDLInt, sizeof(long), 4},
                              {'L', kDLUInt, sizeof(long), 4},
                              {'q', kDLInt, sizeof(long long), 8},
                              {'Q', kDLUInt, sizeof(long long), 8},
                              {'e', kDLFloat, 2, 2},
                              {'f', kDLFloat, 4, 4},
                              {'d', kDLFloat, 8, 8}};

DLDataType letter_type(char name, bool standard) noexcept {
  for (const letter& row : letters) {
    if (row.name == name) return number(row.code, standard ? row.standard : row.bytes);
  }
  return none;
}

DLDataType complex_type(char name) noexcept {
  return name == 'f' ? number(kDLComplex, 8) : name == 'd' ? number(kDLComplex, 16) : none;
}

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

// PEP 3118; without a format the elements are bytes.
DLDataType format_type(const char* format) noexcept {
  if (format == nullptr) return number(kDLUInt, 1);
  const bool standard = format[0] == '=' || format[0] == native_order;
  if (standard || format[0] == '@') ++format;
  if (format[0] == 'Z' && format[1] != '\0' && format[2] == '\0') return complex_type(format[1]);
  return format[0] != '\0' && format[1] == '\0' ? letter_type(format[0], standard) : none;
}

bool is_plain(const Py_buffer& view, DLDataType dtype) noexcept {
  return dtype.bits != 0 && view.itemsize == dtype.bits / 8 && view.suboffsets == nullptr &&
         view.ndim <= max_ndim && (view.ndim == 0 || view.shape != nullptr);
}

// Without strides it is row-major (buffer protocol, PyBUF_ND).
bool copy_layout(const array_object& self, const Py_buffer& view) noexcept {
  if (view.strides != nullptr || view.ndim == 0) {
    return copy_byte_layout(self.tensor.shape, self.tensor.ndim, view.shape, view.strides,
                            static_cast<std::uint64_t>(view.itemsize));
  }
  const auto ndim = static_cast<std::size_t>(view.ndim);
  std::copy_n(view.shape, ndim, self.tensor.shape);
  row_major_strides({self.tensor.shape, ndim}, {self.tensor.strides, ndim});
  return true;
}

PyObject* new_array_of(buffer view, const route& how) {
  if (view == nullptr) return nullptr;
  const DLDataType dtype = format_type(view->format);
  if (!is_plain(*view, dtype)) return nullptr;
  array_object* self = new_host_array(view->ndim);
  if (self == nullptr) throw nb::python_error();
  if (!copy_layout(*self, *view)) return discard(self), nullptr;
  self->tensor.data = view->buf;
  self->tensor.dtype = dtype;
  self->flags = how.immutable || view->readonly != 0 ? flag_read_only : 0;
  self->keeps = keeper::buffer;
  self->held = view.release();
  self->plan = Py_XNewRef(how.plan);
  return publish(self);
}

buffer opened(PyObject* x, int layout) {
  buffer view = new_buffer();
  if (PyObject_GetBuffer(x, view.get(), layout | PyBUF_FORMAT) == 0) return view;
  // What it cannot show so (bfloat16), it may by another way; that is no failure of the import.
  pass_over_error();
  return nullptr;
}

}  // namespace

// Most are row-major, and need not make strides for it.
PyObject* take_buffer(PyObject* x, const route& how) {
  buffer view = opened(x, PyBUF_ND);
  if (view == nullptr) view = opened(x, PyBUF_STRIDES);
  return new_array_of(std::move(view), how);
}

PyObject* take_copied_buffer(PyObject* x, const route& how) {
  static PyObject* const name = PyUnicode_InternFromString("__copy__");
  const nb::object copy = nb::steal(PyObject_CallMethodNoArgs(x, name));
  if (!copy.is_valid()) throw nb::python_error();
  return new_array_of(opened(copy.ptr(), PyBUF_STRIDES), how);
}

}  // namespace anystream::python
