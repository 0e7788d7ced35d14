// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs fuzz_interfaces.py under libFuzzer, in an interpreter of its own. The lines of the package
// that an input reaches are counted, so that the fuzzer is led through Python as through C++.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

// libFuzzer reads and clears these with its own counters.
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t lines[1 << 14];

PyObject* run = nullptr;

[[noreturn]] void stop() {
  PyErr_Print();
  std::abort();
}

// Each line of a function has a place of its own, but for accidents.
int count_line(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  if (what != PyTrace_LINE) return 0;
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const auto where = reinterpret_cast<std::uintptr_t>(code) >> 4;
  std::uint8_t& counter =
      lines[(where * 31 + static_cast<unsigned>(PyFrame_GetLineNumber(frame))) % sizeof lines];
  if (counter != 0xFF) ++counter;
  Py_DECREF(code);
  return 0;
}

// With the C library's allocator, which AddressSanitizer watches.
void start_python() {
  PyPreConfig before;
  PyPreConfig_InitIsolatedConfig(&before);
  before.allocator = PYMEM_ALLOCATOR_MALLOC;
  before.utf8_mode = 1;
  if (PyStatus_Exception(Py_PreInitialize(&before))) std::abort();
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.write_bytecode = 0;
  config.site_import = 0;  // no library but the standard one, whatever is installed
  if (PyStatus_Exception(PyConfig_SetBytesString(&config, &config.executable, FUZZ_PYTHON)) ||
      PyStatus_Exception(Py_InitializeFromConfig(&config))) {
    std::abort();
  }
  PyConfig_Clear(&config);
}

// The extension that was built for this, under the name by which the package asks for it.
constexpr const char* prepare =
    "import importlib.util, sys\n"
    "sys.path[:0] = ['" FUZZ_SOURCES "', '" FUZZ_PACKAGE
    "']\n"
    "spec = importlib.util.spec_from_file_location('anystream._core', '" FUZZ_EXTENSION
    "')\n"
    "sys.modules[spec.name] = core = importlib.util.module_from_spec(spec)\n"
    "spec.loader.exec_module(core)\n";

void import_target() {
  if (PyRun_SimpleString(prepare) != 0) std::abort();
  PyObject* const module = PyImport_ImportModule("fuzz_interfaces");
  run = module != nullptr ? PyObject_GetAttrString(module, "one") : nullptr;
  if (run == nullptr) stop();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  start_python();
  import_target();
  PyEval_SetTrace(count_line, nullptr);
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const char* const data = reinterpret_cast<const char*>(bytes);
  PyObject* const done = PyObject_CallFunction(run, "y#", data, static_cast<Py_ssize_t>(size));
  if (done == nullptr) stop();
  Py_DECREF(done);
  return 0;
}
