// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of libcuda, each through enter() to what it does; and how they are found.
#include <cstring>

#include "call.hpp"
#include "context.hpp"
#include "cuda_calls.hpp"

namespace doubles {

namespace {

// What may be called before cuInit.
bool needs_init(std::string_view base) {
  return base != "cuInit" && base != "cuDriverGetVersion" && !base.starts_with("cuGetErr") &&
         base != "cuGetProcAddress" && base != "cuGetExportTable";
}

readiness need_of(std::string_view base) {
  return needs_init(base) ? readiness::initialised : readiness::any;
}

}  // namespace

const char* status_name(int code) {
  const status_words* words = words_of(code);
  return words == nullptr ? "an unknown code" : words->cuda;
}

int finish(int code) { return code; }

const bool has_implicit_context = false;

}  // namespace doubles

#define ENTER(base, symbol, is_per_thread, arguments)             \
  static doubles::entry& self = doubles::entry_named(#base);      \
  static const doubles::readiness need = doubles::need_of(#base); \
  return doubles::enter(self, need, is_per_thread, #arguments,    \
                        [&] { return doubles::cuda::symbol arguments; } DOUBLE_LISTED arguments);
#define DOUBLE_LISTED(...) __VA_OPT__(, ) __VA_ARGS__

#define EXPORT(name, base, symbol, is_per_thread, parameters, arguments) \
  extern "C" DOUBLE_EXPORT CUresult name parameters {                    \
    ENTER(base, symbol, is_per_thread, arguments)                        \
  }

#define EXPORT_none(symbol, base, parameters, arguments) \
  EXPORT(symbol, base, symbol, false, parameters, arguments)
#define EXPORT_ptsz(symbol, base, parameters, arguments)     \
  EXPORT(symbol, base, symbol, false, parameters, arguments) \
  EXPORT(symbol##_ptsz, base, symbol, true, parameters, arguments)
#define EXPORT_ptds(symbol, base, parameters, arguments)     \
  EXPORT(symbol, base, symbol, false, parameters, arguments) \
  EXPORT(symbol##_ptds, base, symbol, true, parameters, arguments)

#define ENTRY(streams, symbol, base, since, parameters, arguments) \
  EXPORT_##streams(symbol, base, parameters, arguments)
// In assembly, since a C++ alias would have to repeat the parameters.
#define ALIAS(symbol, base, since, target) \
  __asm__(".globl " #symbol "\n.type " #symbol ", @function\n.set " #symbol ", " #target "\n");
#define KNOWN_AS(base, since, target)
#include "cuda_entries.def"
#undef ENTRY
#undef ALIAS
#undef KNOWN_AS

namespace doubles::cuda {

namespace {

struct row {
  const char* base;
  int since;
  void* plain;
  void* per_thread;  // null: the same
};

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

#define PER_THREAD_none(symbol) nullptr
#define PER_THREAD_ptsz(symbol) address(::symbol##_ptsz)
#define PER_THREAD_ptds(symbol) address(::symbol##_ptds)
#define ENTRY(streams, symbol, base, since, parameters, arguments) \
  {#base, since, address(::symbol), PER_THREAD_##streams(symbol)},
#define ALIAS(symbol, base, since, target) {#base, since, address(::target), nullptr},
#define KNOWN_AS(base, since, target) {#base, since, address(::target), nullptr},
const row rows[] = {
#include "cuda_entries.def"
};
#undef ENTRY
#undef ALIAS
#undef KNOWN_AS

// So that a test may order failures before the first call.
[[maybe_unused]] const bool listed = [] {
  for (const row& r : rows) entry_named(r.base);
  return true;
}();

}  // namespace

void* find_function(const char* base, int version, bool per_thread, bool& is_newer) {
  const row* best = nullptr;
  is_newer = false;
  for (const row& r : rows) {
    if (std::strcmp(r.base, base) != 0) continue;
    is_newer = is_newer || r.since > version;
    if (r.since <= version && (best == nullptr || r.since > best->since)) best = &r;
  }
  if (best == nullptr) return nullptr;
  return per_thread && best->per_thread != nullptr ? best->per_thread : best->plain;
}

}  // namespace doubles::cuda
