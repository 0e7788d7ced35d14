// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of functions that the interpreter calls directly: their checks and messages.
#include "arguments.hpp"

#include <limits>
#include <optional>

#include <nanobind/stl/string.h>

#include <anystream/error.hpp>

#include "errors.hpp"
#include "type_name.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr Py_ssize_t longest_repr = 40;

nb::object steal(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

bool shows_its_value(PyObject* object) noexcept {
  return PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) ||
         PyBytes_Check(object) || PyTuple_Check(object);
}

bool is_long(PyObject* object) noexcept {
  if (PyUnicode_Check(object)) return PyUnicode_GET_LENGTH(object) > longest_repr;
  if (PyBytes_Check(object)) return PyBytes_GET_SIZE(object) > longest_repr;
  return PyTuple_Check(object) && PyTuple_GET_SIZE(object) > longest_repr;
}

// Short enough for a message, or nothing: what a foreign __repr__ raises is no one's concern here.
std::optional<std::string> short_repr(PyObject* object) {
  if (is_long(object)) return std::nullopt;
  const nb::object text = nb::steal(PyObject_Repr(object));
  if (!text.is_valid()) return pass_over_error(), std::nullopt;
  if (PyUnicode_GetLength(text.ptr()) > longest_repr) return std::nullopt;
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) return PyErr_Clear(), std::nullopt;
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::string text_of_count(std::int64_t least, std::int64_t optional) {
  std::string text = std::to_string(least);
  if (optional > 0) text += (optional == 1 ? " or " : " to ") + std::to_string(least + optional);
  return text + " positional argument" + (least + optional == 1 ? "" : "s");
}

std::string listed(const char* const* names, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == count ? " and " : ", ";
    text += names[i];
  }
  return text;
}

[[noreturn]] void throw_type(const char* where, const std::string& takes, PyObject* value,
                             const char* fix = nullptr) {
  throw type_error(std::string(where) + " takes " + takes + "; got " + got(value) + "." +
                   (fix != nullptr ? std::string("\n  ") + fix : ""));
}

// A tuple, or a list: shapes come as either.
nb::object to_items(PyObject* value, const char* where, const char* meaning) {
  if (!PyTuple_Check(value) && !PyList_Check(value)) throw_type(where, meaning, value);
  return steal(PySequence_Tuple(value));
}

// The usual item is an int and small; what is not is looked at more closely.
bool read_small(PyObject* item, std::int64_t& out) noexcept {
  if (!PyLong_CheckExact(item)) return false;
  int overflow = 0;
  out = PyLong_AsLongAndOverflow(item, &overflow);
  return overflow == 0 && out == static_cast<std::int32_t>(out);
}

}  // namespace

std::string got(PyObject* object) {
  if (object == Py_None) return "None";
  if (PyType_Check(object)) {
    return "the class " + type_name(reinterpret_cast<PyTypeObject*>(object));
  }
  const std::string name = type_name(Py_TYPE(object));
  if (shows_its_value(object)) {
    if (const auto value = short_repr(object)) return name + " " + *value;
  }
  return with_article(name);
}

void throw_unknown_keyword(const char* function, PyObject* name, const char* const* names,
                           std::size_t count) {
  throw type_error(std::string(function) + " has no keyword argument " +
                   short_repr(name).value_or("of that name") + "; it takes " +
                   (count > 0 ? listed(names, count) : "none") + ".");
}

void throw_given_twice(const char* function, const char* name) {
  throw type_error(std::string(function) + " takes " + name +
                   " once; got it by position and by keyword.");
}

void throw_positional(const char* function, Py_ssize_t takes, Py_ssize_t optional, Py_ssize_t given,
                      const char* usage) {
  std::string text = std::string(function) + " takes " + text_of_count(takes, optional) + "; got " +
                     std::to_string(given) + ".";
  if (usage != nullptr) {
    text += std::string("\n  Write ") + usage + ".";
  } else if (given > takes) {
    text += "\n  Everything else is given by keyword.";
  }
  throw type_error(text);
}

bool to_bool(PyObject* value, const char* where) {
  if (!PyBool_Check(value)) throw_type(where, "True or False", value);
  return value == Py_True;
}

void check_copy(PyObject* copy, const char* where) {
  if (copy == Py_None || PyBool_Check(copy)) return;
  throw_type(where, "None, True or False", copy,
             "True makes new memory, False refuses to, None copies only where it must.");
}

void check_strict(PyObject* strict, const char* where) {
  if (strict == Py_None || PyBool_Check(strict)) return;
  throw_type(where, "None, True or False", strict,
             "True refuses an order that is not proved on the device; None does as "
             "anystream.strict() says.");
}

std::int64_t to_integer(PyObject* value, const char* where, std::int64_t low, std::int64_t high) {
  if (!PyIndex_Check(value) || PyBool_Check(value)) throw_type(where, "an int", value);
  const nb::object exact = steal(PyNumber_Index(value));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(exact.ptr(), &overflow);
  if (overflow == 0 && number >= low && number <= high) return number;
  throw value_error(std::string(where) + " takes an int from " + std::to_string(low) + " to " +
                    std::to_string(high) + "; got " + got(exact.ptr()) + ".");
}

std::array<std::int64_t, 2> to_pair(PyObject* value, const char* where, const char* meaning,
                                    const char* fix) {
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 2) throw_type(where, meaning, value, fix);
  std::array<std::int64_t, 2> out{};
  for (Py_ssize_t i = 0; i < 2; ++i) {
    PyObject* item = PyTuple_GET_ITEM(value, i);
    std::int64_t& number = out[static_cast<std::size_t>(i)];
    if (read_small(item, number)) continue;
    if (!PyIndex_Check(item) || PyBool_Check(item)) throw_type(where, meaning, value, fix);
    number = to_integer(item, where, std::numeric_limits<std::int32_t>::min(),
                        std::numeric_limits<std::int32_t>::max());
  }
  return out;
}

DLDevice to_device(PyObject* pair, const char* where) {
  const auto [type, id] = to_pair(pair, where, "a pair (device type, device id) of ints");
  return {static_cast<DLDeviceType>(type), static_cast<std::int32_t>(id)};
}

DLDataType to_dtype(PyObject* triple, const char* where) {
  const nb::object items = to_items(triple, where, "a tuple (code, bits, lanes)");
  if (PyTuple_GET_SIZE(items.ptr()) != 3) throw_type(where, "a tuple (code, bits, lanes)", triple);
  const auto item = [&](Py_ssize_t i, std::int64_t high) {
    return to_integer(PyTuple_GET_ITEM(items.ptr(), i), where, 0, high);
  };
  return {static_cast<std::uint8_t>(item(0, 255)), static_cast<std::uint8_t>(item(1, 255)),
          static_cast<std::uint16_t>(item(2, 65535))};
}

std::vector<std::int64_t> to_extents(PyObject* tuple, const char* where) {
  const nb::object items = to_items(tuple, where, "a tuple of ints");
  std::vector<std::int64_t> out;
  for (const nb::handle item : nb::borrow<nb::tuple>(items)) {
    out.push_back(to_integer(item.ptr(), where, std::numeric_limits<std::int64_t>::min(),
                             std::numeric_limits<std::int64_t>::max()));
  }
  return out;
}

}  // namespace anystream::python
