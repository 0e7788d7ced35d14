// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The extension module anystream._core.
#include <nanobind/nanobind.h>

#include <anystream/version.hpp>

#include "array.hpp"
#include "configuration.hpp"
#include "core.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "event.hpp"
#include "foreign_memory.hpp"
#include "handoff.hpp"
#include "owner.hpp"
#include "python_platform.hpp"
#include "routes.hpp"
#include "simulated.hpp"
#include "stream.hpp"
#include "use_stream.hpp"
#include "watched.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {

const anystream_api* core_table = nullptr;

namespace {

void take_table() {
  core_table = anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR);
  if (core_table != nullptr) return;
  throw nb::import_error(
      "anystream._core was built for another version of libanystream than the one it was loaded "
      "with.\n  Install anystream again, whole.");
}

// Types, rows and what is called at exit belong to one interpreter.
void refuse_subinterpreter() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return;
  throw nb::import_error(
      "anystream works in the main interpreter only; this is a subinterpreter.\n  Use threads or "
      "processes.");
}

void register_all(nb::module_& m) {
  register_errors(m);
  register_owners();
  register_configuration(m);
  register_devices(m);
  register_events(m);
  register_streams(m);
  register_stream_functions(m);
  register_use_stream(m);
  if (register_arrays(m.ptr()) != 0) throw nb::python_error();
  register_foreign_memory(m);
  register_routes(m);
  register_usm(m);
  register_handoff(m);
  register_watched(m);
  register_way_back(m);
  register_simulated(m);
  register_python_platforms(m);
}

}  // namespace
}  // namespace anystream::python

NB_MODULE(_core, m) {
  namespace ours = anystream::python;
  // Streams and arrays may outlive the interpreter, in globals or with a library that keeps them:
  // they are then leaked on purpose.
  nb::set_leak_warnings(false);
  ours::refuse_subinterpreter();
  ours::take_table();
  m.doc() = "The extension module of anystream; use the package.";
  m.attr("__version__") = ours::core().version;
  m.attr("ABI_VERSION") = nb::make_tuple(ours::core().abi_major, ours::core().abi_minor);
  // By this name extensions of others take the table of this process: PyCapsule_Import.
  m.attr("_C_API") = nb::capsule(ours::core_table, "anystream._C_API");
  ours::register_all(m);
}
