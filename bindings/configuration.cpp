// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Python package tells the extension at import, checked and kept.
#include "configuration.hpp"

#include <cstddef>
#include <forward_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

constexpr const char* configure_doc =
    "What the extension needs of the package, told once at import.\n\n"
    "make_device(type, id, platform) and make_dtype(code, bits, lanes) make the package's values;\n"
    "import_array is what from_dlpack calls; plans of plan_class lead to no array;\n"
    "stream_classes are rows (module, qualname, family, handle, null_means);\n"
    "known_sycl_queues() gives the ints that\n"
    "torch.xpu vouches for; search_paths() gives pairs "
    "(driver, folder) and is called once, when "
    "a\n"
    "driver is first needed; entry_points() has other packages add what they know of, and is "
    "called\n"
    "once, when a stream comes that nobody knows.";
constexpr const char* add_search_path_doc =
    "Adds a folder in which a driver's library is looked for, before the loader's own path.\n\n"
    "ValueError, listing the known, for an unknown driver. Any thread.";

// Kept for the process and never destroyed: streams and arrays may outlive the module.
struct configuration {
  nb::object make_device;
  nb::object make_dtype;
  nb::object import_array;
  nb::object plan_class;
  nb::object known_sycl_queues;
  nb::object search_paths;  // empty once called
  nb::object entry_points;
  // The front is in force. Older ones stay, since streams made by them still name their family.
  std::forward_list<std::vector<stream_class>> rows{{}};
  unsigned generation = 0;
};

configuration& settings() {
  static auto* const one = new configuration;
  return *one;
}

struct source_word {
  std::string_view word;
  handle_source source;
  bool has_name;
};

constexpr source_word source_words[] = {
    {"attr", handle_source::attribute, true},  {"call", handle_source::call, true},
    {"int", handle_source::integer, false},    {"protocol", handle_source::protocol, false},
    {"capsule", handle_source::capsule, true}, {"object", handle_source::object, false},
};

// "a.b" -> the interned names "a", "b"
std::vector<nb::object> split_path(std::string_view dotted) {
  std::vector<nb::object> names;
  while (true) {
    const std::size_t dot = dotted.find('.');
    const std::string name(dotted.substr(0, dot));
    names.push_back(nb::steal(PyUnicode_InternFromString(name.c_str())));
    if (dot == dotted.npos) return names;
    dotted.remove_prefix(dot + 1);
  }
}

void read_handle_column(std::string_view text, stream_class& row) {
  const std::size_t colon = text.find(':');
  for (const source_word& known : source_words) {
    if (known.word != text.substr(0, colon) || known.has_name != (colon != text.npos)) continue;
    row.source = known.source;
    if (known.has_name) row.path = split_path(text.substr(colon + 1));
    return;
  }
  throw nb::value_error(
      ("_configure(stream_classes=…): a handle is read by \"attr:NAME\", "
       "\"call:NAME\", \"int\", \"protocol\", \"capsule:NAME\", \"object\" or a function; got \"" +
       std::string(text) + "\".")
          .c_str());
}

// "cuda", or, where an attribute of the object tells, "attr:NAME|VALUE=FAMILY|…", or, where it is
// told by having one, "attr:NAME|=FAMILY"
void read_family_column(std::string_view text, stream_class& row) {
  constexpr std::string_view attribute = "attr:";
  if (!text.starts_with(attribute)) {
    row.family = text;
    return;
  }
  std::size_t bar = text.find('|');
  row.choice.path = split_path(text.substr(attribute.size(), bar - attribute.size()));
  while (bar != text.npos) {
    text.remove_prefix(bar + 1);
    bar = text.find('|');
    const std::string_view pair = text.substr(0, bar);
    const std::size_t equals = pair.find('=');
    if (equals == pair.npos) throw nb::value_error("_configure(stream_classes=…): no \"=\"");
    row.choice.families.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
}

stream_class read_row(nb::handle item) {
  stream_class row{};
  row.module = nb::cast<std::string>(item[0]);
  row.qualname = nb::cast<std::string>(item[1]);
  read_family_column(nb::cast<std::string>(item[2]), row);
  row.null_means = nb::cast<int>(item[4]);
  const nb::object handle = item[3];
  if (!PyUnicode_Check(handle.ptr()) && PyCallable_Check(handle.ptr()) != 0) {
    row.source = handle_source::function;
    row.function = handle;
    return row;
  }
  read_handle_column(nb::cast<std::string>(handle), row);
  return row;
}

void configure(nb::object make_device, nb::object make_dtype, nb::object import_array,
               nb::object plan_class, nb::handle stream_classes, nb::object known_sycl_queues,
               nb::object search_paths, nb::object entry_points) {
  std::vector<stream_class> rows;
  for (const nb::handle item : stream_classes) rows.push_back(read_row(item));
  configuration& kept = settings();
  kept.make_device = std::move(make_device);
  kept.make_dtype = std::move(make_dtype);
  kept.import_array = std::move(import_array);
  kept.plan_class = std::move(plan_class);
  plan_type = reinterpret_cast<PyTypeObject*>(kept.plan_class.ptr());
  kept.known_sycl_queues = std::move(known_sycl_queues);
  kept.search_paths = std::move(search_paths);
  kept.entry_points = std::move(entry_points);
  kept.rows.push_front(std::move(rows));
  kept.generation++;
}

// What was there stays as it was: those that stand before it are looked at first.
void add_stream_class(nb::handle item) {
  configuration& kept = settings();
  std::vector<stream_class> rows = kept.rows.front();
  rows.push_back(read_row(item));
  kept.rows.push_front(std::move(rows));
  kept.generation++;
}

std::uintptr_t find_function(const std::string& file, const std::string& symbol) {
  return reinterpret_cast<std::uintptr_t>(core().find_function(file.c_str(), symbol.c_str()));
}

void add_search_path(const std::string& driver, const std::string& folder) {
  check(core().add_search_path(driver.c_str(), folder.c_str()));
}

nb::object call_configured(const nb::object& function, const nb::tuple& arguments) {
  if (!function.is_valid()) throw std::runtime_error("anystream._core has not been configured");
  return function(*arguments);
}

}  // namespace

PyTypeObject* plan_type = nullptr;

nb::object make_device(DLDevice device, const char* platform) {
  return call_configured(
      settings().make_device,
      nb::make_tuple(static_cast<int>(device.device_type), device.device_id, platform));
}

nb::object make_dtype(DLDataType dtype) {
  return call_configured(settings().make_dtype,
                         nb::make_tuple(static_cast<int>(dtype.code), static_cast<int>(dtype.bits),
                                        static_cast<int>(dtype.lanes)));
}

PyObject* import_array_function() noexcept { return settings().import_array.ptr(); }

const std::vector<stream_class>& stream_classes() noexcept { return settings().rows.front(); }

unsigned stream_classes_generation() noexcept { return settings().generation; }

nb::object known_sycl_queues() {
  const nb::object& function = settings().known_sycl_queues;
  return function.is_valid() ? function() : nb::object(nb::tuple());
}

bool load_entry_points() {
  // It is not given up after the first call: a second thread must wait for the one that loads.
  const nb::object load = settings().entry_points;
  if (!load.is_valid() || load.is_none()) return false;
  const unsigned before = settings().generation;
  load();
  return settings().generation != before;
}

void provide_search_paths() {
  nb::object& kept = settings().search_paths;
  if (!kept.is_valid() || kept.is_none()) return;
  const nb::object search_paths = std::move(kept);  // first: what is called here may come back
  for (const nb::handle pair : search_paths()) {
    add_search_path(nb::cast<std::string>(pair[0]), nb::cast<std::string>(pair[1]));
  }
}

void register_configuration(nb::module_& m) {
  m.def("_configure", configure, nb::kw_only(), "make_device"_a, "make_dtype"_a, "import_array"_a,
        "plan_class"_a, "stream_classes"_a, "known_sycl_queues"_a, "search_paths"_a = nb::none(),
        "entry_points"_a = nb::none(), configure_doc);
  m.def("_add_stream_class", add_stream_class, "row"_a,
        "Adds a row (module, qualname, family, handle, null_means) behind those that there are.");
  m.def("_find_function", find_function, "file"_a, "symbol"_a);
  m.def("_add_search_path", add_search_path, "driver"_a, "folder"_a, add_search_path_doc);
}

}  // namespace anystream::python
