// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class use_stream, and the streams in use on each thread.
#include "use_stream.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "core.hpp"
#include "errors.hpp"
#include "methods.hpp"
#include "owner.hpp"
#include "stream.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr const char* use_stream_doc =
    R"(use_stream(stream, /)
--

Say by which stream this thread uses a device, to consumers that ask for it.

``with anystream.use_stream(s):`` takes whatever ``anystream.Stream(s)`` takes, or a Stream, and
gives it as a Stream. Inside, and on this thread, DLPack's C exchange API on ``anystream.Array``
answers ``s`` as the current work stream of its device, and what is exported through that API is
ordered before the later work of ``s``. Nothing else looks at it: not ``__dlpack__``, whose consumer
names its stream itself, nor ``handoff`` and ``from_dlpack``.

A block in a block uses the inner stream, and leaving it, by an exception too, restores the outer
one. Streams of several devices are in use side by side. One object may be entered again, and on
several threads. It belongs to the thread, not to a task: a coroutine must not await inside.

TypeError and ValueError as ``Stream(s)`` raises them; ValueError for one whose device is not known
(``Stream(s, device="cuda:0")`` names it), and for an out-of-order queue, unless it is a
``Stream(q, out_of_order="barrier")``.)";

constexpr const char* enter_doc =
    "__enter__($self, /)\n--\n\n"
    "Use the stream on this thread from now on; gives it as a Stream.";
constexpr const char* exit_doc =
    "__exit__($self, /, *error)\n--\n\n"
    "Use again what this thread used before; exceptions pass.\n\n"
    "RuntimeError on a thread that has not entered it.";
constexpr const char* used_stream_doc =
    "The Stream that this thread uses on a device, or None where it named none.";

// Few are in use at a time, so the last of a device is found by looking at all.
using streams_in_use = std::vector<stream_ptr>;

// A plain pointer, because a consumer may ask after the thread's objects are gone.
thread_local streams_in_use* in_use = nullptr;

// A thread may end inside a block. What is left is given back while there is an interpreter.
struct at_thread_end {
  ~at_thread_end() {
    streams_in_use* left = std::exchange(in_use, nullptr);
    if (python_is_reachable()) delete left;
  }
};

streams_in_use& streams_of_thread() {
  thread_local const at_thread_end cleanup;
  static_cast<void>(cleanup);
  if (in_use == nullptr) in_use = new streams_in_use;
  return *in_use;
}

stream_ptr retained(anystream_stream* stream) noexcept {
  core().stream_retain(stream);
  return stream_ptr(stream);
}

bool is_of(const anystream_stream* stream, DLDevice device) noexcept {
  const DLDevice its = core().stream_device(stream);
  return its.device_type == device.device_type && its.device_id == device.device_id;
}

nb::object to_object(anystream_stream* stream) { return nb::cast(py_stream(retained(stream))); }

// One Python object. Its stream is its own, so that an entry of it is told by the address.
class stream_use {
 public:
  explicit stream_use(nb::handle given) {
    constexpr const char* where = "use_stream(…)";
    py_stream made = make_stream(given, nb::none(), std::nullopt, where);
    check(core().stream_check_consumer(resolved(made, where), where));
    stream_ = made.take();
  }

  nb::object enter() const {
    streams_of_thread().push_back(retained(stream_.get()));
    return to_object(stream_.get());
  }

  // Not always the last one: generators leave their blocks in any order.
  void exit() const {
    streams_in_use& streams = streams_of_thread();
    const auto entry = std::ranges::find(streams.rbegin(), streams.rend(), stream_.get(),
                                         [](const stream_ptr& one) { return one.get(); });
    if (entry == streams.rend()) {
      throw nb::builtin_exception(
          nb::exception_type::runtime_error,
          "use_stream was left on a thread that has not entered it.\n  Enter and leave it in one "
          "thread: with use_stream(s).");
    }
    streams.erase(std::prev(entry.base()));
  }

 private:
  stream_ptr stream_;
};

keyword_list<0> making("use_stream()", {}, "use_stream(s)");

PyObject* construct(PyObject*, PyObject* const* values, std::size_t given, PyObject* names) {
  return result_of([&] {
    making.read(values, PyVectorcall_NARGS(given), 1, names);
    return stream_use(values[0]);
  });
}

// What nanobind would make has no stream.
PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "use_stream.__new__() uses no stream.\n  Write with anystream.use_stream(s):");
  return nullptr;
}

nb::object enter(const stream_use& self) { return self.enter(); }

// Given the exception, whatever it is: it passes.
PyObject* exit(PyObject* self, PyObject*) {
  return result_of([self] { nb::inst_ptr<stream_use>(self)->exit(); });
}

PyMethodDef methods[] = {{"__enter__", method_of_none<stream_use, enter>, METH_NOARGS, enter_doc},
                         {"__exit__", exit, METH_VARARGS, exit_doc},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, as_slot(refuse_new)},
                       {making_slot, as_slot(construct)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

nb::object used_stream_object(int type, int id) {
  anystream_stream* stream = used_stream({static_cast<DLDeviceType>(type), id});
  return stream != nullptr ? to_object(stream) : nb::none();
}

}  // namespace

anystream_stream* used_stream(DLDevice device) noexcept {
  if (in_use == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      in_use->rbegin(), in_use->rend(), [=](const auto& one) { return is_of(one.get(), device); });
  return found != in_use->rend() ? found->get() : nullptr;
}

void register_use_stream(nb::module_& m) {
  making.intern();
  const nb::class_<stream_use> cls(m, "use_stream", nb::is_final(), nb::type_slots(slots),
                                   use_stream_doc);
  cls.attr("__module__") = "anystream";
  reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_name = "anystream.use_stream";
  m.def("_used_stream", used_stream_object, nb::arg(), nb::arg(), used_stream_doc);
}

}  // namespace anystream::python
