// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The arguments of `__dlpack__`: the array API standard's, with any stream that the device takes.
#include "export.hpp"

#include <limits>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_type.hpp"
#include "stream_argument.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

enum { stream_at, max_version_at, dl_device_at, copy_at };
keyword_list<4> keywords("__dlpack__()", {"stream", "max_version", "dl_device", "copy"});

constexpr DLDevice host = {kDLCPU, 0};

std::string pair_text(DLDevice device) {
  return "(" + std::to_string(device.device_type) + ", " + std::to_string(device.device_id) + ")";
}

struct version {
  std::int64_t major;
  std::int64_t minor;
};

// Before DLPack 1.0 there was no version to ask for.
version asked_version(PyObject* max_version) {
  constexpr const char* where = "__dlpack__(max_version=…)";
  constexpr const char* fix =
      "Write (1, 0) or later; None, or (0, 0), asks for a capsule of before DLPack 1.0.";
  if (max_version == Py_None) return {0, 0};
  const auto [major, minor] =
      to_pair(max_version, where, "None or a pair (major, minor) of ints", fix);
  if (major >= 0 && minor >= 0) return {major, minor};
  throw value_error(std::string(where) + " takes versions from (0, 0); got " + got(max_version) +
                    ".\n  " + fix);
}

DLDevice target_of(DLDevice device, const char* platform, PyObject* dl_device) {
  constexpr const char* where = "__dlpack__(dl_device=…)";
  if (dl_device == Py_None) return device;
  const auto [type, id] =
      to_pair(dl_device, where, "None or a pair (device type, device id) of ints",
              "Write (1, 0) for the host, or what __dlpack_device__() gives.");
  const DLDevice target = {static_cast<DLDeviceType>(type), static_cast<std::int32_t>(id)};
  if (same_device(target, device) || same_device(target, host)) return target;
  const std::string elsewhere = same_device(device, host) ? "" : ", or to the host, (1, 0)";
  throw exchange_error(
      std::string(where) + ": " + array_words(device, platform) + " is exported where it is, " +
      pair_text(device) + elsewhere + "; got " + pair_text(target) + ".\n  " +
      (target.device_type == kDLCPU
           ? "The host is one device: write (1, 0)."
           : "Copy it there first: anystream.from_dlpack(x, device=…, copy=True)."));
}

copy_rule rule_of(PyObject* copy) {
  if (copy == Py_None) return copy_rule::as_needed;
  check_copy(copy, "__dlpack__(copy=…)");
  return copy == Py_True ? copy_rule::always : copy_rule::never;
}

// The host reads the copy at once: there is nothing that the order could be left to.
void refuse_unordered_copy(const consumer_stream& consumer) {
  if (consumer.form == ANYSTREAM_FORM_DEFAULT) return;
  throw value_error(
      "__dlpack__(stream=…, dl_device=(1, 0)): the host reads what it is given at "
      "once, so stream must be None; got " +
      got(consumer.given) + ".\n  Leave stream out: anystream waits for the array's own stream.");
}

}  // namespace

// max_version=(1, N) and nothing else, as the usual consumer asks; 1 is told by identity, since
// small ints are one object each.
bool asks_for_version_only(PyObject* const* values, Py_ssize_t given, PyObject* names) {
  static PyObject* const one = PyLong_FromLong(1);
  if (given != 0 || names == nullptr || PyTuple_GET_SIZE(names) != 1) return false;
  if (!keywords.is(PyTuple_GET_ITEM(names, 0), max_version_at)) return false;
  PyObject* const version = values[0];
  if (!PyTuple_CheckExact(version) || PyTuple_GET_SIZE(version) != 2) return false;
  PyObject* const minor = PyTuple_GET_ITEM(version, 1);
  int overflow = 0;
  return PyTuple_GET_ITEM(version, 0) == one && PyLong_CheckExact(minor) &&
         PyLong_AsLongAndOverflow(minor, &overflow) >= 0 && overflow == 0;
}

export_request read_export_request(DLDevice device, const char* platform, PyObject* const* values,
                                   Py_ssize_t given, PyObject* names) {
  const auto read = keywords.read(values, given, 0, names);
  export_request request{};
  request.stream = or_none(read[stream_at]);
  const auto [major, minor] = asked_version(or_none(read[max_version_at]));
  request.versioned = major >= 1;
  request.knows_padding = major > 1 || (major == 1 && minor >= 1);
  request.copy = rule_of(or_none(read[copy_at]));
  request.target = target_of(device, platform, or_none(read[dl_device_at]));
  return request;
}

consumer_stream read_consumer(DLDevice device, const char* platform,
                              const export_request& request) {
  const bool moves = !same_device(device, request.target);
  // None means the same on every device type: what its row promises.
  if (request.stream == Py_None) return {ANYSTREAM_FORM_DEFAULT, nullptr, Py_None};
  const char* where = moves ? "__dlpack__(stream=…, dl_device=(1, 0))" : "__dlpack__(stream=…)";
  anystream_resolution resolved{};
  if (!resolve(request.target, moves ? "" : platform, request.stream, where, resolved)) {
    throw nb::python_error();
  }
  consumer_stream consumer = {resolved.form, core_stream(resolved.stream), request.stream};
  if (moves) refuse_unordered_copy(consumer);
  return consumer;
}

void register_export() { keywords.intern(); }

}  // namespace anystream::python
