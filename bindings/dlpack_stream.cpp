// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and giving the triple (device_type, device_id, capsule).
#include "dlpack_stream.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "methods.hpp"
#include "registered_rules.hpp"
#include "stream_check.hpp"
#include "stream_class.hpp"
#include "stream_handle.hpp"
#include "stream_identity.hpp"
#include "stream_sharing.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

std::string whose(nb::handle object) {
  return std::string(dlpack_stream_method) + " of " + type_text(Py_TYPE(object.ptr()));
}

[[noreturn]] void refuse_answer(nb::handle object, const std::string& what) {
  throw type_error(whose(object) +
                   " is to give (device_type, device_id, capsule): two ints, and a stream capsule "
                   "or None for the device's default stream; got " +
                   what + ".");
}

std::int32_t to_number(nb::handle object, nb::handle item) {
  if (!PyLong_Check(item.ptr()) || PyBool_Check(item.ptr())) {
    refuse_answer(object, got(item.ptr()) + " in place of an int");
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(item.ptr(), &overflow);
  if (overflow == 0 && value >= 0 && value <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::int32_t>(value);
  }
  throw value_error(whose(object) +
                    " is to give a device type and a number of DLPack's, 0 or more; got " +
                    got(item.ptr()) + ".");
}

const stream_rules& rules_on(DLDevice where, const char* platform) {
  const auto type = static_cast<device_type>(where.device_type);
  if (const platform_info* row = find_platform(type, platform)) return row->rules;
  const device_info* row = find_device(type);
  return row != nullptr ? row->rules : find_device(device_type::ext_dev)->rules;
}

// Where several platforms share a device type, the capsule's name tells which is meant.
const char* platform_of_capsule(DLDevice where, const char* name) {
  const char* found = "";
  for (const platform_info& row : platform_table) {
    if (static_cast<std::int32_t>(row.type) != static_cast<std::int32_t>(where.device_type)) {
      continue;
    }
    for_each_name(row.rules.capsules, [&](std::string_view known) {
      if (name != nullptr && known == name) found = row.name.data();
    });
  }
  const auto registered = find_registered_if([&](const anystream_platform_info& info) {
    bool named = false;
    for_each_name(info.capsules, [&](std::string_view known) {
      named = named || (name != nullptr && known == name);
    });
    return named && info.device_type == static_cast<std::int32_t>(where.device_type);
  });
  return registered ? registered->name : found;
}

// A capsule cannot hold NULL, so the stream whose handle that is has none.
void take_default_stream(nb::handle object, stream_source& out) {
  const DLDevice told = *out.told;  // NOLINT(bugprone-unchecked-optional-access): it has been read
  switch (rules_on(told, "").integers) {
    case integer_rule::cuda:
      out.integer = 1;
      break;
    case integer_rule::rocm:
      out.integer = 0;
      break;
    default:
      throw type_error(whose(object) +
                       " gives None in place of a capsule, which is the default "
                       "stream of a CUDA or ROCm device; got it for " +
                       to_string(device(told)) + ".");
  }
  out.kind = ANYSTREAM_ARGUMENT_INTEGER;
  out.owner = nb::borrow(object);
}

// What a capsule of a told device is handed on as keeps the stream behind it.
void release_stream(PyObject* capsule) {
  core().stream_release(static_cast<anystream_stream*>(PyCapsule_GetContext(capsule)));
}

// A name that lives for the process: the first of "A|B".
const char* name_for_capsule(const anystream_stream* stream) {
  const std::string_view names = rules_of(stream).capsules;
  if (names.find('|') == names.npos) return names.data();
  static auto* const kept = new std::unordered_set<std::string>;
  return kept->emplace(names.substr(0, names.find('|'))).first->c_str();
}

nb::object capsule_of(const py_stream& self) {
  anystream_stream* const stream = self.get();
  if (tells_its_device(rules_of(stream).objects)) return make_capsule(self);
  const std::uintptr_t handle = core().stream_handle(stream);
  if (handle == 0) return nb::none();
  nb::object capsule = nb::steal(
      PyCapsule_New(reinterpret_cast<void*>(handle), name_for_capsule(stream), release_stream));
  if (!capsule.is_valid()) throw nb::python_error();
  core().stream_retain(stream);
  PyCapsule_SetContext(capsule.ptr(), stream);
  return capsule;
}

// What a message calls it: the class alone would not say what is wrong with its answer.
void tell_what_it_named(stream_source& out) {
  const char* name = out.capsule_name;
  const DLDevice told = *out.told;  // NOLINT(bugprone-unchecked-optional-access): it has been read
  const std::string of = " of " + to_string(device(told));
  const std::string named = out.kind == ANYSTREAM_ARGUMENT_INTEGER ? "the default stream" + of
                            : name == nullptr ? "an unnamed capsule" + of
                                              : "a \"" + std::string(name) + "\" capsule" + of;
  out.value_text = std::string(out.type_text) + " that names " + named;
  out.type_text = nullptr;
}

}  // namespace

bool read_dlpack_stream(nb::handle object, stream_source& out) {
  const nb::object method = optional_attribute(object, dlpack_stream_method);
  if (!method.is_valid()) return false;
  const nb::object answer = method();
  const bool sequence = PyTuple_Check(answer.ptr()) || PyList_Check(answer.ptr());
  if (!sequence) refuse_answer(object, got(answer.ptr()));
  if (nb::len(answer) != 3) {
    refuse_answer(object, "a sequence of " + std::to_string(nb::len(answer)));
  }
  out.told = DLDevice{static_cast<DLDeviceType>(to_number(object, answer[0])),
                      to_number(object, answer[1])};
  const nb::object capsule = answer[2];
  if (capsule.is_none()) {
    take_default_stream(object, out);
    return tell_what_it_named(out), true;
  }
  if (!PyCapsule_CheckExact(capsule.ptr())) {
    refuse_answer(object, got(capsule.ptr()) + " in place of a capsule");
  }
  read_capsule(capsule, nb::make_tuple(nb::borrow(object), capsule), out);
  return tell_what_it_named(out), true;
}

anystream_resolution resolve_told(const stream_source& source, const char* where) {
  stream_source inner = source;
  inner.told.reset();
  const DLDevice told =
      *source.told;  // NOLINT(bugprone-unchecked-optional-access): of such sources only
  const bool capsule = source.kind == ANYSTREAM_ARGUMENT_CAPSULE;
  const char* platform = capsule ? platform_of_capsule(told, source.capsule_name) : "";
  return resolve_source(told, platform, std::move(inner), where);
}

nb::tuple dlpack_stream_of(const py_stream& self) {
  const DLDevice where = core().stream_device(resolved(self, "Stream.__dlpack_stream__()"));
  return nb::make_tuple(static_cast<int>(where.device_type), where.device_id, capsule_of(self));
}

PyObject* get_dlpack_stream(PyObject* self, void*) {
  return result_of([self] {
    const py_stream& stream = *nb::inst_ptr<py_stream>(self);
    if (stream.get() == nullptr || rules_of(stream.get()).capsules.empty()) {
      const std::string text =
          repr(stream) +
          " has no __dlpack_stream__: resolved streams of platforms whose handles "
          "travel in capsules have it.";
      throw nb::attribute_error(text.c_str());
    }
    return nb::handle(self).attr("_dlpack_stream");
  });
}

}  // namespace anystream::python
