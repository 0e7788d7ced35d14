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
#include "errors.hpp"
#include "event.hpp"
#include "owner.hpp"
#include "stream_docs.hpp"
#include "stream_identity.hpp"
#include "stream_sharing.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

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
  anystream_stream* consumer = resolved(self, where);
  const stream_ptr from = to_producer(producer, consumer, where);
  check(core().stream_check_consumer(consumer, where));
  std::int32_t how = 0;
  check(without_gil([&] { return core().stream_order(from.get(), consumer, &how); }));
}

py_event record(const py_stream& self) {
  anystream_stream* stream = resolved(self, "Stream.record()");
  anystream_event* event = nullptr;
  check(without_gil([&] { return core().event_record(stream, &event); }));
  return {event, core().stream_platform(stream)};
}

void wait(const py_stream& self, const py_event& event) {
  constexpr const char* where = "Stream.wait(…)";
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
  const std::string text =
      "Stream(out_of_order=…) takes \"refuse\" or \"barrier\"; got " + got(word.ptr()) + ".";
  if (PyUnicode_Check(word.ptr())) throw value_error(text);
  throw type_error(text);
}

void construct(py_stream* self, nb::handle given, nb::handle device, nb::handle out_of_order) {
  new (self) py_stream(make_stream(given, device, to_policy(out_of_order), "Stream(…)"));
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

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

void define_facts(nb::class_<py_stream>& stream) {
  stream.def_prop_ro("device", device_of, docs::device)
      .def_prop_ro("platform", platform_of, docs::platform)
      .def_prop_ro("handle", handle_of, docs::handle)
      .def_prop_ro("in_order", in_order, docs::in_order)
      .def_prop_ro("out_of_order", policy_word, docs::out_of_order)
      .def("__eq__", equals, nb::arg().none())
      .def("__hash__", hash_of)
      .def("__repr__", repr);
}

void define_actions(nb::class_<py_stream>& stream) {
  stream
      .def("wait_stream", wait_stream, nb::arg().none(), nb::sig(docs::wait_stream_signature),
           docs::wait_stream)
      .def("record", record, docs::record)
      .def("wait", wait, nb::sig(docs::wait_signature), docs::wait)
      .def("query", query, docs::query)
      .def("synchronize", synchronize, docs::synchronize);
}

}  // namespace

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
  nb::class_<py_stream> stream(m, "Stream", nb::is_final(), nb::is_weak_referenceable(),
                               nb::type_slots(slots), docs::stream);
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());
  stream.attr("__module__") = "anystream";
  stream.def("__init__", construct, nb::arg().none(), "device"_a = nb::none(), nb::kw_only(),
             "out_of_order"_a.none() = nb::none(), nb::sig(docs::init_signature), docs::init);
  stream.def_static("from_handle", make_stream_from_handle, nb::arg().none(), nb::arg().none(),
                    nb::kw_only(), "owner"_a = nb::none(), nb::sig(docs::from_handle_signature),
                    docs::from_handle);
  define_facts(stream);
  define_sharing(stream);
  define_actions(stream);
}

}  // namespace anystream::python
