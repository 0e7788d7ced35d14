// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the planner has found of classes, and what it asks of the quick ways.
#include "routes.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "exchange_lookup.hpp"
#include "handoff.hpp"
#include "type_version.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

// ---- what is remembered ---------------------------------------------------------------------

// By the type's address; one that falls on another's place takes it. Changed with the GIL only.
constexpr std::size_t places = 256;
std::array<route, places> routes;

route& place_of(const PyTypeObject* type) noexcept { return routes[place_in(places, type)]; }

// ---- reading a row ----------------------------------------------------------------------------

struct way {
  std::string_view word;
  importer take;
};
constexpr way ways[] = {{"array struct", take_array_struct},
                        {"table", take_by_table},
                        {"buffer", take_buffer},
                        {"copied buffer", take_copied_buffer},
                        {"dlpack", take_by_call},
                        {"bare dlpack", take_by_bare_call},
                        {"array", take_array},
                        {"usm struct", take_usm_struct}};

importer find_way(std::string_view word) {
  for (const way& known : ways) {
    if (known.word == word) return known.take;
  }
  throw value_error("anystream._core has no quick way called \"" + std::string(word) + "\".");
}

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Of "MODULE.NAME|…" those that are there: an older version of a library has fewer.
PyObject* read_among(const std::string& values) {
  nb::list found;
  for (const nb::handle value : nb::str(values.c_str()).attr("split")("|")) {
    const nb::object parts = value.attr("rpartition")(".");
    const nb::object module = nb::module_::import_("importlib").attr("import_module")(parts[0]);
    if (nb::hasattr(module, parts[2])) found.append(module.attr(parts[2]));
  }
  PyObject* const set = PyFrozenSet_New(found.ptr());
  if (set == nullptr) throw nb::python_error();
  return set;
}

// "NAME" or "NAME()"; with "complex:" or "byte:" before it, of such numbers only; with "=VALUES"
// after it, true where the value is one of those.
forbidden read_forbidden(PyTypeObject* type, std::string_view text) {
  forbidden out;
  out.of_complex = cut_prefix(text, "complex:");
  out.of_bytes = cut_prefix(text, "byte:");
  if (const auto end = text.find('='); end != text.npos) {
    out.among = read_among(std::string(text.substr(end + 1)));
    text = text.substr(0, end);
  }
  if (text.ends_with("()")) text.remove_suffix(2);
  const nb::object name = nb::cast(std::string(text));
  PyObject* const found = _PyType_Lookup(type, name.ptr());
  if (found != nullptr && Py_IS_TYPE(found, &PyGetSetDescr_Type)) {
    const PyGetSetDef* def = reinterpret_cast<PyGetSetDescrObject*>(found)->d_getset;
    out.get = def->get;
    out.closure = def->closure;
  } else if (found != nullptr && Py_IS_TYPE(found, &PyMethodDescr_Type)) {
    const PyMethodDef* def = reinterpret_cast<PyMethodDescrObject*>(found)->d_method;
    if (def->ml_flags == METH_NOARGS) out.call = def->ml_meth;
  }
  return out;
}

// False where one of them is no plain property of the class: then it cannot be asked quickly.
bool read_all_forbidden(route& out, nb::handle texts) {
  for (const nb::handle text : texts) {
    if (out.forbidden_count == out.forbids.size()) return false;
    const forbidden one = read_forbidden(out.type, nb::cast<std::string>(text));
    if (one.get == nullptr && one.call == nullptr) return false;
    out.forbids[out.forbidden_count++] = one;
  }
  return true;
}

// The reference is never given back: names are few, and the table's.
PyObject* interned(const std::string& name) {
  if (name.empty()) return nullptr;
  PyObject* text = PyUnicode_InternFromString(name.c_str());
  if (text == nullptr) throw nb::python_error();
  return text;
}

template <class Function>
Function function_at(nb::handle address) {
  return reinterpret_cast<Function>(nb::cast<std::uintptr_t>(address));
}

// questions: of the texts those that the array's library answers itself, (function, by reference).
void read_questions(route& out, nb::handle x, const void* handle, nb::handle texts,
                    nb::handle questions) {
  if (!exports_handle(x.ptr(), *out.table, handle)) return;
  for (std::size_t i = 0; i < out.forbidden_count; ++i) {
    const nb::object found = questions.attr("get")(texts[i]);
    if (found.is_none()) continue;
    out.forbids[i].native = {function_at<native_question::function>(found[0]),
                             nb::cast<bool>(found[1])};
  }
}

void read_exporter(route& out, nb::handle x, const void* handle, nb::handle function) {
  const Py_ssize_t place = place_of_handle(x.ptr(), handle);
  if (place == 0) return;
  out.exporter = {function_at<native_export::function>(function), place};
  if (out.exporter.call != nullptr) out.take = take_by_native;
}

// natives: None, or (address of x's tensor, questions, exporter); a function is its address or 0.
void read_natives(route& out, nb::handle x, nb::handle texts, nb::handle natives) {
  if (natives.is_none()) return;
  const auto* handle = reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(natives[0]));
  if (out.take == take_by_table) read_questions(out, x, handle, texts, natives[1]);
  if (out.take == take_by_bare_call) read_exporter(out, x, handle, natives[2]);
}

bool read_route(route& out, const std::string& word, nb::handle forbids) {
  out.take = find_way(word);
  if (out.take == take_by_table) out.table = find_exchange_table(out.type);
  if (out.take == take_usm_struct) out.inner = place_of_usm_array(out.type);
  const bool is_there = out.inner >= 0 && (out.table != nullptr || out.take != take_by_table);
  return is_there && read_all_forbidden(out, forbids);
}

// ---- for the planner --------------------------------------------------------------------------

void remember_route(nb::handle x, nb::handle row) {
  route made;
  if (!read_row(made, x, row)) return;
  route& place = place_of(made.type);
  const nb::object former = nb::steal(place.plan);  // dropped at the end: that may run anything
  place = made;
}

// There are new rows: a class may be another library's now.
void forget_routes() {
  for (route& each : routes) {
    const nb::object former = nb::steal(each.plan);
    each = {};
  }
  forget_handovers();
}

bool has_route(nb::handle x) {
  const PyTypeObject* type = Py_TYPE(x.ptr());
  return is_current(place_of(type), type);
}

nb::object import_by(nb::handle x, const std::string& word, nb::handle plan, bool immutable,
                     const std::string& offset) {
  route how;
  how.type = Py_TYPE(x.ptr());
  how.plan = plan.ptr();
  how.immutable = immutable;
  how.planned = true;
  how.offset = interned(offset);
  if (!read_route(how, word, nb::tuple())) return nb::none();
  PyObject* array = how.take(x.ptr(), how);
  return array != nullptr ? nb::steal(array) : nb::none();
}

bool has_exchange_table(nb::handle type) {
  return find_exchange_table(reinterpret_cast<PyTypeObject*>(type.ptr())) != nullptr;
}

}  // namespace

bool is_current(const route& found, const PyTypeObject* type) noexcept {
  return found.type == type && found.version == type_version(type);
}

bool read_row(route& out, nb::handle x, nb::handle row) {
  out.type = Py_TYPE(x.ptr());
  out.version = given_type_version(out.type);
  out.immutable = nb::cast<bool>(row[2]);
  out.offset = interned(nb::cast<std::string>(row[4]));
  if (out.version == 0 || !read_route(out, nb::cast<std::string>(row[0]), row[3])) return false;
  out.asks_device = nb::cast<bool>(row[6]);
  read_natives(out, x, row[3], row[5]);
  out.plan = nb::object(row[1]).release().ptr();
  return true;
}

PyObject* import_quickly(PyObject* x) {
  const route& found = place_of(Py_TYPE(x));
  if (!is_current(found, Py_TYPE(x))) return nullptr;
  if (found.take == take_array_struct) return found.take(x, found);  // takes the plan first
  const route how = found;  // what is called may change the place, and another thread, too
  const nb::object plan = nb::borrow(how.plan);
  return how.take(x, how);
}

void register_routes(nb::module_& m) {
  m.def("_has_route", has_route, "x"_a);
  m.def("_forget_routes", forget_routes);
  m.def("_remember_route", remember_route, "x"_a, "row"_a);
  m.def("_import_by", import_by, "x"_a, "route"_a, "plan"_a.none(), "immutable"_a, "offset"_a);
  m.def("_has_exchange_table", has_exchange_table, "type"_a);
}

}  // namespace anystream::python
