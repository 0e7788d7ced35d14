// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Making a Stream of what a user has: a stream of some library, a capsule, a handle.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "arguments.hpp"
#include "configuration.hpp"
#include "device.hpp"
#include "device_argument.hpp"
#include "dlpack_stream.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "python_platform.hpp"
#include "registered_rules.hpp"
#include "stream.hpp"
#include "stream_check.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

using wanted_policy = std::optional<int>;  // nothing: what it has already

constexpr const char* device_of_stream = "Stream(device=…)";
constexpr const char* device_of_handle = "Stream.from_handle(device, …)";

// The platform of a handle that tells its own device; "" for the others.
std::string_view describing_platform(const stream_source& source) {
  const bool capsule = source.kind == ANYSTREAM_ARGUMENT_CAPSULE;
  const std::string_view family = source.family != nullptr ? source.family : "";
  std::string_view found;
  for_each_rules([&](const stream_rules& rules) {
    if (!tells_its_device(rules.objects)) return;
    bool matches = !capsule && family == word_of(rules.objects);
    for_each_name(rules.capsules, [&](std::string_view name) {
      matches = matches || (capsule && name == source.capsule_name);
    });
    if (matches) found = rules.backend;
  });
  return found;
}

py_stream with_policy(const anystream_stream* plain, int policy) {
  anystream_stream* out = nullptr;
  check(core().stream_with_policy(plain, policy, &out));
  return py_stream(stream_ptr(out));
}

// A stream that the core has just made refuses, as most do; another one has a policy of its own.
py_stream with_wanted_policy(stream_ptr made, wanted_policy policy) {
  if (!policy || core().stream_policy(made.get()) == *policy) return py_stream(std::move(made));
  return with_policy(made.get(), *policy);
}

py_stream make_described(const stream_source& source, std::string_view platform,
                         wanted_policy policy) {
  provide_search_paths();
  anystream_stream* out = nullptr;
  const anystream_owner owner = keep_alive(source.owner.ptr());
  const std::string name(platform);
  check(without_gil(
      [&] { return core().stream_of_platform(name.c_str(), source.handle, owner, &out); }));
  return with_wanted_policy(stream_ptr(out), policy);
}

[[noreturn]] void refuse_foreign(DLDevice device, const char* where) {
  throw driver_unavailable(std::string(where) + ": anystream has no backend for " +
                           device_text(device) +
                           ", and no platform was registered for it, so it can make no Stream of "
                           "the object.\n  Pass the object itself as stream=: its producer may "
                           "know it.");
}

py_stream make_told(const stream_source& source, wanted_policy policy, const char* where) {
  const anystream_resolution resolution = resolve_told(source, where);
  if (resolution.form == ANYSTREAM_FORM_FOREIGN && source.told) refuse_foreign(*source.told, where);
  return with_wanted_policy(stream_ptr(resolution.stream), policy);
}

// The registered platform of a handle that tells its own device.
std::optional<anystream_platform_info> describing_registered(const stream_source& source) {
  const std::string_view family = source.family != nullptr ? source.family : "";
  return find_registered_if([&](const anystream_platform_info& info) {
    if (!has_callback(info, "device_of")) return false;
    if (source.kind != ANYSTREAM_ARGUMENT_CAPSULE) return family == info.family;
    bool named = false;
    for_each_name(info.capsules,
                  [&](std::string_view name) { named = named || name == source.capsule_name; });
    return named;
  });
}

py_stream make_registered(const stream_source& source, const anystream_platform_info& where,
                          wanted_policy policy) {
  const DLDevice any = {static_cast<DLDeviceType>(where.device_type), 0};
  anystream_stream* out = nullptr;
  const anystream_owner owner = keep_alive(source.owner.ptr());
  check(without_gil(
      [&] { return core().stream_from_handle(any, where.name, source.handle, owner, &out); }));
  return with_wanted_policy(stream_ptr(out), policy);
}

py_stream copy_stream(const py_stream& given, wanted_policy policy) {
  const int wanted = policy.value_or(given.policy());
  if (given.get() == nullptr) return {given.source(), wanted};
  return with_policy(given.get(), wanted);
}

py_stream make_without_device(nb::handle given, wanted_policy policy, const char* where) {
  if (const py_stream* ours = as_stream(given.ptr())) return copy_stream(*ours, policy);
  stream_source source = read_source(given, std::nullopt);
  if (source.told) return make_told(source, policy, where);
  check_source(source, where);
  const std::string_view platform = describing_platform(source);
  if (!platform.empty()) return make_described(source, platform, policy);
  if (const auto registered = describing_registered(source)) {
    return make_registered(source, *registered, policy);
  }
  return {std::move(source), policy.value_or(ANYSTREAM_OUT_OF_ORDER_REFUSE)};
}

void check_device(const place& named, const stream_ptr& stream, const char* where) {
  const device wanted(named.device);
  const device is(core().stream_device(stream.get()));
  if (is == wanted) return;
  throw value_error(std::string(where) + ": the stream is on " + to_string(is) + "; got device " +
                    to_string(wanted) + ".\n  Leave device out: the stream tells.");
}

stream_ptr stream_of(const anystream_resolution& resolution, nb::handle given,
                     const place& where_to, const char* where) {
  if (resolution.form == ANYSTREAM_FORM_STREAM) return stream_ptr(resolution.stream);
  if (resolution.form == ANYSTREAM_FORM_FOREIGN) refuse_foreign(where_to.device, where);
  const stream_source none = read_source(given, std::nullopt);
  if (resolution.form == ANYSTREAM_FORM_UNORDERED) check_integer(none, where);
  refuse_type(none, where);
}

// None and -1, which host arrays take for a stream, make none.
void refuse_host(const place& where_to) {
  if (where_to.device.device_type != kDLCPU) return;
  throw value_error(std::string(device_of_stream) + " takes a device that has streams; got " +
                    device_text(where_to.device) +
                    ", which has none.\n  What is in host memory is there: its arrays need no "
                    "stream.");
}

py_stream make_on_device(nb::handle given, const place& where_to, wanted_policy policy,
                         const char* where) {
  refuse_host(where_to);
  anystream_resolution resolution{};
  if (!resolve(where_to.device, where_to.platform.c_str(), given.ptr(), where, resolution)) {
    throw nb::python_error();
  }
  stream_ptr stream = stream_of(resolution, given, where_to, where);
  check_device(where_to, stream, where);
  return with_wanted_policy(std::move(stream), policy);
}

// A number would be taken for the address of a Python object.
void refuse_object_handles(const place& where) {
  const auto type = static_cast<device_type>(where.device.device_type);
  if (!has_object_handles(type, where.platform.c_str())) return;
  throw value_error(
      "Stream.from_handle(…): a platform whose streams are Python objects has no numbers for them; "
      "got one of " +
      device_text(where.device) + ".\n  Pass the stream itself: Stream(s, device=…).");
}

std::uintptr_t to_raw_handle(nb::handle handle) {
  constexpr const char* takes =
      "Stream.from_handle(…): a handle is an int that is not negative and fits a pointer; got ";
  constexpr const char* fix =
      ".\n  It is what the platform's C interface has; of a stream object, write Stream(s).";
  if (PyBool_Check(handle.ptr()) || PyIndex_Check(handle.ptr()) == 0 ||
      is_some_array(handle.ptr())) {
    throw type_error(takes + got(handle.ptr()) + fix);
  }
  const nb::object number = nb::steal(PyNumber_Index(handle.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw value_error(takes + got(number.ptr()) + fix);
}

}  // namespace

py_stream make_stream(nb::handle given, nb::handle device, wanted_policy policy,
                      const char* where) {
  if (device.is_none()) return make_without_device(given, policy, where);
  return make_on_device(given, to_place(device, device_of_stream), policy, where);
}

// A device type may have its platform from another package, which is asked first.
void find_platform_of(const place& where) {
  const auto type = static_cast<device_type>(where.device.device_type);
  const auto found = find_rules(type, where.platform);
  if (!found || found->rules.objects == stream_family::unknown) load_entry_points();
}

py_stream make_stream_from_handle(nb::handle device, nb::handle handle, nb::handle owner) {
  const place where_to = to_place(device, device_of_handle);
  const std::uintptr_t raw = to_raw_handle(handle);
  find_platform_of(where_to);
  refuse_object_handles(where_to);
  provide_search_paths();
  anystream_stream* out = nullptr;
  const anystream_owner keep = keep_alive(owner.is_none() ? nullptr : owner.ptr());
  check(without_gil([&] {
    return core().stream_from_handle(where_to.device, where_to.platform.c_str(), raw, keep, &out);
  }));
  stream_ptr stream(out);
  check_device(where_to, stream, "Stream.from_handle(…)");
  return py_stream(std::move(stream));
}

}  // namespace anystream::python
