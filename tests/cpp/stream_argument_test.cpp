// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle: every device type with every kind of `stream` argument, what it comes to, and the
// whole message where it is refused. What is expected is written here, not taken from the table.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <anystream/api.hpp>
#include <anystream/device.hpp>

#include "check.hpp"

namespace {

const anystream_api& core() { return anystream::api(); }

// Device types that have one set of rules, and the words of their messages.
struct kind {
  const char* id;
  std::vector<int> types;
  std::string platform;
  std::string accepts;
  std::string fix;
};

const char* const any_object = "None, -1, or any stream object that its producer understands";
const char* const cuda_accepts =
    "None, -1, 1 (legacy default), 2 (per-thread default), a handle > 2, a CUDA stream object "
    "(__cuda_stream__), or a \"cudaStream_t\" or \"CUstream\" capsule";
const char* const cuda_fix =
    "Write 1 for the legacy default stream, 2 for the calling thread's, or pass the stream object.";

const kind kinds[] = {
    {"cpu",
     {1},
     "",
     "None or -1",
     "The result is on the host, where there is no stream: leave stream out."},
    {"cuda", {2, 3, 13}, "", cuda_accepts, cuda_fix},
    {"rocm",
     {10, 11},
     "",
     "None, -1, 0 (default), a handle > 2, a HIP stream object (__cuda_stream__), or a "
     "\"hipStream_t\" capsule",
     "Write 0 for the default stream, or pass the stream object."},
    {"sycl",
     {14},
     "",
     "None, -1, an in-order dpctl.SyclQueue or torch.xpu.Stream, or a \"SyclQueueRef\" capsule",
     "Pass the queue itself: stream=q, where q.is_in_order is True."},
    {"opencl",
     {4},
     "",
     "None, -1, a pyopencl.CommandQueue, or a \"cl_command_queue\" capsule",
     "Pass the queue itself: stream=queue."},
    {"metal",
     {8},
     "",
     "None, -1, an MTLCommandQueue object, or a \"MTLCommandQueue\" capsule",
     "Pass the queue itself: stream=queue."},
    {"simulated",
     {12},
     "simulated",
     "None, -1, an anystream.testing.SimulatedStream, or a \"anystream_simulated_stream\" capsule",
     "Pass the stream itself: stream=s."},
    {"other",
     {7, 9, 12, 15, 16, 17, 18, 19, 20, 21, 5, 6, 0, 22, 77},
     "",
     any_object,
     "Pass the stream object of the library that owns the array."},
};

std::string subject(const kind& rules, int type) {
  const anystream::device_info* row = anystream::find_device(type);
  if (row == nullptr) return "an array of device type " + std::to_string(type);
  return (rules.platform.empty() ? "a " : "a " + rules.platform + " ") + std::string(row->dlpack) +
         " array";
}

// What is expected of one argument: a form, a stream of a handle, or a refusal with a reason.
struct outcome {
  anystream_status status = ANYSTREAM_OK;
  int form = ANYSTREAM_FORM_DEFAULT;
  std::uintptr_t handle = 0;
  std::string reason;
};

outcome form(int which) { return {ANYSTREAM_OK, which, 0, {}}; }
outcome stream_of(std::uintptr_t handle) {
  return {ANYSTREAM_OK, ANYSTREAM_FORM_STREAM, handle, {}};
}
outcome type_error(std::string reason = "") {
  return {ANYSTREAM_TYPE_ERROR, 0, 0, std::move(reason)};
}
outcome value_error(std::string reason = "") {
  return {ANYSTREAM_VALUE_ERROR, 0, 0, std::move(reason)};
}
const outcome foreign = form(ANYSTREAM_FORM_FOREIGN);

struct question {
  std::string what;
  anystream_argument argument;
};

question ask(int argument_kind, std::string what) {
  question made{what, {}};
  made.argument.kind = argument_kind;
  return made;
}

question ask_integer(std::int64_t value, int overflow = 0) {
  question made = ask(ANYSTREAM_ARGUMENT_INTEGER, "int " + std::to_string(value));
  made.argument.integer = value;
  made.argument.overflow = overflow;
  return made;
}

question ask_capsule(const char* name, std::uintptr_t handle = 0x5000) {
  question made = ask(ANYSTREAM_ARGUMENT_CAPSULE, name != nullptr ? name : "an unnamed capsule");
  made.argument.capsule_name = name;
  made.argument.handle = handle;
  return made;
}

question ask_object(const char* family, std::uintptr_t handle, std::uintptr_t null_means = 0) {
  question made = ask(ANYSTREAM_ARGUMENT_OBJECT, std::string("a stream of ") + family);
  made.argument.family = family;
  made.argument.handle = handle;
  made.argument.null_means = null_means;
  return made;
}

question ask_protocol(std::int64_t version, std::uintptr_t handle, std::uintptr_t null_means = 0) {
  question made = ask(ANYSTREAM_ARGUMENT_PROTOCOL, "an object with __cuda_stream__");
  made.argument.version = version;
  made.argument.handle = handle;
  made.argument.null_means = null_means;
  return made;
}

int released = 0;

// Resolves, and holds the result against what is expected: outputs, whole message, owner.
void check_one(const kind& rules, int type, question asked, const outcome& wanted) {
  const std::string where = "__dlpack__(stream=…)";
  asked.argument.got = asked.what.c_str();
  asked.argument.where = where.c_str();
  released = 0;
  anystream_resolution got{-1, 0, nullptr};
  const DLDevice device = {static_cast<DLDeviceType>(type), 3};
  const anystream_owner owner = {&released, [](void* count) { ++*static_cast<int*>(count); }};
  const anystream_status status =
      core().stream_resolve(device, rules.platform.c_str(), &asked.argument, owner, &got);
  CHECK_EQUAL(status, wanted.status);
  if (status != ANYSTREAM_OK) {
    const std::string reason = wanted.reason.empty() ? "" : wanted.reason + " ";
    anystream_error error;
    core().last_error(&error);
    CHECK_EQUAL(std::string(error.message), where + ": " + subject(rules, type) + " takes " +
                                                rules.accepts + "; got " + asked.what + ".\n  " +
                                                reason + rules.fix);
    CHECK(got.form == -1 && got.stream == nullptr && released == 1);
    return;
  }
  CHECK_EQUAL(got.form, wanted.form);
  CHECK_EQUAL(released, wanted.form == ANYSTREAM_FORM_STREAM ? 0 : 1);
  if (got.stream == nullptr) return;
  CHECK_EQUAL(core().stream_handle(got.stream), wanted.handle);
  CHECK_EQUAL(core().stream_device(got.stream).device_id, 3);
  core().stream_release(got.stream);
  CHECK_EQUAL(released, 1);
}

bool is(const kind& rules, std::string_view id) { return rules.id == id; }
bool is_cuda_like(const kind& rules) { return is(rules, "cuda") || is(rules, "rocm"); }

void check_all(const kind& rules, const question& asked, const outcome& wanted) {
  for (const int type : rules.types) check_one(rules, type, asked, wanted);
}

outcome of_number(const kind& rules, std::int64_t number) {
  const auto handle = static_cast<std::uintptr_t>(number);
  if (is(rules, "cpu")) return value_error();
  if (is(rules, "cuda")) {
    return number == 0 ? value_error("0 may mean either of the default streams.")
                       : stream_of(handle);
  }
  if (is(rules, "rocm")) {
    const bool cudas = number == 1 || number == 2;
    return cudas ? value_error("1 and 2 are CUDA's default streams.") : stream_of(handle);
  }
  return type_error("Integers are CUDA and ROCm stream handles.");
}

void numbers(const kind& rules) {
  check_all(rules, ask_integer(-1), form(ANYSTREAM_FORM_UNORDERED));
  for (const std::int64_t number : {0LL, 1LL, 2LL, 3LL, 7LL, 0x7fff12345678LL, INT64_MAX + 0LL}) {
    check_all(rules, ask_integer(number), of_number(rules, number));
  }
  const char* const negative = "The only negative number is -1, which asks for no ordering.";
  check_all(rules, ask_integer(-2), value_error(negative));
  check_all(rules, ask_integer(INT64_MIN), value_error(negative));
  check_all(rules, ask_integer(0, -1), value_error(negative));
  check_all(rules, ask_integer(0, 1), value_error("No stream handle is that large."));
}

void things_that_are_no_streams(const kind& rules) {
  check_all(rules, ask(ANYSTREAM_ARGUMENT_NONE, "None"), form(ANYSTREAM_FORM_DEFAULT));
  check_all(rules, ask(ANYSTREAM_ARGUMENT_BOOL, "True"),
            type_error("True and False are not stream numbers."));
  check_all(rules, ask(ANYSTREAM_ARGUMENT_NUMBER, "float 1.0"), type_error());
  const char* const stranger =
      is(rules, "cpu") ? "" : "register_stream_type makes a class of streams known.";
  check_all(rules, ask(ANYSTREAM_ARGUMENT_UNKNOWN, "an object"),
            is(rules, "other") ? foreign : type_error(stranger));
}

// Where a stream is an object that is asked, so that it has to be a real one.
bool is_followed(const kind& rules) {
  return is(rules, "sycl") || is(rules, "simulated") || is(rules, "opencl");
}

// The one name that each capsule has, per kind.
void capsules(const kind& rules) {
  const struct {
    const char* name;
    const char* taken_by;
  } rows[] = {{"cudaStream_t", "cuda"},
              {"CUstream", "cuda"},
              {"hipStream_t", "rocm"},
              {"SyclQueueRef", "sycl"},
              {"cl_command_queue", "opencl"},
              {"MTLCommandQueue", "metal"},
              {"cudaStream", ""},
              {"dltensor", ""},
              {"CUstream|cudaStream_t", ""},
              {"", ""},
              {"anystream_simulated_stream", "simulated"}};
  for (const auto& [name, taken_by] : rows) {
    const bool ours = is(rules, taken_by);
    const std::string used = std::string("used_") + name;
    const outcome refused = is(rules, "other") ? foreign : type_error();
    if (!ours) check_all(rules, ask_capsule(name), refused);
    if (ours && !is_followed(rules)) check_all(rules, ask_capsule(name), stream_of(0x5000));
    if (ours) check_all(rules, ask_capsule(name, 0), value_error("Its handle is NULL."));
    check_all(
        rules, ask_capsule(used.c_str()),
        ours ? value_error("It was used up by whoever took it: make a new capsule.") : refused);
  }
  check_all(rules, ask_capsule(nullptr), is(rules, "other") ? foreign : type_error());
}

void objects(const kind& rules) {
  for (const char* family : {"cuda", "hip", "sycl", "opencl", "metal", "simulated", "cuda_like"}) {
    const bool hip = is(rules, "rocm");
    const bool own = hip ? std::string_view(family) == "hip" : is(rules, family);
    const bool taken = own || (std::string_view(family) == "cuda_like" && is_cuda_like(rules));
    if (!taken) {
      check_all(rules, ask_object(family, 0x6000), type_error());
    } else if (!is_followed(rules)) {
      check_all(rules, ask_object(family, 0x6000), stream_of(0x6000));
    }
    if (!taken) continue;
    const outcome null = is(rules, "cuda") ? stream_of(2)
                         : hip             ? stream_of(0)
                                           : value_error("Its handle is NULL.");
    check_all(rules, ask_object(family, 0, 2), null);
  }
}

void the_cuda_stream_protocol(const kind& rules) {
  if (!is_cuda_like(rules)) {
    check_all(rules, ask_protocol(0, 0x7000),
              type_error("__cuda_stream__ names CUDA and ROCm streams."));
    return;
  }
  const bool cuda = is(rules, "cuda");
  check_all(rules, ask_protocol(0, 0x7000), stream_of(0x7000));
  check_all(rules, ask_protocol(0, 0), stream_of(cuda ? 1 : 0));
  check_all(rules, ask_protocol(0, 0, 1), stream_of(cuda ? 1 : 0));
  check_all(rules, ask_protocol(0, 0, 2), stream_of(cuda ? 2 : 0));
  check_all(rules, ask_protocol(1, 0x7000),
            value_error("anystream knows version 0 of __cuda_stream__."));
}

// A stream of ours: of the same platform it is taken as it is, whatever its device's number.
void our_own_streams(const kind& rules) {
  anystream_stream* hip = nullptr;
  anystream::check(core().stream_from_handle({kDLROCM, 3}, "", 0x8000, {}, &hip));
  question asked = ask(ANYSTREAM_ARGUMENT_STREAM, "an anystream.Stream");
  asked.argument.stream = hip;
  for (const int type : rules.types) {
    released = 0;
    if (!is(rules, "rocm")) {
      check_one(rules, type, asked, type_error("That stream is on rocm:3."));
      continue;
    }
    anystream_resolution got{};
    const DLDevice device = {static_cast<DLDeviceType>(type), 0};
    anystream::check(core().stream_resolve(device, "", &asked.argument, {}, &got));
    CHECK(got.form == ANYSTREAM_FORM_STREAM && got.stream == hip);
    core().stream_release(got.stream);
  }
  core().stream_release(hip);
}

std::string refused_at(const char* where, int type, const char* platform) {
  question asked = ask(ANYSTREAM_ARGUMENT_NUMBER, "float 1.0");
  asked.argument.got = asked.what.c_str();
  asked.argument.where = where;
  anystream_resolution got{};
  const DLDevice device = {static_cast<DLDeviceType>(type), 0};
  CHECK_EQUAL(core().stream_resolve(device, platform, &asked.argument, {}, &got),
              ANYSTREAM_TYPE_ERROR);
  anystream_error error;
  core().last_error(&error);
  return error.message;
}

// A producer's queue need not be in-order, and its keyword has another name, or none.
void the_producers_stream_is_called_by_its_name() {
  const char* const where = "handoff(producer_stream=…)";
  CHECK_EQUAL(refused_at(where, kDLOneAPI, ""),
              "handoff(producer_stream=…): a kDLOneAPI array takes None, -1, a dpctl.SyclQueue or "
              "torch.xpu.Stream, or a \"SyclQueueRef\" capsule; got float 1.0.\n  Pass the queue "
              "itself: producer_stream=q.");
  CHECK_EQUAL(refused_at(where, kDLMetal, ""),
              "handoff(producer_stream=…): a kDLMetal array takes None, -1, an MTLCommandQueue "
              "object, or a \"MTLCommandQueue\" capsule; got float 1.0.\n  Pass the queue itself: "
              "producer_stream=queue.");
  CHECK_EQUAL(refused_at(where, kDLCPU, ""),
              "handoff(producer_stream=…): a kDLCPU array takes None or -1; got float 1.0.\n  x is "
              "on the host, where there is no stream: leave producer_stream out.");
  CHECK_EQUAL(refused_at("Stream.wait_stream(…)", kDLExtDev, "simulated"),
              "Stream.wait_stream(…): a simulated kDLExtDev array takes None, -1, an "
              "anystream.testing.SimulatedStream, or a \"anystream_simulated_stream\" capsule; got "
              "float 1.0.\n  Pass the stream itself.");
}

void every_type_is_asked() {
  for (const auto& row : anystream::device_table) {
    int asked = 0;
    for (const kind& rules : kinds) {
      for (const int type : rules.types) asked += type == static_cast<int>(row.type) ? 1 : 0;
    }
    CHECK(asked >= 1);
  }
}

void names_that_are_not_known_are_listed() {
  anystream_resolution got{};
  const question asked = ask(ANYSTREAM_ARGUMENT_NONE, "None");
  CHECK_MESSAGE(anystream::value_error,
                "there is no platform \"simulated\"; the platforms are host, cuda, opencl, metal, "
                "hip, sycl, simulated.\n  An empty name means the device type's own.",
                anystream::check(
                    core().stream_resolve({kDLCUDA, 0}, "simulated", &asked.argument, {}, &got)));
  const question wrong = ask(99, "nothing");
  CHECK_MESSAGE(
      anystream::value_error,
      "anystream_argument.kind takes ANYSTREAM_ARGUMENT_… (0 to 8); got 99.",
      anystream::check(core().stream_resolve({kDLCUDA, 0}, "", &wrong.argument, {}, &got)));
}

}  // namespace

int main() {
  for (const kind& rules : kinds) {
    numbers(rules);
    things_that_are_no_streams(rules);
    capsules(rules);
    objects(rules);
    the_cuda_stream_protocol(rules);
    our_own_streams(rules);
  }
  the_producers_stream_is_called_by_its_name();
  every_type_is_asked();
  names_that_are_not_known_are_listed();
  return check::result();
}
