// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a `stream` argument against the rules of the device table, and resolves it.
//
// The rules are the array API standard's (2025.12, `__dlpack__`) for CUDA, ROCm and the CPU, and
// anystream's own elsewhere. No device is named here: the columns of device_types.def decide.
#include "stream_argument.hpp"

#include <string>

#include <anystream/error.hpp>

#include "stream_message.hpp"

namespace anystream::core {
namespace {

const stream_rules& rules_of(const stream_question& question) { return *question.where.rules; }

// Nobody agreed on streams there: objects are the producer's business, and go through untouched.
bool passes_through(const stream_question& question) {
  return rules_of(question).objects == stream_family::unknown;
}

[[noreturn]] void refuse_type(const stream_question& question, std::string_view reason = "") {
  throw type_error(refusal(question, reason));
}

[[noreturn]] void refuse_value(const stream_question& question, std::string_view reason = "") {
  throw value_error(refusal(question, reason));
}

// It may well be a stream, of a library that anystream has not met.
[[noreturn]] void refuse_stranger(const stream_question& question) {
  const bool has_streams = rules_of(question).objects != stream_family::none;
  refuse_type(question, has_streams ? "register_stream_type makes a class of streams known." : "");
}

// Of another device it is taken, where the array's can wait for it.
resolution taken(const stream_question& question, stream_ref stream) {
  const backend* const engine = question.where.engine;
  if (engine != nullptr && !engine->orders_across(question.device, stream->device)) {
    const std::string wanted = to_string(device(question.device));
    throw exchange_error(std::string(question.argument.where) + ": what is wanted is a stream of " +
                         wanted + "; got one of " + to_string(device(stream->device)) +
                         ", and neither's events reach the other.\n  Pass a stream of " + wanted +
                         ".");
  }
  return {ANYSTREAM_FORM_STREAM, std::move(stream)};
}

resolution wrap(const stream_question& question, std::uintptr_t handle, owner keep) {
  auto* const raw = reinterpret_cast<stream_handle>(handle);
  return taken(question, make_stream(question.where, question.device, raw, std::move(keep)));
}

// Negative numbers and those wider than a pointer are wrong on every device type.
void refuse_impossible(const stream_question& question) {
  const anystream_argument& argument = question.argument;
  if (argument.overflow > 0) refuse_value(question, "No stream handle is that large.");
  if (argument.overflow < 0 || argument.integer < -1) {
    refuse_value(question, "The only negative number is -1, which asks for no ordering.");
  }
}

std::uintptr_t cuda_number(const stream_question& question) {
  const std::int64_t number = question.argument.integer;
  if (number == 0) refuse_value(question, "0 may mean either of the default streams.");
  return static_cast<std::uintptr_t>(number);
}

std::uintptr_t rocm_number(const stream_question& question) {
  const std::int64_t number = question.argument.integer;
  if (number == 1 || number == 2) refuse_value(question, "1 and 2 are CUDA's default streams.");
  return static_cast<std::uintptr_t>(number);
}

std::uintptr_t number_of(const stream_question& question) {
  switch (rules_of(question).integers) {
    case integer_rule::cuda:
      return cuda_number(question);
    case integer_rule::rocm:
      return rocm_number(question);
    case integer_rule::handle:
      if (question.argument.integer == 0) refuse_value(question, "No stream's handle is 0.");
      return static_cast<std::uintptr_t>(question.argument.integer);
    case integer_rule::refused_value:
      refuse_value(question);
    case integer_rule::refused_type:
      break;
  }
  refuse_type(question, "Integers are CUDA and ROCm stream handles.");
}

resolution resolve_integer(const stream_question& question, owner keep) {
  refuse_impossible(question);
  if (question.argument.integer == -1) return {ANYSTREAM_FORM_UNORDERED, {}};
  return wrap(question, number_of(question), std::move(keep));
}

// Whether `name` is one of the names in "A|B".
bool is_listed(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t bar = names.find('|');
    if (names.substr(0, bar) == name) return true;
    if (bar == names.npos) return false;
    names.remove_prefix(bar + 1);
  }
  return false;
}

void check_capsule_name(const stream_question& question) {
  constexpr std::string_view used = "used_";
  const char* given = question.argument.capsule_name;
  const std::string_view name = given != nullptr ? given : "";
  const std::string_view names = rules_of(question).capsules;
  if (is_listed(names, name)) return;
  if (name.starts_with(used) && is_listed(names, name.substr(used.size()))) {
    refuse_value(question, "It was used up by whoever took it: make a new capsule.");
  }
  refuse_type(question);
}

void refuse_null(const stream_question& question) {
  if (question.argument.handle == 0) refuse_value(question, "Its handle is NULL.");
}

resolution resolve_capsule(const stream_question& question, owner keep) {
  if (passes_through(question)) return {ANYSTREAM_FORM_FOREIGN, {}};
  check_capsule_name(question);
  refuse_null(question);
  return wrap(question, question.argument.handle, std::move(keep));
}

resolution resolve_ours(const stream_question& question) {
  auto* const given = const_cast<stream*>(question.argument.stream);
  if (!same_platform(*given->platform, question.where)) {
    refuse_type(question, "That stream is on " + to_string(device(given->device)) + ".");
  }
  return taken(question, stream_ref::keep(given));
}

// An object's own null handle is its library's default stream, where the platform has one.
resolution resolve_handle(const stream_question& question, owner keep) {
  std::uintptr_t handle = question.argument.handle;
  const integer_rule rule = rules_of(question).integers;
  if (handle == 0 && rule == integer_rule::cuda) {
    handle = question.argument.null_means != 0 ? question.argument.null_means : 1;
  } else if (rule != integer_rule::rocm) {
    refuse_null(question);
  }
  return wrap(question, handle, std::move(keep));
}

bool is_cuda_like(stream_family family) {
  return family == stream_family::cuda || family == stream_family::hip;
}

resolution resolve_protocol(const stream_question& question, owner keep) {
  if (!is_cuda_like(rules_of(question).objects)) {
    refuse_type(question, "__cuda_stream__ names CUDA and ROCm streams.");
  }
  if (question.argument.version != 0) {
    refuse_value(question, "anystream knows version 0 of __cuda_stream__.");
  }
  return resolve_handle(question, std::move(keep));
}

constexpr std::string_view family_names[] = {"none",  "cuda",      "hip",     "sycl",      "opencl",
                                             "metal", "simulated", "unknown", "registered"};

std::string_view family_of(const platform& where) {
  return where.family.empty() ? family_names[static_cast<std::size_t>(where.rules->objects)]
                              : where.family;
}

resolution resolve_object(const stream_question& question, owner keep) {
  const std::string_view given = question.argument.family;
  const stream_family wanted = rules_of(question).objects;
  const bool either = given == "cuda_like" && is_cuda_like(wanted);
  if (!either && given != family_of(question.where)) refuse_type(question);
  return resolve_handle(question, std::move(keep));
}

}  // namespace

resolution resolve_argument(DLDevice device, std::string_view platform_name,
                            const anystream_argument& argument, owner keep) {
  const auto type = static_cast<device_type>(device.device_type);
  const stream_question question = {find_platform_of(type, platform_name), device, argument};
  switch (argument.kind) {
    case ANYSTREAM_ARGUMENT_NONE:
      return {ANYSTREAM_FORM_DEFAULT, {}};
    case ANYSTREAM_ARGUMENT_BOOL:
      refuse_type(question, "True and False are not stream numbers.");
    case ANYSTREAM_ARGUMENT_INTEGER:
      return resolve_integer(question, std::move(keep));
    case ANYSTREAM_ARGUMENT_CAPSULE:
      return resolve_capsule(question, std::move(keep));
    case ANYSTREAM_ARGUMENT_STREAM:
      return resolve_ours(question);
    case ANYSTREAM_ARGUMENT_PROTOCOL:
      return resolve_protocol(question, std::move(keep));
    case ANYSTREAM_ARGUMENT_OBJECT:
      return resolve_object(question, std::move(keep));
    case ANYSTREAM_ARGUMENT_UNKNOWN:
      if (passes_through(question)) return {ANYSTREAM_FORM_FOREIGN, {}};
      refuse_stranger(question);
    case ANYSTREAM_ARGUMENT_NUMBER:
      refuse_type(question);
    default:
      throw value_error("anystream_argument.kind takes ANYSTREAM_ARGUMENT_… (0 to 8); got " +
                        std::to_string(argument.kind) + ".");
  }
}

}  // namespace anystream::core
