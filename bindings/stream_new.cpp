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
#include "errors.hpp"
#include "owner.hpp"
#include "stream.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

using wanted_policy = std::optional<int>;  // nothing: what it has already

// The rows of the table that have stream capsules, each with its names "A|B".
template <class Visit>
void for_each_rules(Visit&& visit) {
  for (const device_info& row : device_table) visit(row.rules);
  for (const platform_info& row : platform_table) visit(row.rules);
}

template <class Visit>
void for_each_name(std::string_view names, Visit&& visit) {
  while (!names.empty()) {
    const std::size_t bar = names.find('|');
    visit(names.substr(0, bar));
    names.remove_prefix(bar == names.npos ? names.size() : bar + 1);
  }
}

const stream_rules* rules_of_capsule(std::string_view name) {
  const stream_rules* found = nullptr;
  for_each_rules([&](const stream_rules& rules) {
    for_each_name(rules.capsules, [&](std::string_view known) {
      if (found == nullptr && known == name) found = &rules;
    });
  });
  return found;
}

std::string capsule_names() {
  std::string text;
  for_each_rules([&](const stream_rules& rules) {
    for_each_name(rules.capsules, [&](std::string_view name) {
      const std::string quoted = "\"" + std::string(name) + "\"";
      if (text.find(quoted) == text.npos) text += (text.empty() ? "" : ", ") + quoted;
    });
  });
  return text;
}

std::string refusal(const stream_source& source, const char* where, std::string_view fix) {
  return std::string(where) +
         ": a stream is an int, an object with __cuda_stream__, a stream of a library that "
         "anystream knows, an anystream.Stream, or a capsule named " +
         capsule_names() + "; got " + source.got() + ".\n  " + std::string(fix);
}

[[noreturn]] void refuse_type(const stream_source& source, const char* where) {
  throw type_error(refusal(source, where, "Pass the stream object of the library that made it."));
}

[[noreturn]] void refuse_value(const stream_source& source, const char* where,
                               std::string_view fix) {
  throw value_error(refusal(source, where, fix));
}

void check_integer(const stream_source& source, const char* where) {
  if (source.overflow > 0) refuse_value(source, where, "No stream handle is that large.");
  if (source.overflow < 0 || source.integer < -1) {
    refuse_value(source, where, "No stream handle is negative.");
  }
  if (source.integer == -1)
    refuse_value(source, where, "-1 asks for no ordering: it is no stream.");
}

void check_capsule(const stream_source& source, const char* where) {
  constexpr std::string_view used = "used_";
  const std::string_view name = source.capsule_name != nullptr ? source.capsule_name : "";
  if (rules_of_capsule(name) != nullptr) return;
  const bool was_used =
      name.starts_with(used) && rules_of_capsule(name.substr(used.size())) != nullptr;
  if (!was_used) refuse_type(source, where);
  refuse_value(source, where, "It was used up by whoever took it: make a new capsule.");
}

// What no device could make a stream of is refused at once.
void check_source(const stream_source& source, const char* where) {
  switch (source.kind) {
    case ANYSTREAM_ARGUMENT_INTEGER:
      return check_integer(source, where);
    case ANYSTREAM_ARGUMENT_CAPSULE:
      return check_capsule(source, where);
    case ANYSTREAM_ARGUMENT_OBJECT:
      if (*source.family != '\0') return;
      refuse_type(source, where);  // of a known class, but of no platform with streams
    case ANYSTREAM_ARGUMENT_PROTOCOL:
      if (source.version == 0) return;
      refuse_value(source, where, "anystream knows version 0 of __cuda_stream__.");
    default:
      refuse_type(source, where);
  }
}

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

py_stream copy_stream(const py_stream& given, wanted_policy policy) {
  const int wanted = policy.value_or(given.policy());
  if (given.get() == nullptr) return {given.source(), wanted};
  return with_policy(given.get(), wanted);
}

py_stream make_without_device(nb::handle given, wanted_policy policy, const char* where) {
  if (const py_stream* ours = as_stream(given.ptr())) return copy_stream(*ours, policy);
  stream_source source = read_source(given, std::nullopt);
  check_source(source, where);
  const std::string_view platform = describing_platform(source);
  if (!platform.empty()) return make_described(source, platform, policy);
  return {std::move(source), policy.value_or(ANYSTREAM_OUT_OF_ORDER_REFUSE)};
}

void check_device(const place& named, const stream_ptr& stream, const char* where) {
  const device wanted(named.device);
  const device is(core().stream_device(stream.get()));
  if (is == wanted) return;
  throw value_error(std::string(where) + ": the stream is on " + to_string(is) + "; got device " +
                    to_string(wanted) + ".\n  Leave device out: the stream tells.");
}

[[noreturn]] void refuse_foreign(const place& where_to, const char* where) {
  throw driver_unavailable(std::string(where) + ": anystream has no backend for " +
                           device_text(where_to.device) +
                           ", and no platform was registered for it, so it can make no Stream of "
                           "the object.\n  Pass the object itself as stream=: its producer may "
                           "know it.");
}

stream_ptr stream_of(const anystream_resolution& resolution, nb::handle given,
                     const place& where_to, const char* where) {
  if (resolution.form == ANYSTREAM_FORM_STREAM) return stream_ptr(resolution.stream);
  if (resolution.form == ANYSTREAM_FORM_FOREIGN) refuse_foreign(where_to, where);
  const stream_source none = read_source(given, std::nullopt);
  if (resolution.form == ANYSTREAM_FORM_UNORDERED) check_integer(none, where);
  refuse_type(none, where);
}

py_stream make_on_device(nb::handle given, const place& where_to, wanted_policy policy,
                         const char* where) {
  anystream_resolution resolution{};
  if (!resolve(where_to.device, where_to.platform.c_str(), given.ptr(), where, resolution)) {
    throw nb::python_error();
  }
  stream_ptr stream = stream_of(resolution, given, where_to, where);
  check_device(where_to, stream, where);
  return with_wanted_policy(std::move(stream), policy);
}

std::uintptr_t to_raw_handle(nb::handle handle) {
  constexpr const char* takes =
      "Stream.from_handle(…): a handle is an int that is not negative and fits a pointer; got ";
  if (PyBool_Check(handle.ptr()) || PyIndex_Check(handle.ptr()) == 0) {
    throw type_error(takes + got(handle.ptr()) + ".");
  }
  const nb::object number = nb::steal(PyNumber_Index(handle.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw value_error(takes + got(number.ptr()) + ".");
}

}  // namespace

py_stream make_stream(nb::handle given, nb::handle device, wanted_policy policy,
                      const char* where) {
  if (device.is_none()) return make_without_device(given, policy, where);
  return make_on_device(given, to_place(device), policy, where);
}

py_stream make_stream_from_handle(nb::handle device, nb::handle handle, nb::handle owner) {
  const place where_to = to_place(device);
  const std::uintptr_t raw = to_raw_handle(handle);
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
