// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices as users name them.
#include "device_argument.hpp"

#include <limits>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "arguments.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

DLDevice make_dl_device(int type, int id) { return {static_cast<DLDeviceType>(type), id}; }

constexpr Py_ssize_t longest_name = 40;

// What is no name of ours, fit for a message: cut, and without NULs, which would end it.
std::string no_name(nb::handle text) {
  nb::object shown = nb::borrow(text);
  if (PyUnicode_GetLength(text.ptr()) > longest_name) {
    shown = nb::steal(PyUnicode_Substring(text.ptr(), 0, longest_name)) + nb::str("…");
  }
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(shown.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  std::string out(PyBytes_AS_STRING(bytes.ptr()),
                  static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  for (std::size_t at; (at = out.find('\0')) != out.npos;) out.replace(at, 1, "\\x00");
  return out;
}

int to_int(nb::handle value, const char* where) {
  return static_cast<int>(
      to_integer(value.ptr(), where, 0, std::numeric_limits<std::int32_t>::max()));
}

place place_of_pair(nb::handle pair) {
  const int id =
      pair[1].is_none() ? 0 : to_int(pair[1], "device=(…, id)");  // some producers say (1, None)
  return {make_dl_device(to_int(pair[0], "device=(type, …)"), id), ""};
}

// An anystream.Device, or what has its attributes.
bool is_like_a_device(nb::handle object) {
  return !PyType_Check(object.ptr()) && nb::hasattr(object, "type") && nb::hasattr(object, "id");
}

place place_of_device(nb::handle object) {
  const nb::object platform = nb::getattr(object, "platform", nb::str(""));
  return {make_dl_device(to_int(object.attr("type"), "device.type"),
                         to_int(object.attr("id"), "device.id")),
          nb::isinstance<nb::str>(platform) ? nb::cast<std::string>(platform) : ""};
}

[[noreturn]] void refuse_device(nb::handle device, const char* where) {
  const bool number = PyIndex_Check(device.ptr()) != 0 && !PyBool_Check(device.ptr());
  throw type_error(
      std::string(where) +
      " takes a string such as \"cuda:0\", an anystream.Device, or a pair (type, id) as "
      "__dlpack_device__ returns it; got " +
      got(device.ptr()) + ".\n  " +
      (number ? "A number alone does not tell its type: write \"cuda:0\", or (2, 0)."
              : "Write \"cuda:0\", or anystream.Device(\"cuda:0\")."));
}

}  // namespace

std::string name_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) PyErr_Clear();  // it has surrogates
  if (bytes == nullptr || size > longest_name) return no_name(text);
  const std::string name(bytes, static_cast<std::size_t>(size));
  return name.find('\0') == name.npos ? name : no_name(text);
}

place to_place(nb::handle device, const char* where) {
  if (PyUnicode_Check(device.ptr()))
    return {anystream::device::parse(name_of(device)).dlpack(), {}};
  if (nb::isinstance<nb::tuple>(device) && nb::len(device) == 2) return place_of_pair(device);
  if (is_like_a_device(device)) return place_of_device(device);
  refuse_device(device, where);
}

}  // namespace anystream::python
