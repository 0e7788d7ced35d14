// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of libamdhip64, each through enter() to what it does; and how they are
// found.
#include <cstring>

#include "call.hpp"
#include "context.hpp"
#include "hip_calls.hpp"

namespace doubles {

namespace {

const char* name_of(int code) {
  const status_words* words = words_of(code);
  return words == nullptr || words->hip == nullptr ? "hipErrorUnknown" : words->hip;
}

const char* text_of_code(int code) {
  const status_words* words = words_of(code);
  return words == nullptr ? "unknown error" : words->text;
}

}  // namespace

const char* status_name(int code) { return name_of(code); }

// A thread's last error; that something is not ready is none.
int finish(int code) {
  if (code != ok && code != not_ready) this_thread().last_error = code;
  return code;
}

const bool has_implicit_context = true;

}  // namespace doubles

#define ENTER(symbol, is_per_thread, arguments)                                          \
  static doubles::entry& self = doubles::entry_named(#symbol);                           \
  return doubles::enter(self, doubles::readiness::made_ready, is_per_thread, #arguments, \
                        [&] { return doubles::hip::symbol arguments; } DOUBLE_LISTED arguments);
#define DOUBLE_LISTED(...) __VA_OPT__(, ) __VA_ARGS__

#define EXPORT(name, symbol, is_per_thread, parameters, arguments) \
  extern "C" DOUBLE_EXPORT hipError_t name parameters { ENTER(symbol, is_per_thread, arguments) }
#define EXPORT_none(symbol, parameters, arguments) \
  EXPORT(symbol, symbol, false, parameters, arguments)
#define EXPORT_null(symbol, parameters, arguments) \
  EXPORT(symbol, symbol, false, parameters, arguments)
#define EXPORT_spt(symbol, parameters, arguments)      \
  EXPORT(symbol, symbol, false, parameters, arguments) \
  EXPORT(symbol##_spt, symbol, true, parameters, arguments)

#define ENTRY(streams, symbol, parameters, arguments) \
  EXPORT_##streams(symbol, parameters, arguments)
#include "hip_entries.def"
#undef ENTRY

// These give no code: they are not logged, and cannot fail.
extern "C" {

DOUBLE_EXPORT const char* hipGetErrorName(hipError_t error) { return doubles::name_of(error); }

DOUBLE_EXPORT const char* hipGetErrorString(hipError_t error) {
  return doubles::text_of_code(error);
}

DOUBLE_EXPORT hipError_t hipPeekAtLastError() { return doubles::this_thread().last_error; }

DOUBLE_EXPORT hipError_t hipGetLastError() {
  const hipError_t last = doubles::this_thread().last_error;
  doubles::this_thread().last_error = doubles::ok;
  return last;
}

DOUBLE_EXPORT int hipGetStreamDeviceId(hipStream_t stream) {
  int device = -1;
  return hipStreamGetDevice(stream, &device) == doubles::ok ? device : -1;
}

}  // extern "C"

namespace doubles::hip {

namespace {

struct row {
  const char* symbol;
  void* plain;
  void* per_thread;  // null: there is none
};

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

#define PER_THREAD_none(symbol) nullptr
#define PER_THREAD_null(symbol) nullptr
#define PER_THREAD_spt(symbol) address(::symbol##_spt)
#define ENTRY(streams, symbol, parameters, arguments) \
  {#symbol, address(::symbol), PER_THREAD_##streams(symbol)},
const row rows[] = {
#include "hip_entries.def"
    {"hipGetErrorName", address(::hipGetErrorName), nullptr},
    {"hipGetErrorString", address(::hipGetErrorString), nullptr},
    {"hipGetLastError", address(::hipGetLastError), nullptr},
    {"hipPeekAtLastError", address(::hipPeekAtLastError), nullptr},
};
#undef ENTRY

// So that a test may order failures before the first call.
[[maybe_unused]] const bool listed = [] {
#define ENTRY(streams, symbol, parameters, arguments) entry_named(#symbol);
#include "hip_entries.def"
#undef ENTRY
  return true;
}();

}  // namespace

void* find_function(const char* symbol, bool per_thread) {
  for (const row& r : rows) {
    if (std::strcmp(r.symbol, symbol) != 0) continue;
    return per_thread && r.per_thread != nullptr ? r.per_thread : r.plain;
  }
  return nullptr;
}

}  // namespace doubles::hip
