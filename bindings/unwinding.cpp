// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that Python ends inside of us: they sleep for good, as Python 3.14 has them do by itself.
//
// Before 3.14, a thread that comes back for the GIL when the interpreter is going away calls
// pthread_exit. With glibc that unwinds its frames, and on each of ours, and of nanobind's, it
// would run what no thread may do without the GIL: let go of Python objects, or make a Python error
// of what a catch caught. Any Python code that we call can lose the GIL, so there is no place in
// our code to stand before that. The linker is told to have this function asked in place of C++'s
// own (--wrap, cmake/python.cmake); before anything of a frame is undone, it is asked about it.
#ifdef ANYSTREAM_WRAPS_PERSONALITY

#include <unwind.h>

#include "owner.hpp"

namespace anystream::python {

// C++'s own.
extern "C" _Unwind_Reason_Code anystream_personality(
    int version, _Unwind_Action actions, _Unwind_Exception_Class kind, _Unwind_Exception* exception,
    _Unwind_Context* context) __asm__("__real___gxx_personality_v0");

extern "C" _Unwind_Reason_Code anystream_unwinding(
    int version, _Unwind_Action actions, _Unwind_Exception_Class kind, _Unwind_Exception* exception,
    _Unwind_Context* context) __asm__("__wrap___gxx_personality_v0");

// Forced: no exception, which is C++'s affair, but the thread's end. Who ends a thread while the
// interpreter is there (pthread_cancel) has it ended.
_Unwind_Reason_Code anystream_unwinding(int version, _Unwind_Action actions,
                                        _Unwind_Exception_Class kind, _Unwind_Exception* exception,
                                        _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && interpreter_is_going()) sleep_for_good();
  return anystream_personality(version, actions, kind, exception, context);
}

}  // namespace anystream::python

#endif
