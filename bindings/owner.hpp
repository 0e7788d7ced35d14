// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Python objects that the core keeps alive, Python code that runs on threads of others, and waits
// that leave the interpreter to others meanwhile.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// A reference for the core to hold: released with the GIL from whatever thread the core is on, and
// leaked once the interpreter is going away. Null keeps nothing. With the GIL.
anystream_owner keep_alive(PyObject* object) noexcept;

// Whether the interpreter is going away, or has gone: no thread but the one that ends it gets the
// GIL any more. Any thread, with the GIL or without.
bool interpreter_is_going() noexcept;

// For a thread that could only go on with the GIL when there is none.
[[noreturn]] void sleep_for_good() noexcept;

// Takes the GIL, which the thread may have or not; false once the interpreter is going away: then
// nothing of Python may be touched. A true answer is paired with leave_python.
bool enter_python(PyGILState_STATE& state) noexcept;
void leave_python(PyGILState_STATE state) noexcept;

// Whether the thread of that state, which is the calling one's own or null, has the GIL, whoever
// else there is: unlike PyGILState_Check, also where there are subinterpreters.
inline bool has_gil(const PyThreadState* own) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return own != nullptr && own == PyThreadState_GetUnchecked();
#else
  return own != nullptr && own == _PyThreadState_UncheckedGet();
#endif
}
inline bool has_gil() noexcept { return has_gil(PyGILState_GetThisThreadState()); }

// Whether it is the state of the main thread.
bool is_main(const PyThreadState* own) noexcept;

// Whether code that may want Python can still be run from this thread, with the GIL or without.
bool python_is_reachable() noexcept;

// Runs body with the GIL; false, and nothing done, once the interpreter is going away. For
// deleters, releases and callbacks, which may come from any thread. body must not leave a Python
// error set.
template <class Body>
bool with_python(Body&& body) noexcept {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (has_gil(own) && python_is_reachable()) return std::forward<Body>(body)(), true;
  if (is_main(own)) {  // no other thread is asked, and none need know: half the way to the GIL
    if (!python_is_reachable()) return false;
    PyEval_RestoreThread(own);
    std::forward<Body>(body)();
    PyEval_SaveThread();
    return true;
  }
  PyGILState_STATE state{};
  if (!enter_python(state)) return false;
  std::forward<Body>(body)();
  leave_python(state);
  return true;
}

// Drops the GIL for its life. A thread that comes back when the interpreter is going away sleeps
// for good, as threads of Python 3.14 do.
class gil_dropped {
 public:
  gil_dropped() noexcept;
  ~gil_dropped();
  gil_dropped(const gil_dropped&) = delete;
  gil_dropped& operator=(const gil_dropped&) = delete;

 private:
  PyThreadState* state_;
};

// A call of the core that may wait, or that enters a vendor's code, with the GIL dropped.
template <class Call>
anystream_status without_gil(Call&& call) noexcept {
  const gil_dropped dropped;
  return std::forward<Call>(call)();
}

// Sees to it that no thread is on its way to the GIL when the interpreter begins to go away.
void register_owners();

}  // namespace anystream::python
