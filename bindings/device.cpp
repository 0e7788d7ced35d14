// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices and data types at the border to Python: the table as dicts, names, listings.
#include "device.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <anystream/device.hpp>
#include <anystream/dtype.hpp>

#include "arguments.hpp"
#include "configuration.hpp"
#include "core.hpp"
#include "device_argument.hpp"
#include "errors.hpp"
#include "owner.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

constexpr const char* memory_device_doc =
    "The device (type, id) that memory at an address is on, as the driver says; where it is "
    "claimed\n"
    "to be if the driver does not know it, or is not there.";
constexpr const char* enter_device_doc =
    "Makes a device the calling thread's current one: what leave_device is to be told, None where\n"
    "nothing was done, as on every platform without a current device.";
constexpr const char* leave_device_doc = "Puts back what enter_device found.";
constexpr const char* dtype_name_doc =
    "The name of a DLPack data type: \"float32\", \"bool\", \"complex64\", \"float32x4\".";
constexpr const char* parse_dtype_doc =
    "(code, bits, lanes) of a data type's name; ValueError for what is none.";
constexpr const char* device_name_doc =
    "The device string: \"cuda:0\"; \"device_type_77:0\" for a number that the table does not "
    "have.";
constexpr const char* parse_device_doc =
    "(type, id) of a device string; ValueError, which lists the words, for what is none.";
constexpr const char* devices_doc =
    "The devices of every driver that can be opened, a dict each: type, id, platform, kind "
    "(\"cpu\",\n"
    "\"gpu\", \"accelerator\" or \"other\") and name. Opens drivers; the GIL is dropped meanwhile.";
constexpr const char* device_info_doc =
    "One device, as in devices(). DriverUnavailable if its driver is not there, ValueError if the\n"
    "driver has no such device. Opens the driver; the GIL is dropped meanwhile.";
constexpr const char* drivers_doc =
    "The drivers that anystream knows, a dict each: name, library (the file opened, or the name\n"
    "looked for), available, has_backend, orders (whether a hand-off there can be ordered), reason "
    "(if\n"
    "not available, every place that was tried) and otherwise (what a hand-off there does without\n"
    "it). Tries to open each; the GIL is dropped.";

// The columns as words, straight from the file; device.hpp has them as values.
struct table_row {
  const char* id;
  int value;
  const char* dlpack;
  const char* device;
  const char* name;
  const char* backend;
  const char* on_none;
  const char* integers;
  const char* objects;
  const char* takes;
  std::string_view capsules;
  const char* memory;
  const char* fix;
};

constexpr table_row device_rows[] = {
#define ANYSTREAM_DEVICE(id, value, dlpack, name, backend, on_none, integers, objects, takes, \
                         capsules, memory, fix)                                               \
  {#id,       value,    dlpack, #id,      name,    backend, #on_none,                         \
   #integers, #objects, takes,  capsules, #memory, fix},
#include <anystream/device_types.def>
};

constexpr table_row platform_rows[] = {
#define ANYSTREAM_PLATFORM(id, device, name, backend, on_none, integers, objects, takes, capsules, \
                           memory, fix)                                                            \
  {#id,      static_cast<int>(device_type::device),                                                \
   "",       #device,                                                                              \
   name,     backend,                                                                              \
   #on_none, #integers,                                                                            \
   #objects, takes,                                                                                \
   capsules, #memory,                                                                              \
   fix},
#include <anystream/device_types.def>
};

nb::tuple names_of(std::string_view joined) {
  nb::list names;
  while (!joined.empty()) {
    const std::size_t bar = joined.find('|');
    names.append(nb::str(joined.substr(0, bar).data(), joined.substr(0, bar).size()));
    joined.remove_prefix(bar == joined.npos ? joined.size() : bar + 1);
  }
  return nb::tuple(names);
}

nb::dict row_dict(const table_row& row) {
  nb::dict out;
  out["id"] = row.id;
  out["value"] = row.value;
  out["dlpack"] = row.dlpack;
  out["device"] = row.device;
  out["name"] = row.name;
  out["backend"] = row.backend;
  out["on_none"] = row.on_none;
  out["integers"] = row.integers;
  out["objects"] = row.objects;
  out["takes"] = row.takes;
  out["capsules"] = names_of(row.capsules);
  out["memory"] = row.memory;
  out["fix"] = row.fix;
  return out;
}

template <class Rows>
nb::tuple table_of(const Rows& rows) {
  nb::list out;
  for (const table_row& row : rows) out.append(row_dict(row));
  return nb::tuple(out);
}

DLDevice make_dl_device(int type, int id) { return {static_cast<DLDeviceType>(type), id}; }

nb::dict device_dict(const anystream_device_info& info) {
  nb::dict out;
  out["type"] = static_cast<int>(info.device.device_type);
  out["id"] = info.device.device_id;
  out["platform"] = info.platform;
  out["kind"] = info.kind;
  out["name"] = info.name;
  return out;
}

nb::list devices() {
  provide_search_paths();
  std::vector<anystream_device_info> found;
  std::int32_t count = 0;
  check(without_gil([&] { return core().devices(nullptr, 0, &count); }));
  found.resize(static_cast<std::size_t>(count));
  check(without_gil([&] { return core().devices(found.data(), count, &count); }));
  if (static_cast<std::size_t>(count) < found.size()) found.resize(static_cast<std::size_t>(count));
  nb::list out;
  for (const anystream_device_info& info : found) out.append(device_dict(info));
  return out;
}

nb::dict device_info(int type, int id, const std::string& platform) {
  provide_search_paths();
  anystream_device_info info{};
  check(without_gil(
      [&] { return core().device_info(make_dl_device(type, id), platform.c_str(), &info); }));
  return device_dict(info);
}

std::pair<int, int> memory_device(int type, int id, const std::string& platform,
                                  std::uintptr_t data) {
  provide_search_paths();
  DLDevice found{};
  const DLDevice claimed = make_dl_device(type, id);
  const auto* const memory = reinterpret_cast<const void*>(data);
  check(
      without_gil([&] { return core().memory_device(claimed, platform.c_str(), memory, &found); }));
  return {static_cast<int>(found.device_type), found.device_id};
}

nb::object enter_device(int type, int id, const std::string& platform) {
  std::uintptr_t before = ANYSTREAM_UNCHANGED;
  check(core().device_enter(make_dl_device(type, id), platform.c_str(), &before));
  return before == ANYSTREAM_UNCHANGED ? nb::none() : nb::object(nb::int_(before));
}

void leave_device(int type, int id, const std::string& platform, std::uintptr_t before) {
  core().device_leave(make_dl_device(type, id), platform.c_str(), before);
}

nb::dict driver_dict(std::int32_t index) {
  anystream_driver_info info{};
  check(without_gil([&] { return core().driver_info(index, &info); }));
  nb::dict out;
  out["name"] = info.name;
  out["library"] = info.library;
  out["available"] = info.available != 0;
  out["has_backend"] = info.has_backend != ANYSTREAM_BACKEND_NONE;
  const bool needed = info.has_backend == ANYSTREAM_BACKEND_ON_DRIVER;
  out["orders"] = needed ? info.available != 0 : info.has_backend == ANYSTREAM_BACKEND_WITHOUT;
  out["reason"] = info.reason;
  out["otherwise"] = info.otherwise;
  return out;
}

nb::list drivers() {
  provide_search_paths();
  nb::list out;
  for (std::int32_t i = 0; i < core().driver_count(); ++i) out.append(driver_dict(i));
  return out;
}

std::string dtype_name(nb::handle code, nb::handle bits, nb::handle lanes) {
  const nb::tuple triple = nb::make_tuple(code, bits, lanes);
  return to_string(dtype(to_dtype(triple.ptr(), "dtype_name(…)")));
}

nb::tuple parse_dtype(const nb::str& name) {
  const dtype type = dtype::parse(name_of(name));
  return nb::make_tuple(static_cast<int>(type.code), static_cast<int>(type.bits),
                        static_cast<int>(type.lanes));
}

std::pair<int, int> parse_device(const nb::str& name) {
  const device where = device::parse(name_of(name));
  return {static_cast<int>(where.type), where.id};
}

}  // namespace

std::string device_text(DLDevice where) { return to_string(device(where)); }

void register_devices(nb::module_& m) {
  m.attr("DEVICE_TABLE") = table_of(device_rows);
  m.attr("PLATFORM_TABLE") = table_of(platform_rows);
  m.def("memory_device", memory_device, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        memory_device_doc);
  m.def("enter_device", enter_device, enter_device_doc);
  m.def("leave_device", leave_device, leave_device_doc);
  m.def("dtype_name", dtype_name, "code"_a, "bits"_a, "lanes"_a, dtype_name_doc);
  m.def("parse_dtype", parse_dtype, "name"_a, parse_dtype_doc);
  m.def(
      "device_name", [](int type, int id) { return device_text(make_dl_device(type, id)); },
      device_name_doc);
  m.def("parse_device", parse_device, parse_device_doc);
  m.def("devices", devices, devices_doc);
  m.def("device_info", device_info, "type"_a, "id"_a, "platform"_a = "", device_info_doc);
  m.def("drivers", drivers, drivers_doc);
}

}  // namespace anystream::python
