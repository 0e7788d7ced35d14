// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Stream.
#include "stream.hpp"

#include <cstdint>
#include <string>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "configuration.hpp"
#include "dlpack_stream.hpp"
#include "errors.hpp"
#include "event.hpp"
#include "methods.hpp"
#include "owner.hpp"
#include "stream_docs.hpp"
#include "stream_identity.hpp"
#include "stream_sharing.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

PyTypeObject* stream_type = nullptr;  // borrowed from the module, which is never unloaded

nb::object device_of(const py_stream& self) {
  const anystream_stream* stream = self.get();
  if (stream == nullptr) return nb::none();
  return make_device(core().stream_device(stream), core().stream_platform(stream));
}

bool in_order(const py_stream& self) {
  std::int32_t in_order = 0;
  check(core().stream_in_order(resolved(self, "Stream.in_order"), &in_order));
  return in_order != 0;
}

// ---- ordering

stream_ptr to_producer(nb::handle given, const anystream_stream* consumer, const char* where) {
  py_stream made = make_stream(given, nb::none(), std::nullopt, where);
  if (made.get() != nullptr) return made.take();
  const DLDevice device = core().stream_device(consumer);
  const char* platform = core().stream_platform(consumer);
  return stream_ptr(resolve_source(device, platform, made.source(), where).stream);
}

void wait_stream(const py_stream& self, nb::handle producer) {
  constexpr const char* where = "Stream.wait_stream(…)";
  wait_for(resolved(self, where), producer, {where, where});
}

py_event record(const py_stream& self) {
  anystream_stream* stream = resolved(self, "Stream.record()");
  anystream_event* event = nullptr;
  check(without_gil([&] { return core().event_record(stream, &event); }));
  return {event, core().stream_platform(stream)};
}

const py_event& to_event(nb::handle given, const char* where) {
  if (nb::isinstance<py_event>(given)) return *nb::inst_ptr<py_event>(given);
  const bool stream = as_stream(given.ptr()) != nullptr;
  throw type_error(std::string(where) + " takes an anystream.Event; got " + got(given.ptr()) +
                   (stream ? ".\n  Write wait_stream(s) to wait for a stream."
                           : ".\n  Take one where the work has been queued: e = s.record()."));
}

void wait(const py_stream& self, nb::handle given) {
  constexpr const char* where = "Stream.wait(…)";
  const py_event& event = to_event(given, where);
  anystream_stream* stream = resolved(self, where);
  check(core().stream_check_consumer(stream, where));
  check(without_gil([&] { return core().event_wait(stream, event.get()); }));
}

bool query(const py_stream& self) {
  anystream_stream* stream = resolved(self, "Stream.query()");
  std::int32_t idle = 0;
  check(without_gil([&] { return core().stream_idle(stream, &idle); }));
  return idle != 0;
}

void synchronize(const py_stream& self) {
  anystream_stream* stream = resolved(self, "Stream.synchronize()");
  std::int32_t how = 0;
  check(without_gil([&] { return core().stream_synchronize(stream, &how); }));
}

// ---- the class

// Not given: a Stream keeps its own, anything else refuses.
std::optional<int> to_policy(nb::handle word) {
  if (word.is_none()) return std::nullopt;
  const auto is = [&](const char* text) {
    return PyUnicode_Check(word.ptr()) && PyUnicode_CompareWithASCIIString(word.ptr(), text) == 0;
  };
  if (is("refuse")) return ANYSTREAM_OUT_OF_ORDER_REFUSE;
  if (is("barrier")) return ANYSTREAM_OUT_OF_ORDER_BARRIER;
  const std::string text = "Stream(out_of_order=…) takes \"refuse\" or \"barrier\"; got " +
                           got(word.ptr()) +
                           ".\n  \"refuse\" raises ValueError where an out-of-order queue is to "
                           "wait, \"barrier\" puts a "
                           "barrier there.";
  if (PyUnicode_Check(word.ptr())) throw value_error(text);
  throw type_error(text);
}

enum { device_at, out_of_order_at };
keyword_list<2> making("Stream()", {"device", "out_of_order"},
                       "Stream(s), or Stream(s, device=…, out_of_order=…)", 1);
keyword_list<1> making_of_handle("Stream.from_handle()", {"owner"},
                                 "Stream.from_handle(device, handle), or with owner=…");

PyObject* construct(PyObject*, PyObject* const* values, std::size_t given, PyObject* names) {
  return result_of([&] {
    const auto read = making.read(values, PyVectorcall_NARGS(given), 1, names);
    return make_stream(values[0], or_none(read[device_at]),
                       to_policy(or_none(read[out_of_order_at])), "Stream(…)");
  });
}

PyObject* from_handle(PyObject*, PyObject* const* values, Py_ssize_t given, PyObject* names) {
  return result_of([&] {
    const auto read = making_of_handle.read(values, given, 2, names);
    return make_stream_from_handle(values[0], values[1], or_none(read[0]));
  });
}

// What nanobind would make is no stream yet.
PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Stream.__new__() makes no stream.\n  Write anystream.Stream(s), or "
                  "Stream.from_handle(device, handle).");
  return nullptr;
}

const py_stream& own(PyObject* self) { return *nb::inst_ptr<py_stream>(self); }

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if (operation != Py_EQ && operation != Py_NE) return Py_NewRef(Py_NotImplemented);
  return result_of([=]() -> nb::object {
    nb::object equal = equals(own(self), other);
    if (operation == Py_EQ || equal.is(Py_NotImplemented)) return equal;
    return nb::bool_(!equal.is(Py_True));
  });
}

Py_hash_t hash(PyObject* self) {
  return at_border(Py_hash_t{-1}, [self] { return hash_of(own(self)); });
}

PyObject* represent(PyObject* self) {
  return result_of([self] { return repr(own(self)); });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<py_stream>(self)->source().owner.ptr());
  return 0;
}

int clear(PyObject* self) {
  nb::inst_ptr<py_stream>(self)->source().owner.reset();
  return 0;
}

template <auto body>
constexpr PyCFunction of_none = method_of_none<py_stream, body>;
template <auto body>
constexpr PyCFunction of_one = method_of_one<py_stream, body>;

PyMethodDef methods[] = {
    {"from_handle", as_function(from_handle), METH_STATIC | METH_FASTCALL | METH_KEYWORDS,
     docs::from_handle},
    {"wait_stream", of_one<wait_stream>, METH_O, docs::wait_stream},
    {"record", of_none<record>, METH_NOARGS, docs::record},
    {"wait", of_one<wait>, METH_O, docs::wait},
    {"query", of_none<query>, METH_NOARGS, docs::query},
    {"synchronize", of_none<synchronize>, METH_NOARGS, docs::synchronize},
    {"_cuda_stream", of_none<cuda_stream_pair>, METH_NOARGS, docs::cuda_stream},
    {"_dlpack_stream", of_none<dlpack_stream_of>, METH_NOARGS, docs::dlpack_stream},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, docs::class_getitem},
    {"_make_capsule", of_none<make_capsule>, METH_NOARGS, docs::get_capsule},
    {nullptr, nullptr, 0, nullptr}};

template <auto body>
constexpr getter of = property_of<py_stream, body>;

// The last three give the method behind them: an instance then has the attribute or has it not.
PyGetSetDef properties[] = {
    {"device", of<device_of>, nullptr, docs::device, nullptr},
    {"platform", of<platform_of>, nullptr, docs::platform, nullptr},
    {"handle", of<handle_of>, nullptr, docs::handle, nullptr},
    {"in_order", of<in_order>, nullptr, docs::in_order, nullptr},
    {"out_of_order", of<policy_word>, nullptr, docs::out_of_order, nullptr},
    {"__cuda_stream__", get_cuda_stream, nullptr, docs::cuda_stream, nullptr},
    {"__dlpack_stream__", get_dlpack_stream, nullptr, docs::dlpack_stream, nullptr},
    {"_get_capsule", get_capsule, nullptr, docs::get_capsule, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_traverse, as_slot(traverse)},
                       {Py_tp_clear, as_slot(clear)},
                       {Py_tp_new, as_slot(refuse_new)},
                       {making_slot, as_slot(construct)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_richcompare, as_slot(compare)},
                       {Py_tp_hash, as_slot(hash)},
                       {Py_tp_repr, as_slot(represent)},
                       {0, nullptr}};

}  // namespace

void wait_for(anystream_stream* consumer, nb::handle producer, const order_names& names) {
  const stream_ptr from = to_producer(producer, consumer, names.producer);
  check(core().stream_check_consumer(consumer, names.consumer));
  std::int32_t how = 0;
  check(without_gil([&] { return core().stream_order(from.get(), consumer, &how); }));
}

PyObject* wrap_stream(anystream_stream* stream) noexcept {
  return at_border(static_cast<PyObject*>(nullptr),
                   [&] { return nb::cast(py_stream(stream_ptr(stream))).release().ptr(); });
}

py_stream* as_stream(PyObject* object) noexcept {
  if (Py_TYPE(object) != stream_type) return nullptr;
  return nb::inst_ready(object) ? nb::inst_ptr<py_stream>(object) : nullptr;
}

anystream_stream* unwrap_stream(PyObject* object) noexcept {
  return at_border(static_cast<anystream_stream*>(nullptr), [&] {
    const py_stream* stream = as_stream(object);
    if (stream == nullptr)
      throw type_error("an anystream.Stream is taken; got " + got(object) + ".");
    return resolved(*stream, "this use");
  });
}

anystream_stream* resolved(const py_stream& stream, const char* where) {
  if (stream.get() != nullptr) return stream.get();
  throw value_error(std::string(where) + " needs a resolved stream; got a Stream of " +
                    stream.source().got() +
                    ", whose device is not known.\n  Name it, as in Stream(s, device=\"cuda:0\"); "
                    "an array that it is used with says it too.");
}

void register_streams(const nb::module_& m) {
  making.intern();
  making_of_handle.intern();
  const nb::class_<py_stream> stream(m, "Stream", nb::is_final(), nb::is_weak_referenceable(),
                                     nb::type_slots(slots), docs::stream);
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());
  stream_type->tp_name = "anystream.Stream";  // of the package, not of the extension
  stream.attr("__module__") = "anystream";
}

}  // namespace anystream::python
