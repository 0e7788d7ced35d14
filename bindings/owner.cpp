// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Python objects that the core keeps alive, and the way in and out of the interpreter for threads
// of others: safe from any thread, at any time, also while and after the interpreter goes away.
#include "owner.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace anystream::python {
namespace {

using namespace std::chrono_literals;

// Before 3.14 a thread that waits for the GIL when the interpreter begins to go away is unwound
// by Python: with frames of ours on it, it sleeps for good (unwinding.cpp). What it was to do is
// then never done, so at exit, while Python still runs, those that are on their way to the GIL, or
// have it for us, are let through, and no others follow.
std::atomic<bool> closing{false};
std::atomic<int> inside{0};              // on the way to the GIL, or with it, for us
std::atomic<std::thread::id> at_exit{};  // the thread that ends the interpreter; it keeps the GIL

// The state of the main thread, which ends the interpreter: it cannot be on its way to the GIL when
// that begins, so that nobody need be told that it is. Null where another thread loaded us.
PyThreadState* main_state = nullptr;

constexpr auto longest_wait = 1s;  // of exit for code of others, and the other way round

bool ends_the_interpreter() noexcept { return at_exit.load() == std::this_thread::get_id(); }

void let_threads_through() {
  at_exit = std::this_thread::get_id();
  closing = true;
  PyThreadState* state = PyEval_SaveThread();
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (inside != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  PyEval_RestoreThread(state);
}

// Of the threads that were inside, a forked child has none; the one that forked is its main one.
void forget_threads_of_the_parent() {
  inside = 0;
  main_state = PyGILState_GetThisThreadState();
}

bool is_main_thread() {
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

// Other exit functions may wait for this thread: so it goes on if the end does not come.
void wait_for_the_end() noexcept {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (!interpreter_is_going() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
}

void release_object(void* object) {
  with_python([object] { Py_DECREF(static_cast<PyObject*>(object)); });
}

}  // namespace

bool interpreter_is_going() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

void sleep_for_good() noexcept {
  while (true) std::this_thread::sleep_for(24h);
}

anystream_owner keep_alive(PyObject* object) noexcept {
  if (object == nullptr) return {nullptr, nullptr};
  Py_INCREF(object);
  return {object, release_object};
}

bool python_is_reachable() noexcept {
  if (interpreter_is_going()) return false;
  return !closing || PyGILState_Check() != 0;
}

bool is_main(const PyThreadState* own) noexcept { return own != nullptr && own == main_state; }

bool enter_python(PyGILState_STATE& state) noexcept {
  ++inside;
  const bool enters = python_is_reachable();
  if (enters) state = PyGILState_Ensure();
  if (!enters) --inside;
  return enters;
}

void leave_python(PyGILState_STATE state) noexcept {
  PyGILState_Release(state);
  --inside;
}

gil_dropped::gil_dropped() noexcept : state_{PyEval_SaveThread()} {}

gil_dropped::~gil_dropped() {
  ++inside;
  if (closing && !ends_the_interpreter()) {
    --inside;
    wait_for_the_end();
    if (interpreter_is_going()) sleep_for_good();
    ++inside;
  }
  PyEval_RestoreThread(state_);
  --inside;
}

void register_owners() {
  if (is_main_thread()) main_state = PyGILState_GetThisThreadState();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(let_threads_through));
  const nb::object os = nb::module_::import_("os");
  if (!nb::hasattr(os, "register_at_fork")) return;
  os.attr("register_at_fork")(nb::arg("after_in_child") =
                                  nb::cpp_function(forget_threads_of_the_parent));
}

}  // namespace anystream::python
