// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of functions that the interpreter calls directly: their checks and messages.
#include "arguments.hpp"

#include <limits>

#include <nanobind/stl/string.h>

#include <anystream/error.hpp>

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

std::string type_name(PyObject* object) {
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const auto module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  const auto name = nb::cast<std::string>(type.attr("__qualname__"));
  return module == "builtins" ? name : module + "." + name;
}

std::string listed(const char* const* names, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == count ? " and " : ", ";
    text += names[i];
  }
  return text;
}

[[noreturn]] void throw_type(const char* where, const std::string& takes, PyObject* value) {
  throw type_error(std::string(where) + " takes " + takes + "; got " + got(value) + ".");
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
  const std::string name = type_name(object);
  if (shows_its_value(object)) {
    const nb::object text = steal(PyObject_Repr(object));
    if (PyUnicode_GetLength(text.ptr()) <= longest_repr) {
      return name + " " + nb::cast<std::string>(text);
    }
  }
  const bool vowel = std::string_view("aeiouAEIOU").find(name[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + name;
}

void throw_unknown_keyword(const char* function, PyObject* name, const char* const* names,
                           std::size_t count) {
  throw type_error(std::string(function) + " has no keyword argument '" +
                   nb::cast<std::string>(nb::handle(name)) + "'; it takes " + listed(names, count) +
                   ".");
}

void throw_positional(const char* function, Py_ssize_t takes, Py_ssize_t given) {
  std::string text = std::string(function) + " takes " + std::to_string(takes) +
                     " positional argument" + (takes == 1 ? "" : "s") + "; got " +
                     std::to_string(given) + ".";
  if (given > takes) text += "\n  Everything else is given by keyword.";
  throw type_error(text);
}

bool to_bool(PyObject* value, const char* where) {
  if (!PyBool_Check(value)) throw_type(where, "True or False", value);
  return value == Py_True;
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

std::array<std::int64_t, 2> to_pair(PyObject* value, const char* where, const char* meaning) {
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 2) throw_type(where, meaning, value);
  std::array<std::int64_t, 2> out{};
  for (Py_ssize_t i = 0; i < 2; ++i) {
    PyObject* item = PyTuple_GET_ITEM(value, i);
    std::int64_t& number = out[static_cast<std::size_t>(i)];
    if (read_small(item, number)) continue;
    if (!PyIndex_Check(item) || PyBool_Check(item)) throw_type(where, meaning, value);
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
