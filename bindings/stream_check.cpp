// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What no device could make a stream of.
#include "stream_check.hpp"

#include <optional>
#include <string>

#include <anystream/error.hpp>

#include "errors.hpp"
#include "stream.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

bool is_capsule_name(std::string_view name) {
  bool found = false;
  for_each_rules([&](const stream_rules& rules) {
    for_each_name(rules.capsules, [&](std::string_view known) { found = found || known == name; });
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

[[noreturn]] void refuse_value(const stream_source& source, const char* where,
                               std::string_view fix) {
  throw value_error(refusal(source, where, fix));
}

void check_capsule(const stream_source& source, const char* where) {
  constexpr std::string_view used = "used_";
  const std::string_view name = source.capsule_name != nullptr ? source.capsule_name : "";
  if (is_capsule_name(name)) return;
  const bool was_used = name.starts_with(used) && is_capsule_name(name.substr(used.size()));
  if (!was_used) refuse_type(source, where);
  refuse_value(source, where, "It was used up by whoever took it: make a new capsule.");
}

}  // namespace

void refuse_type(const stream_source& source, const char* where) {
  const char* usual = "Pass the stream object of the library that made it.";
  throw type_error(refusal(source, where, source.fix != nullptr ? source.fix : usual));
}

void check_integer(const stream_source& source, const char* where) {
  if (source.overflow > 0) refuse_value(source, where, "No stream handle is that large.");
  if (source.overflow < 0 || source.integer < -1) {
    refuse_value(source, where, "No stream handle is negative.");
  }
  if (source.integer == -1)
    refuse_value(source, where, "-1 asks for no ordering: it is no stream.");
}

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

void check_stream(nb::handle given, const char* where) {
  if (given.is_none() || as_stream(given.ptr()) != nullptr) return;
  const stream_source source = read_source(given, std::nullopt);
  switch (source.kind) {
    case ANYSTREAM_ARGUMENT_BOOL:
    case ANYSTREAM_ARGUMENT_NUMBER:
      refuse_type(source, where);
    case ANYSTREAM_ARGUMENT_INTEGER:
      if (source.overflow != 0 || source.integer != -1) check_integer(source, where);
      return;
    default:
      return;  // its producer may know it
  }
}

}  // namespace anystream::python
