// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Array.__dlpack__, and the primitives that the package's hand-off is made of.
#include "array.hpp"

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_docs.hpp"
#include "array_type.hpp"
#include "capsule.hpp"
#include "carrier.hpp"
#include "configuration.hpp"
#include "errors.hpp"
#include "export.hpp"
#include "from_dlpack.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "stream.hpp"
#include "to_device.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// ---- arguments --------------------------------------------------------------------------------

template <class... Out>
void read_arguments(PyObject* given, PyObject* names, const char* format,
                    std::initializer_list<const char*> keywords, Out... out) {
  std::vector<char*> list;
  for (const char* keyword : keywords) list.push_back(const_cast<char*>(keyword));
  list.push_back(nullptr);
  if (!PyArg_ParseTupleAndKeywords(given, names, format, list.data(), out...)) {
    throw nb::python_error();
  }
}

// null for None.
anystream_stream* to_stream(PyObject* stream) {
  if (stream == Py_None) return nullptr;
  anystream_stream* handle = unwrap_stream(stream);
  if (handle == nullptr) throw nb::python_error();
  return handle;
}

DLTensor new_tensor(std::vector<std::int64_t>& shape, PyObject* dtype, PyObject* device,
                    const char* function) {
  DLTensor tensor{};
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.shape = shape.data();
  tensor.dtype = to_dtype(dtype, function);
  tensor.device = to_device(device, function);
  return tensor;
}

// An array that the core makes, with the GIL dropped: it may wait, or enter a vendor's code.
template <class Call>
core_array from_core(Call&& call) {
  anystream_array* out = nullptr;
  check(without_gil([&] { return call(&out); }));
  return core_array(out);
}

// ---- primitives -------------------------------------------------------------------------------

PyObject* array_from_capsule(PyObject* given, PyObject* names) {
  PyObject *capsule, *stream, *plan;
  const char* platform = "";
  int readonly = 0;
  read_arguments(given, names, "OOO|sp:_array_from_capsule",
                 {"", "stream", "plan", "platform", "readonly"}, &capsule, &stream, &plan,
                 &platform, &readonly);
  to_stream(stream);  // refused while the capsule is still whole
  const std::uint64_t force = readonly != 0 ? flag_read_only : 0;
  if (stream == Py_None && *platform == '\0') {
    PyObject* made = claim_host_capsule(capsule, force, plan == Py_None ? nullptr : plan);
    if (made != nullptr) return made;
  }
  array_parts parts;
  parts.array = claim_capsule(capsule, platform, force);
  parts.stream = stream;
  parts.plan = plan;
  return new_array(std::move(parts));
}

struct pointer_arguments {
  PyObject *pointer, *shape, *strides, *dtype, *device;
  PyObject* readonly = nullptr;
  PyObject* owner = nullptr;
  PyObject* stream = nullptr;
  PyObject* plan = nullptr;
  unsigned long long byte_offset = 0;
  const char* platform = "";
  int padded = 0;
};

// The interpreter's parser cannot require a keyword.
void require_keyword(const char* function, const char* name, PyObject* value) {
  if (value != nullptr) return;
  throw type_error(std::string(function) + " needs " + name + "=….");
}

pointer_arguments read_pointer_arguments(PyObject* given, PyObject* names) {
  constexpr const char* function = "_array_from_pointer()";
  pointer_arguments out;
  read_arguments(given, names, "OOOOO|$KOOOOsp:_array_from_pointer",
                 {"pointer", "shape", "strides", "dtype", "device", "byte_offset", "readonly",
                  "owner", "stream", "plan", "platform", "padded"},
                 &out.pointer, &out.shape, &out.strides, &out.dtype, &out.device, &out.byte_offset,
                 &out.readonly, &out.owner, &out.stream, &out.plan, &out.platform, &out.padded);
  require_keyword(function, "readonly", out.readonly);
  require_keyword(function, "owner", out.owner);
  require_keyword(function, "stream", out.stream);
  require_keyword(function, "plan", out.plan);
  return out;
}

void* to_address(PyObject* pointer, const char* where) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return reinterpret_cast<void*>(
      static_cast<std::uintptr_t>(to_integer(pointer, where, 0, largest)));
}

// DLPack's strides have the length of the shape.
std::vector<std::int64_t> to_strides(PyObject* strides, std::size_t ndim, const char* where) {
  std::vector<std::int64_t> out = to_extents(strides, where);
  if (out.size() == ndim) return out;
  throw value_error(std::string(where) + " takes a stride for each of " + std::to_string(ndim) +
                    " axes; got " + std::to_string(out.size()) + ".");
}

core_array wrap_pointer(const pointer_arguments& given) {
  std::vector<std::int64_t> shape = to_extents(given.shape, "_array_from_pointer(shape)");
  std::vector<std::int64_t> strides;
  DLTensor tensor = new_tensor(shape, given.dtype, given.device, "_array_from_pointer()");
  tensor.data = to_address(given.pointer, "_array_from_pointer(pointer)");
  tensor.byte_offset = given.byte_offset;
  if (given.strides != Py_None) {
    strides = to_strides(given.strides, shape.size(), "_array_from_pointer(strides)");
    tensor.strides = strides.data();
  }
  const bool readonly = to_bool(given.readonly, "_array_from_pointer(readonly)");
  const std::uint64_t flags =
      (readonly ? flag_read_only : 0) | (given.padded != 0 ? flag_subbyte_padded : 0);
  anystream_array* out = nullptr;
  check(core().array_wrap(&tensor, flags, given.platform, {}, &out));
  return core_array(out);
}

PyObject* array_from_pointer(PyObject* given, PyObject* names) {
  const pointer_arguments read = read_pointer_arguments(given, names);
  array_parts parts;
  parts.array = wrap_pointer(read);
  parts.owner = read.owner;
  parts.stream = read.stream;
  parts.plan = read.plan;
  return new_array(std::move(parts));
}

PyObject* array_empty(PyObject* given, PyObject* names) {
  PyObject *shape_given, *dtype, *device;
  PyObject* stream = Py_None;
  const char* platform = "";
  read_arguments(given, names, "OOO|$sO:_array_empty",
                 {"shape", "dtype", "device", "platform", "stream"}, &shape_given, &dtype, &device,
                 &platform, &stream);
  std::vector<std::int64_t> shape = to_extents(shape_given, "_array_empty(shape)");
  const DLTensor tensor = new_tensor(shape, dtype, device, "_array_empty()");
  anystream_stream* const handle = to_stream(stream);
  provide_search_paths();
  array_parts parts;
  parts.array = from_core([&](anystream_array** out) {
    return core().array_empty(tensor.device, platform, tensor.ndim, tensor.shape, tensor.dtype,
                              handle, out);
  });
  parts.stream = stream;
  return new_array(std::move(parts));
}

PyObject* array_copy(PyObject* given, PyObject* names) {
  PyObject *array, *device, *stream, *plan;
  read_arguments(given, names, "OOOO:_array_copy", {"", "device", "stream", "plan"}, &array,
                 &device, &stream, &plan);
  to_array(array, "_array_copy(array)");
  const DLDevice target = to_device(device, "_array_copy(device)");
  anystream_stream* const handle = to_stream(stream);
  provide_search_paths();
  const core_array source = shared_array(array);
  array_parts parts;
  parts.array = from_core(
      [&](anystream_array** out) { return core().array_copy(source.get(), target, handle, out); });
  // A copy on the host has no stream, whichever one it came by.
  parts.stream = core().array_stream(parts.array.get()) == handle ? stream : nullptr;
  parts.plan = plan;
  return new_array(std::move(parts));
}

PyObject* array_host_view(PyObject* given, PyObject* names) {
  PyObject *array, *plan;
  read_arguments(given, names, "OO:_array_host_view", {"", "plan"}, &array, &plan);
  to_array(array, "_array_host_view(array)");
  provide_search_paths();
  array_parts parts;
  const core_array base = shared_array(array);
  anystream_array* out = nullptr;
  check(without_gil([&] { return core().array_host_view(base.get(), &out); }));
  parts.array = core_array(out);
  parts.plan = plan;
  return new_array(std::move(parts));
}

PyObject* array_on_stream(PyObject* given, PyObject* names) {
  PyObject *array, *stream, *plan;
  way_arguments way;
  read_arguments(given, names, "OOO|$OOpp:_array_on_stream",
                 {"", "stream", "plan", "homes", "release", "frees_in_order", "fresh"}, &array,
                 &stream, &plan, &way.homes, &way.policy, &way.frees_in_order, &way.fresh);
  to_array(array, "_array_on_stream(array)");
  array_parts parts = on_stream(array, stream, way);
  parts.stream = stream;
  parts.plan = plan;
  return new_array(std::move(parts));
}

PyObject* capsule_device(PyObject* capsule) {
  const DLDevice device = device_of_capsule(capsule);
  return Py_BuildValue("(ii)", static_cast<int>(device.device_type), device.device_id);
}

// ---- registration -----------------------------------------------------------------------------

template <PyObject* (*body)(PyObject*, PyObject*)>
PyObject* function(PyObject*, PyObject* given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] { return body(given, names); });
}

template <PyObject* (*body)(PyObject*)>
PyObject* function_of_one(PyObject*, PyObject* given) {
  return at_border<PyObject*>(nullptr, [&] { return body(given); });
}

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;

PyMethodDef functions[] = {
    {"from_dlpack", as_function(from_dlpack), METH_FASTCALL | METH_KEYWORDS, doc::from_dlpack},
    {"_array_from_capsule", as_function(function<array_from_capsule>), with_keywords,
     doc::array_from_capsule},
    {"_array_from_pointer", as_function(function<array_from_pointer>), with_keywords,
     doc::array_from_pointer},
    {"_array_empty", as_function(function<array_empty>), with_keywords, doc::array_empty},
    {"_array_copy", as_function(function<array_copy>), with_keywords, doc::array_copy},
    {"_array_host_view", as_function(function<array_host_view>), with_keywords,
     doc::array_host_view},
    {"_array_on_stream", as_function(function<array_on_stream>), with_keywords,
     doc::array_on_stream},
    {"_capsule_device", function_of_one<capsule_device>, METH_O, doc::capsule_device},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* array_dlpack(PyObject* self, PyObject* const* values, Py_ssize_t given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    if (asks_for_version_only(values, given, names)) {
      if (PyObject* capsule = export_usual(self)) return capsule;
    }
    const DLDevice device = tensor_of(as_array(self)).device;
    const char* platform = platform_of(as_array(self));
    const export_request request = read_export_request(device, platform, values, given, names);
    const consumer_stream consumer = read_consumer(device, platform, request);
    return export_array(self, request, consumer);
  });
}

int register_arrays(PyObject* module) {
  return at_border(-1, [module] {
    watch_forks();
    register_export();
    register_from_dlpack();
    register_to_device();
    register_array_type(module);
    register_carrier(module);
    return PyModule_AddFunctions(module, functions);
  });
}

}  // namespace anystream::python
