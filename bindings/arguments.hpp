// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of functions that the interpreter calls directly (METH_FASTCALL | METH_KEYWORDS), and
// the small checks that they share. Everything here throws; at_border makes Python errors of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <anystream/c_api.h>

namespace anystream::python {

// What a message calls an object: "int 7", "str 'x'" (short ones), "a numpy.ndarray", "the class
// dpctl.SyclQueue". A __repr__ that raises, or says much, is left out.
std::string got(PyObject* object);

[[noreturn]] void throw_unknown_keyword(const char* function, PyObject* name,
                                        const char* const* names, std::size_t count);
[[noreturn]] void throw_given_twice(const char* function, const char* name);
// usage: how the function is called, or null.
[[noreturn]] void throw_positional(const char* function, Py_ssize_t takes, Py_ssize_t optional,
                                   Py_ssize_t given, const char* usage);

// The keywords of one function. Names are interned once, so that the usual call compares addresses.
template <std::size_t N>
class keyword_list {
 public:
  using values = std::array<PyObject*, N>;  // borrowed; null where the keyword was not given

  // The first `optional` keywords may be given by position, too.
  constexpr keyword_list(const char* function, std::array<const char*, N> names,
                         const char* usage = nullptr, Py_ssize_t optional = 0) noexcept
      : function_{function}, names_{names}, usage_{usage}, optional_{optional} {}

  void intern() {
    for (std::size_t i = 0; i < N; ++i) {
      interned_[i] = PyUnicode_InternFromString(names_[i]);
      if (interned_[i] == nullptr) throw nanobind::python_error();
    }
  }

  // Whether a name that the interpreter passed is that keyword, by identity.
  bool is(PyObject* name, std::size_t place) const noexcept { return interned_[place] == name; }

  // `given` positional arguments precede the values of the keywords in `arguments`.
  values read(PyObject* const* arguments, Py_ssize_t given, Py_ssize_t takes,
              PyObject* names) const {
    if (given == takes) return read_named(arguments + given, names);
    if (given < takes || given > takes + optional_) {
      throw_positional(function_, takes, optional_, given, usage_);
    }
    values out = read_named(arguments + given, names);
    for (Py_ssize_t i = takes; i < given; ++i) {
      PyObject*& value = out[static_cast<std::size_t>(i - takes)];
      if (value != nullptr)
        throw_given_twice(function_, names_[static_cast<std::size_t>(i - takes)]);
      value = arguments[i];
    }
    return out;
  }

 private:
  values read_named(PyObject* const* arguments, PyObject* names) const {
    values out{};
    const Py_ssize_t count = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < count; ++i) {
      out[place_of(PyTuple_GET_ITEM(names, i))] = arguments[i];
    }
    return out;
  }

  std::size_t place_of(PyObject* name) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (interned_[i] == name) return i;
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (PyUnicode_Compare(interned_[i], name) == 0) return i;
    }
    throw_unknown_keyword(function_, name, names_.data(), N);
  }

  const char* function_;
  std::array<const char*, N> names_;
  const char* usage_;
  Py_ssize_t optional_;
  std::array<PyObject*, N> interned_{};  // owned by the process
};

// A function as the interpreter's tables of methods and slots hold it.
template <class Function>
PyCFunction as_function(Function* function) noexcept {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <class Function>
void* as_slot(Function* function) noexcept {
  return reinterpret_cast<void*>(function);
}

// None where an argument was left out.
inline PyObject* or_none(PyObject* value) noexcept { return value != nullptr ? value : Py_None; }

// An argument that is a bool, exactly. `where` names it: "_array_from_pointer(readonly)".
bool to_bool(PyObject* value, const char* where);

// None, True or False; TypeError. What `copy` means is the same wherever it is given.
void check_copy(PyObject* copy, const char* where);
// The same of `strict`.
void check_strict(PyObject* strict, const char* where);

// An int through __index__ that fits; TypeError or ValueError.
std::int64_t to_integer(PyObject* value, const char* where, std::int64_t low, std::int64_t high);

// A tuple of exactly two ints, such as (1, 0) or (DeviceType.CUDA, 0).
std::array<std::int64_t, 2> to_pair(PyObject* value, const char* where, const char* meaning,
                                    const char* fix = nullptr);

DLDevice to_device(PyObject* pair, const char* where);
DLDataType to_dtype(PyObject* triple, const char* where);
std::vector<std::int64_t> to_extents(PyObject* tuple, const char* where);

}  // namespace anystream::python
