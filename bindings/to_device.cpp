// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Array.to_device: the array API standard's name for what from_dlpack does with an array of ours.
#include "to_device.hpp"

#include <nanobind/nanobind.h>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_type.hpp"
#include "configuration.hpp"
#include "device_argument.hpp"
#include "errors.hpp"
#include "export.hpp"
#include "stream_argument.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anystream::python {
namespace {

enum { stream_at };
keyword_list<1> keywords("to_device()", {"stream"}, "a.to_device(device, stream=None)");

// Whatever anystream.Device takes is a device.
nb::object to_device_object(PyObject* given) {
  const nb::object take = nb::module_::import_("anystream._device").attr("named_device");
  return take(nb::handle(given), "to_device(device)");
}

// Refused here, because the planner would blame a function that nobody called.
void check_stream(DLDevice device, const char* platform, PyObject* stream) {
  constexpr const char* where = "to_device(stream=…)";
  anystream_resolution resolved{};
  if (!resolve(device, platform, stream, where, resolved)) throw nb::python_error();
  const core_stream kept(resolved.stream);
  if (kept) check(core().stream_check_consumer(kept.get(), where));
}

nb::object import(nb::handle array, nb::handle device, nb::handle copy, nb::handle stream) {
  const nb::handle planner = import_array_function();
  if (!planner.is_valid()) throw internal_error("to_device was called before _configure");
  return planner(array, "device"_a = device, "copy"_a = copy, "stream"_a = stream,
                 "method"_a = "to_device");
}

// To the host the copy runs on a stream of the device that the array is on: it is put there first.
nb::object to_host(nb::handle array, const nb::object& device, nb::handle stream) {
  if (stream.is_none()) return import(array, device, nb::bool_(true), nb::none());
  const nb::object there = import(array, nb::none(), nb::none(), stream);
  return import(there, device, nb::bool_(true), nb::none());
}

nb::object moved(nb::handle array, const nb::object& device, nb::handle stream) {
  const array_object& self = as_array(array.ptr());
  const DLDevice from = tensor_of(self).device;
  const place to = to_place(device, "to_device(device)");
  const bool stays =
      to.device.device_type == from.device_type && to.device.device_id == from.device_id;
  if (stays && stream.is_none()) return nb::borrow(array);
  const bool runs_there = !stays && to.device.device_type != kDLCPU;
  if (runs_there) {
    check_stream(to.device, to.platform.c_str(), stream.ptr());
    return import(array, device, nb::bool_(true), stream);
  }
  check_stream(from, platform_of(self), stream.ptr());
  return stays ? import(array, nb::none(), nb::none(), stream) : to_host(array, device, stream);
}

}  // namespace

PyObject* array_to_device(PyObject* self, PyObject* const* values, Py_ssize_t given,
                          PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    const auto read = keywords.read(values, given, 1, names);
    const nb::object device = to_device_object(values[0]);
    return moved(self, device, or_none(read[stream_at])).release().ptr();
  });
}

void register_to_device() { keywords.intern(); }

}  // namespace anystream::python
