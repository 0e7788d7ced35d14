// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The releases that wait for the device: how many there are, how many there may be, and waiting for
// them. What fails in one is told as Python tells of what nobody can catch.
#include <cstdio>
#include <string>

#include <nanobind/nanobind.h>

#include <anystream/error.hpp>

#include "configuration.hpp"
#include "deleter.hpp"
#include "errors.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "way_back.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {

int releasing_blocks = 0;

namespace {

// From any thread; without an interpreter stderr is what is left.
void tell_error(void*, const char* message) {
  const bool told = with_python([message] {
    const error_put_aside kept;
    at_border<bool>(false, [=]() -> bool { throw driver_error("", 0, "", message); });
    PyErr_WriteUnraisable(nullptr);
  });
  if (!told) std::fprintf(stderr, "anystream: %s\n", message);
}

// The thread that lets an array go may have the GIL or not. One that runs no Python of its own may
// be a worker that what is waited for needs; and an exit waits for nobody.
std::int32_t wait_without_gil(void (*body)(void*), void* context) {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (own == nullptr || !python_is_reachable()) return 0;
  if (!has_gil(own)) return body(context), 1;
  if (PyEval_GetFrame() == nullptr) return 0;
  const error_put_aside kept;
  const gil_dropped dropped;
  return body(context), 1;
}

// A thread that has never run Python, or has the GIL and no Python of its own below it: a deleter
// that a runtime calls. At exit nobody takes over any more.
std::int32_t may_be_a_runtimes() {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (!python_is_reachable()) return 0;
  if (own == nullptr) return 1;
  return has_gil(own) && PyEval_GetFrame() == nullptr ? 1 : 0;
}

std::int32_t is_in_deleter() { return deleters_running; }

nb::tuple pending() {
  std::int64_t number = 0;
  std::uint64_t bytes = 0;
  core().releases_pending(&number, &bytes);
  return nb::make_tuple(number, bytes);
}

void set_limit(std::int64_t number, std::uint64_t bytes) {
  check(core().releases_set_limit(number, bytes));
}

bool flush(double seconds) {
  std::int32_t all = 0;
  check(without_gil([&] { return core().releases_flush(seconds, &all); }));
  return all != 0;
}

void stop(double seconds) {
  check(without_gil([=] { return core().releases_stop(seconds); }));
}

void run() {
  const gil_dropped dropped;
  core().releases_run();
}

void use_thread(bool use) { core().releases_use_thread(use ? 1 : 0); }

}  // namespace

void make_room_for_arrays() {
  std::int64_t number = 0;
  core().releases_pending(&number, nullptr);
  if (number == 0) return;
  check(without_gil([] {
    core().releases_run();
    return core().releases_wait_for_room();
  }));
}

void register_way_back(nb::module_& m) {
  core().releases_on_error(tell_error, nullptr);
  core().releases_wait_by(wait_without_gil);
  core().releases_foreign_threads(may_be_a_runtimes);
  core().releases_ask_deleters(is_in_deleter);
  m.def("_releases_pending", pending);
  m.def("_releases_set_limit", set_limit, "number"_a, "bytes"_a);
  m.def("_releases_flush", flush, "seconds"_a, "Whether none is left; < 0: without a limit.");
  m.def("_releases_stop", stop, "seconds"_a);
  m.def("_releases_run", run);
  m.def("_releases_use_thread", use_thread, "use"_a);
  m.def("_count_releasing", [](int change) { releasing_blocks += change; }, "change"_a);
  m.def("_make_room", make_room_for_arrays);
}

}  // namespace anystream::python
