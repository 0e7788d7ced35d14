// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a Python type is called.
#include "type_name.hpp"

#include <cstddef>
#include <string_view>

#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

std::string utf8(nb::handle text) {
  if (!text.is_valid() || !PyUnicode_Check(text.ptr())) return {};
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) PyErr_Clear();  // a name that is no text names no known class
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

bool is_private(std::string_view part) noexcept {
  return part.starts_with('_') && !part.starts_with("__");
}

// Up to the first private part.
std::string_view public_part(std::string_view module) noexcept {
  for (std::size_t start = 0; start < module.size();) {
    const std::size_t dot = module.find('.', start);
    if (is_private(module.substr(start))) return module.substr(0, start > 0 ? start - 1 : 0);
    if (dot == module.npos) break;
    start = dot + 1;
  }
  return module;
}

}  // namespace

std::string module_of(PyTypeObject* type) {
  const nb::object module =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  if (!module.is_valid()) pass_over_error();
  return utf8(module);
}

std::string qualname_of(PyTypeObject* type) {
  const nb::object name = nb::steal(PyType_GetQualName(type));
  if (!name.is_valid()) pass_over_error();
  return utf8(name);
}

std::string type_name(PyTypeObject* type) {
  const std::string module = module_of(type);
  const std::string_view known_as = public_part(module);
  std::string name = qualname_of(type);
  if (name.empty()) name = "class without a name";
  return known_as.empty() || known_as == "builtins" ? name : std::string(known_as) + "." + name;
}

std::string with_article(const std::string& name) {
  const bool vowel = std::string_view("aeiouAEIOU").find(name.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + name;
}

}  // namespace anystream::python
