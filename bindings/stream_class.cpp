// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream classes by module and qualified name, and what is remembered of the types met.
#include "stream_class.hpp"

#include <array>
#include <unordered_set>

#include "dlpack_stream.hpp"
#include "type_version.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

const stream_class* row_of_class(PyTypeObject* type) {
  const std::string module = module_of(type);
  const std::string qualname = qualname_of(type);
  for (const stream_class& row : stream_classes()) {
    if (row.qualname == qualname && row.module == module) return &row;
  }
  return nullptr;
}

const stream_class* row_along_mro(PyTypeObject* type) {
  const nb::object mro =
      nb::borrow(type->tp_mro);  // ours for the walk: a class may be changed meanwhile
  for (const nb::handle base : nb::borrow<nb::tuple>(mro)) {
    const stream_class* row = row_of_class(reinterpret_cast<PyTypeObject*>(base.ptr()));
    if (row != nullptr) return row;
  }
  return nullptr;
}

// Of the class, as Python looks up such methods: an instance's own attribute does not count.
bool has_method(PyTypeObject* type) {
  const nb::str name(dlpack_stream_method);
  return _PyType_Lookup(type, name.ptr()) != nullptr;
}

struct remembered {
  PyTypeObject* type = nullptr;  // compared, never followed
  unsigned version = 0;
  unsigned generation = 0;  // of the rows
  known_type known{nullptr, "", false};
};

// Few stream types are in use at a time; where two share a place, one is looked up anew.
constexpr std::size_t places = 128;

remembered& place_of(PyTypeObject* type) noexcept {
  static std::array<remembered, places> memory;
  return memory[place_in(places, type)];
}

}  // namespace

known_type recognise(PyTypeObject* type) {
  remembered& place = place_of(type);
  const unsigned version = type_version(type);
  if (place.type == type && place.version == version && version != 0 &&
      place.generation == stream_classes_generation()) {
    return place.known;
  }
  const known_type known{row_along_mro(type), type_text(type), has_method(type)};
  place = {type, given_type_version(type), stream_classes_generation(), known};
  return known;
}

const char* type_text(PyTypeObject* type) {
  static auto* const texts = new std::unordered_set<std::string>;
  return texts->insert(with_article(type_name(type))).first->c_str();
}

}  // namespace anystream::python
