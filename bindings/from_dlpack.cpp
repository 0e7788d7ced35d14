// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// from_dlpack is this C function itself, with no Python around it. It checks its arguments and asks
// the package's planner.
#include "from_dlpack.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "configuration.hpp"
#include "errors.hpp"
#include "routes.hpp"
#include "watched.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

enum {
  device_at,
  copy_at,
  stream_at,
  producer_stream_at,
  ordering_at,
  strict_at,
  release_at,
  keyword_count
};
keyword_list<keyword_count> keywords("from_dlpack()",
                                     {"device", "copy", "stream", "producer_stream", "ordering",
                                      "strict", "release"});

constexpr std::string_view orderings[] = {"device", "host", "none"};
PyObject* default_ordering = nullptr;  // owned by the process, like the names below
PyObject* keyword_names = nullptr;
PyObject* exported_name = nullptr;

using arguments = keyword_list<keyword_count>::values;

void check_ordering(PyObject* ordering) {
  if (ordering == default_ordering) return;
  const bool text = PyUnicode_Check(ordering) != 0;
  for (const std::string_view known : orderings) {
    if (text && PyUnicode_CompareWithASCIIString(ordering, known.data()) == 0) return;
  }
  const std::string message =
      "from_dlpack(ordering=…) takes \"device\", \"host\" or \"none\"; got " + got(ordering) +
      ".\n  \"device\" orders on the device, \"host\" has the host wait, \"none\" leaves the order "
      "to you.";
  if (text) throw value_error(message);
  throw type_error(message);
}

arguments with_defaults(arguments given) {
  given[device_at] = or_none(given[device_at]);
  given[copy_at] = or_none(given[copy_at]);
  given[stream_at] = or_none(given[stream_at]);
  given[producer_stream_at] = or_none(given[producer_stream_at]);
  if (given[ordering_at] == nullptr) given[ordering_at] = default_ordering;
  if (given[strict_at] == nullptr) given[strict_at] = Py_None;
  given[release_at] = or_none(given[release_at]);
  return given;
}

void check_arguments(const arguments& given) {
  check_copy(given[copy_at], "from_dlpack(copy=…)");
  check_ordering(given[ordering_at]);
  check_strict(given[strict_at], "from_dlpack(strict=…)");
  if (given[release_at] != Py_None) {
    to_release_policy(given[release_at], "from_dlpack(release=…)");
  }
}

PyObject* ask_planner(PyObject* x, const arguments& given) {
  PyObject* planner = import_array_function();
  if (planner == nullptr) throw internal_error("from_dlpack was called before _configure");
  std::array<PyObject*, 1 + keyword_count> call{x};
  std::ranges::copy(given, call.begin() + 1);
  PyObject* array = PyObject_Vectorcall(planner, call.data(), 1, keyword_names);
  if (array == nullptr) throw nb::python_error();
  return array;
}

PyObject* intern(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  if (name == nullptr) throw nb::python_error();
  return name;
}

}  // namespace

PyObject* from_dlpack(PyObject*, PyObject* const* values, Py_ssize_t given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    if (given == 1 && names == nullptr && !hand_offs_are_watched) {
      if (PyObject* array = import_quickly(values[0])) return array;
    }
    const arguments read = with_defaults(keywords.read(values, given, 1, names));
    check_arguments(read);
    return ask_planner(values[0], read);
  });
}

PyObject* plan_import_of(PyObject* x, PyObject* capsule) {
  PyObject* planner = import_array_function();
  if (planner == nullptr) throw internal_error("from_dlpack was called before _configure");
  PyObject* const call[] = {x, capsule};
  PyObject* array = PyObject_Vectorcall(planner, call, 1, exported_name);
  if (array == nullptr) throw nb::python_error();
  return array;
}

void register_from_dlpack() {
  keywords.intern();
  default_ordering = intern(orderings[0].data());
  keyword_names = Py_BuildValue("(sssssss)", "device", "copy", "stream", "producer_stream",
                                "ordering", "strict", "release");
  exported_name = Py_BuildValue("(s)", "exported");
  if (keyword_names == nullptr || exported_name == nullptr) throw nb::python_error();
}

}  // namespace anystream::python
