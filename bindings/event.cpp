// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Event.
#include "event.hpp"

#include <string>

#include "arguments.hpp"
#include "configuration.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "methods.hpp"
#include "owner.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr const char* event_doc =
    "A point in a stream's work: ``e = s.record()``.\n\n"
    "It is complete once everything has finished that was on the stream before it. An event "
    "outlives\n"
    "its stream. ``other.wait(e)`` makes another stream's later work wait for it, on the device.\n"
    "Every method may be called from any thread.";
constexpr const char* device_doc = "The anystream.Device of the stream that it was recorded on.";
constexpr const char* query_doc =
    "query($self, /)\n--\n\n"
    "Whether it is complete. Never waits.\n\nRaises DriverError if the driver cannot tell.";
constexpr const char* synchronize_doc =
    "synchronize($self, /)\n--\n\n"
    "Wait on the host until it is complete; the GIL is dropped meanwhile.\n\n"
    "Raises DriverError if the work failed or the driver did.";

bool is_complete(const py_event& event) {
  std::int32_t complete = 0;
  check(without_gil([&] { return core().event_query(event.get(), &complete); }));
  return complete != 0;
}

void synchronize(const py_event& event) {
  check(without_gil([&] { return core().event_synchronize(event.get()); }));
}

nb::object device_of(const py_event& event) {
  return make_device(core().event_device(event.get()), event.platform());
}

// A repr does not raise: where the driver cannot tell, it says nothing.
std::string repr(const py_event& event) {
  std::int32_t complete = 0;
  const bool told = core().event_query(event.get(), &complete) == ANYSTREAM_OK;
  const char* state = !told ? "" : complete != 0 ? ", complete" : ", pending";
  return "<anystream.Event on " + device_text(core().event_device(event.get())) + state + ">";
}

PyObject* represent(PyObject* self) {
  return result_of([self] { return repr(*nb::inst_ptr<py_event>(self)); });
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Event() makes no event: one is a point in a stream's work.\n  Take it there: "
                  "e = s.record(), where s is an anystream.Stream.");
  return nullptr;
}

PyMethodDef methods[] = {
    {"query", method_of_none<py_event, is_complete>, METH_NOARGS, query_doc},
    {"synchronize", method_of_none<py_event, synchronize>, METH_NOARGS, synchronize_doc},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"device", property_of<py_event, device_of>, nullptr, device_doc, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, as_slot(refuse_new)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_repr, as_slot(represent)},
                       {0, nullptr}};

}  // namespace

void register_events(const nb::module_& m) {
  const nb::class_<py_event> event(m, "Event", nb::is_final(), nb::is_weak_referenceable(),
                                   nb::type_slots(slots), event_doc);
  event.attr("__module__") = "anystream";
  reinterpret_cast<PyTypeObject*>(event.ptr())->tp_name = "anystream.Event";
}

}  // namespace anystream::python
