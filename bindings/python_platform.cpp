// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Python functions as the callbacks of a platform.
#include "python_platform.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callback_error.hpp"
#include "core.hpp"
#include "errors.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "registered_rules.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

// Lives for the process, as the platform does.
struct python_platform {
  bool objects;  // handles are Python objects
  nb::object device_of, in_order, same, order, record, wait, complete, synchronize, destroy, copy,
      allocate, deallocate, memory_kind, host_address, owns, devices;
};

python_platform& at(void* context) { return *static_cast<python_platform*>(context); }

// ---- handles ------------------------------------------------------------------------------------

nb::object stream_of(const python_platform& self, void* handle) {
  if (handle == nullptr) return nb::none();
  if (self.objects) return nb::borrow(static_cast<PyObject*>(handle));
  return nb::steal(PyLong_FromVoidPtr(handle));
}

nb::object event_of(void* event) { return nb::borrow(static_cast<PyObject*>(event)); }
nb::object number_of(const void* data) {
  return nb::steal(PyLong_FromVoidPtr(const_cast<void*>(data)));
}
nb::object place_of(const anystream_location& place) {
  return nb::make_tuple(number_of(place.data), place.offset, place.of_host != 0);
}

void* to_address(const nb::object& number) {
  if (number.is_none()) return nullptr;
  void* const address = PyLong_AsVoidPtr(number.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return address;
}

std::int32_t to_int(const nb::object& number) {
  const long value = PyLong_AsLong(number.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<std::int32_t>(value);
}

// A callback that answers with something else has a fault, which no truth value should hide.
std::int32_t to_bool(const nb::object& answer, const char* callback) {
  if (answer.is(Py_True)) return 1;
  if (answer.is(Py_False)) return 0;
  const std::string text = std::string(callback) + " is to give True or False; got " +
                           nb::cast<std::string>(nb::repr(answer.type()));
  throw nb::type_error(text.c_str());
}

// ---- calling ------------------------------------------------------------------------------------

void write_fault(anystream_fault* fault, const std::string& text) noexcept {
  std::size_t size = std::min(text.size(), sizeof fault->message - 1);
  // Not within a character.
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  std::memcpy(fault->message, text.data(), size);
  fault->message[size] = '\0';
}

std::string text_of(nb::handle raised) {
  const auto name = nb::cast<std::string>(raised.type().attr("__name__"));
  const nb::object said = nb::steal(PyObject_Str(raised.ptr()));
  if (!said.is_valid()) return PyErr_Clear(), name;
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(said.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) return PyErr_Clear(), name;
  return name + ": " + PyBytes_AS_STRING(bytes.ptr());
}

// Of the Python error that is set.
anystream_status report(anystream_fault* fault) noexcept {
  try {
    const nb::python_error raised;
    if (raised.matches(PyExc_MemoryError)) return ANYSTREAM_OUT_OF_MEMORY;
    const std::string text = text_of(raised.value());
    write_fault(fault, text);
    keep_cause(nb::borrow(raised.value()), fault->message);
    return ANYSTREAM_DRIVER_ERROR;
  } catch (...) {
    PyErr_Clear();
    return ANYSTREAM_OUT_OF_MEMORY;
  }
}

// Runs body with the GIL, and reports what it raises.
template <class Body>
anystream_status called(anystream_fault* fault, Body&& body) noexcept {
  anystream_status status = ANYSTREAM_OK;
  const bool ran = with_python([&] {
    const error_put_aside kept;
    if (!at_border(false, [&] { return body(), true; })) status = report(fault);
  });
  if (ran) return status;
  write_fault(fault, "the interpreter is going away");
  return ANYSTREAM_DRIVER_UNAVAILABLE;
}

// Where nothing can be raised.
template <class Body>
void told(Body&& body) noexcept {
  with_python([&] {
    const error_put_aside kept;
    if (!at_border(false, [&] { return body(), true; })) PyErr_WriteUnraisable(nullptr);
  });
}

// ---- the callbacks ------------------------------------------------------------------------------

using status = anystream_status;
using fault_at = anystream_fault*;

status device_of(void* context, void* stream, std::int32_t* id, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    *id = to_int(self.device_of(stream_of(self, stream)));
  });
}

status in_order(void* context, void* stream, std::int32_t* answer, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    *answer = to_bool(self.in_order(stream_of(self, stream)), "in_order");
  });
}

status same(void* context, void* a, void* b, std::int32_t* answer, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    *answer = to_bool(self.same(stream_of(self, a), stream_of(self, b)), "same");
  });
}

status order(void* context, void* producer, void* consumer, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    self.order(stream_of(self, producer), stream_of(self, consumer));
  });
}

status record(void* context, void* stream, void** event, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    *event = nb::object(self.record(stream_of(self, stream))).release().ptr();
  });
}

status wait(void* context, void* stream, void* event, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    self.wait(stream_of(self, stream), event_of(event));
  });
}

status complete(void* context, void* event, std::int32_t* answer, fault_at fault) {
  return called(fault,
                [&] { *answer = to_bool(at(context).complete(event_of(event)), "complete"); });
}

status synchronize(void* context, void* event, fault_at fault) {
  return called(fault, [&] { at(context).synchronize(event_of(event)); });
}

void destroy(void* context, void* event) {
  told([&] {
    const nb::object last = nb::steal(static_cast<PyObject*>(event));
    const nb::object& function = at(context).destroy;
    if (function.is_valid()) function(last);
  });
}

status copy(void* context, void* stream, const anystream_location* target,
            const anystream_location* source, std::size_t bytes, fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    self.copy(stream_of(self, stream), place_of(*target), place_of(*source), bytes);
  });
}

status allocate(void* context, DLDevice device, std::size_t bytes, void* stream, void** memory,
                fault_at fault) {
  return called(fault, [&] {
    const python_platform& self = at(context);
    *memory = to_address(self.allocate(device.device_id, bytes, stream_of(self, stream)));
  });
}

void deallocate(void* context, DLDevice device, void* memory, void* stream) {
  told([&] {
    const python_platform& self = at(context);
    self.deallocate(device.device_id, number_of(memory), stream_of(self, stream));
  });
}

std::int32_t kind_of(const nb::object& word) {
  constexpr const char* words[] = {"unknown", "device", "host", "shared"};
  for (std::int32_t kind = 0; kind < 4; ++kind) {
    if (PyUnicode_Check(word.ptr()) &&
        PyUnicode_CompareWithASCIIString(word.ptr(), words[kind]) == 0) {
      return kind;
    }
  }
  throw nb::type_error("memory is to give \"device\", \"host\", \"shared\" or \"unknown\"");
}

status memory_kind(void* context, DLDevice, void* data, void*, std::int32_t* kind, fault_at fault) {
  return called(fault, [&] { *kind = kind_of(at(context).memory_kind(number_of(data))); });
}

status host_address(void* context, void* data, void** address, fault_at fault) {
  return called(fault, [&] { *address = to_address(at(context).host_address(number_of(data))); });
}

std::int32_t owns(void* context, const void* data) {
  std::int32_t answer = 0;
  told([&] { answer = to_bool(at(context).owns(number_of(data)), "owns"); });
  return answer;
}

template <std::size_t Size>
void put(char (&place)[Size], nb::handle text) {
  std::strncpy(place, nb::cast<std::string>(text).c_str(), Size - 1);
  place[Size - 1] = '\0';
}

status devices(void* context, anystream_device_info* out, std::int32_t capacity,
               std::int32_t* count, fault_at fault) {
  return called(fault, [&] {
    std::int32_t found = 0;
    for (const nb::handle each : at(context).devices()) {
      if (found++ >= capacity) continue;
      anystream_device_info& info = out[found - 1];
      info.device.device_id = to_int(each[0]);
      put(info.kind, each[1]);
      put(info.name, each[2]);
    }
    *count = found;
  });
}

// ---- registration -------------------------------------------------------------------------------

// Sets a callback of the core's where the Python function is given.
template <class Callback>
void take(const nb::dict& given, const char* name, nb::object& place, Callback*& slot,
          Callback* function) {
  if (!given.contains(name)) return;
  place = nb::borrow(given[name]);
  slot = function;
}

void take_all(const nb::dict& given, python_platform& self, anystream_platform& out) {
  take(given, "device_of", self.device_of, out.device_of, device_of);
  take(given, "in_order", self.in_order, out.in_order, in_order);
  take(given, "same", self.same, out.same, same);
  take(given, "order", self.order, out.order, order);
  take(given, "record", self.record, out.record, record);
  take(given, "wait", self.wait, out.wait, wait);
  take(given, "complete", self.complete, out.complete, complete);
  take(given, "synchronize", self.synchronize, out.synchronize, synchronize);
  take(given, "destroy", self.destroy, out.destroy, destroy);
  if (out.record != nullptr) out.destroy = destroy;  // an event is a reference
  take(given, "copy", self.copy, out.copy, copy);
  take(given, "allocate", self.allocate, out.allocate, allocate);
  take(given, "deallocate", self.deallocate, out.deallocate, deallocate);
  take(given, "memory_kind", self.memory_kind, out.memory_kind, memory_kind);
  take(given, "host_address", self.host_address, out.host_address, host_address);
  take(given, "owns", self.owns, out.owns, owns);
  take(given, "devices", self.devices, out.devices, devices);
}

constexpr const char* register_doc =
    "Register a platform of checked callbacks; see anystream.register_platform.\n\n"
    "objects: the handles of its streams are Python objects; else ints. ValueError as the core "
    "refuses it.";

void register_platform(int type, const std::string& name, const std::string& takes,
                       const std::string& capsules, const std::string& fix, unsigned flags,
                       int memory, bool objects, const nb::dict& callbacks) {
  auto made = std::make_unique<python_platform>();
  made->objects = objects;
  anystream_platform out{};
  out.size = sizeof out;
  out.device_type = type;
  out.flags = flags;
  out.name = name.c_str();
  out.takes = takes.c_str();
  out.capsules = capsules.c_str();
  out.fix = fix.c_str();
  out.memory = memory;
  out.context = made.get();
  take_all(callbacks, *made, out);
  check(core().platform_register(&out, {nullptr, nullptr}));
  static_cast<void>(made.release());  // NOLINT(bugprone-unused-return-value): the platform has it
}

nb::dict row_dict(const anystream_platform_info& info) {
  constexpr const char* kinds[] = {"unknown", "device", "host", "shared"};
  const device_info* device = find_device(info.device_type);
  nb::dict out;
  out["id"] = out["name"] = out["backend"] = info.name;
  out["value"] = info.device_type;
  out["dlpack"] = "";
  out["device"] = device != nullptr ? nb::str(device->id.data()) : nb::str("");
  out["on_none"] = "host_wait";
  out["integers"] =
      (info.flags & ANYSTREAM_PLATFORM_TAKES_INTEGERS) != 0 ? "handle" : "refused_type";
  out["objects"] = info.family;
  out["takes"] = info.takes;
  out["capsules"] =
      *info.capsules != '\0' ? nb::tuple(nb::str(info.capsules).attr("split")("|")) : nb::tuple();
  out["memory"] = kinds[info.memory];
  out["fix"] = info.fix;
  out["callbacks"] = nb::tuple(nb::str(info.callbacks).attr("split")());
  out["own"] = info.is_own != 0;
  return out;
}

nb::list registered_platforms() {
  nb::list out;
  find_registered_if([&](const anystream_platform_info& info) {
    out.append(row_dict(info));
    return false;
  });
  return out;
}

// Those that were registered from Python with objects for handles. Changed with the GIL only.
struct object_platform {
  int type;
  std::string name;
};
std::vector<object_platform>& object_platforms() {
  static auto* const all = new std::vector<object_platform>;
  return *all;
}

}  // namespace

bool has_object_handles(device_type type, const char* platform) noexcept {
  const auto found = find_registered(type, platform);
  if (!found) return false;
  return std::ranges::any_of(object_platforms(), [&](const object_platform& each) {
    return each.type == found->device_type && each.name == found->name;
  });
}

void register_python_platforms(nb::module_& m) {
  m.def(
      "_register_platform",
      [](int type, const std::string& name, const std::string& takes, const std::string& capsules,
         const std::string& fix, unsigned flags, int memory, bool objects,
         const nb::dict& callbacks) {
        register_platform(type, name, takes, capsules, fix, flags, memory, objects, callbacks);
        if (objects) object_platforms().push_back({type, name});
      },
      "type"_a, "name"_a, nb::kw_only(), "takes"_a, "capsules"_a, "fix"_a, "flags"_a, "memory"_a,
      "objects"_a, "callbacks"_a, register_doc);
  m.def("registered_count", [] { return core().platform_count(); });
  m.def("registered_platforms", registered_platforms,
        "Rows like those of PLATFORM_TABLE, of the platforms that were registered, in that order; "
        "callbacks names those that they have, own whether they are their device type's own.");
}

}  // namespace anystream::python
