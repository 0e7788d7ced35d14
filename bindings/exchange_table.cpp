// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack's C exchange API: a table of functions that consumers find on the class Array and call
// without going through Python. It carries no stream: a consumer asks for the current work stream
// of a device, which is what the thread's use_stream names, and runs there. So what is exported is
// put in order before that stream; where none is named, the consumer was told nothing, and the
// array is exported as `__dlpack__(stream=None)` exports it.
#include "exchange_table.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>
#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "array_type.hpp"
#include "capsule.hpp"
#include "configuration.hpp"
#include "core.hpp"
#include "errors.hpp"
#include "export.hpp"
#include "export_host.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "registered_rules.hpp"
#include "stream.hpp"
#include "use_stream.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

using versioned_tensor = managed_tensor<DLManagedTensorVersioned>;

// ---- order ------------------------------------------------------------------------------------

// A consumer that asks for the device's stream must not be told one of another platform's for it.
void refuse_other_platform(const array_object& array, const anystream_stream* used) {
  const std::string is = platform_of(array);
  const std::string named = core().stream_platform(used);
  if (is == named) return;
  throw exchange_error("this thread uses a stream of platform \"" + named + "\" on the device of " +
                       array_words(tensor_of(array).device, is.c_str()) + ", which is of " +
                       (is.empty() ? "no platform that is known" : "platform \"" + is + "\"") +
                       ": a consumer would be told the wrong stream.\n  Export it outside of that "
                       "use_stream.");
}

// On the host there is no stream, and nothing that could be pending on one.
void order_for_consumer(PyObject* array) {
  const DLDevice device = tensor_of(as_array(array)).device;
  if (device.device_type == kDLCPU) return;
  consumer_stream consumer{ANYSTREAM_FORM_DEFAULT, nullptr, nullptr};
  if (anystream_stream* used = used_stream(device)) {
    refuse_other_platform(as_array(array), used);
    core().stream_retain(used);
    consumer = {ANYSTREAM_FORM_STREAM, core_stream(used), nullptr};
  }
  order_for(core_of(array), consumer);
}

// ---- exports ----------------------------------------------------------------------------------

PyObject* to_array_object(void* object) {
  constexpr const char* where = "The DLPack exchange table of anystream.Array";
  if (object == nullptr) throw type_error(std::string(where) + " takes an Array; got NULL.");
  to_array(static_cast<PyObject*>(object), where);
  return static_cast<PyObject*>(object);
}

// The stream that the consumer is told to use it on, null if none; one of another platform has been
// refused.
anystream_stream* user_of(const array_object& array) {
  anystream_stream* used = used_stream(tensor_of(array).device);
  if (used != nullptr && !is_host(array)) refuse_other_platform(array, used);
  return is_host(array) ? nullptr : used;
}

// What the core keeps alive need not go through Python when it is let go.
versioned_tensor exported(PyObject* array, anystream_stream* user) {
  if (is_host(as_array(array)) && as_array(array).keeps != keeper::core) {
    return host_tensor<DLManagedTensorVersioned>(array);
  }
  if (!is_host(as_array(array))) provide_search_paths();
  keep_by_core(as_array(array));
  const core_array shared = shared_array(array);
  DLManagedTensorVersioned* managed = nullptr;
  check(core().array_export_lent(shared.get(), user, &managed));
  return versioned_tensor(managed);
}

// What the core has to say against an export is said here too.
void check_device_export(PyObject* array) {
  if (!is_host(as_array(array))) exported(array, nullptr);
}

int managed_from_array(void* object, DLManagedTensorVersioned** out) noexcept {
  return at_border(-1, [=] {
    PyObject* array = to_array_object(object);
    check_device_export(array);
    order_for_consumer(array);
    *out = exported(array, user_of(as_array(array))).release();
    return 0;
  });
}

// A DLTensor cannot say it: who got a read-only array would write to it, and who got a padded one
// would read the padding as elements.
void refuse_lost_flags(const array_object& array) {
  const std::uint64_t flags = flags_of(array);
  if ((flags & (flag_read_only | flag_subbyte_padded)) == 0) return;
  const std::string what = (flags & flag_read_only) != 0 ? "read-only" : "padded";
  throw exchange_error(
      "dltensor_from_py_object_no_sync has no flags, so it cannot say that an "
      "array is " +
      what + ".\n  Use managed_tensor_from_py_object_no_sync, which has.");
}

// Shape and strides are the Array's own, which never change.
int borrow_from_array(void* object, DLTensor* out) noexcept {
  return at_border(-1, [=] {
    PyObject* array = to_array_object(object);
    refuse_lost_flags(as_array(array));
    check_device_export(array);
    order_for_consumer(array);
    // No deleter tells when the consumer is done: the array brings its stream home when it goes.
    if (anystream_stream* user = user_of(as_array(array))) use_on(array, user);
    *out = tensor_of(as_array(array));
    return 0;
  });
}

// ---- imports ----------------------------------------------------------------------------------

// By the API's own rule the work was put on the current work stream.
nb::object current_stream_of(const anystream_array* array) {
  anystream_stream* used = used_stream(core().array_tensor(array)->device);
  const bool fits = used != nullptr &&
                    std::string_view(core().stream_platform(used)) == core().array_platform(array);
  if (!fits) return nb::none();
  core().stream_retain(used);
  nb::object stream = nb::steal(wrap_stream(used));
  if (!stream.is_valid()) throw nb::python_error();
  return stream;
}

PyObject* to_array_on_device(versioned_tensor managed) {
  const DLTensor tensor = managed->dl_tensor;
  const std::uint64_t flags = flags_in(*managed);
  anystream_array* out = nullptr;
  check(core().array_wrap(&tensor, flags, "", owner_of(managed), &out));
  array_parts parts;
  parts.array = core_array(out);
  const nb::object stream = current_stream_of(out);
  parts.stream = stream.ptr();
  if (!stream.is_none()) bring_home(out, stream);
  return new_array(std::move(parts));
}

int array_from_managed(DLManagedTensorVersioned* tensor, void** out) noexcept {
  return at_border(-1, [=] {
    if (tensor == nullptr) throw value_error("a managed tensor is needed; got NULL.");
    versioned_tensor managed(tensor);
    check_version(*managed);
    const bool on_host = managed->dl_tensor.device.device_type == kDLCPU;
    const std::uint64_t flags = flags_in(*managed);
    *out = on_host ? new_array_of(std::move(managed), flags, nullptr)
                   : to_array_on_device(std::move(managed));
    return 0;
  });
}

// ---- new tensors ------------------------------------------------------------------------------

using set_error = void (*)(void* context, const char* kind, const char* message);

// The kinds are names of Python's own classes: no consumer knows ours.
const char* kind_of(anystream_status status) noexcept {
  switch (status) {
    case ANYSTREAM_TYPE_ERROR:
      return "TypeError";
    case ANYSTREAM_VALUE_ERROR:
      return "ValueError";
    case ANYSTREAM_EXCHANGE_ERROR:
    case ANYSTREAM_ORDERING_ERROR:
      return "BufferError";
    case ANYSTREAM_OUT_OF_MEMORY:
      return "MemoryError";
    default:
      return "RuntimeError";
  }
}

// A prototype has no platform. A device type without one of its own is that of those beside it.
const char* platform_for(DLDevice device, const anystream_stream* used) noexcept {
  if (used != nullptr) return core().stream_platform(used);
  const auto type = static_cast<device_type>(device.device_type);
  const device_info* row = find_device(type);
  if (row == nullptr || !row->rules.backend.empty() || find_registered(type, "")) return "";
  for (const platform_info& beside : platform_table) {
    if (beside.type == type) return beside.name.data();
  }
  return "";
}

// What goes wrong on the way to the folders leaves the driver to be looked for elsewhere; whoever
// called has no place for a Python error.
void provide_search_paths_from_anywhere() noexcept {
  with_python([] {
    const error_put_aside kept;
    if (!at_border(false, [] { return provide_search_paths(), true; })) {
      PyErr_WriteUnraisable(nullptr);
    }
  });
}

// On the stream that the consumer is told of: memory that a stream orders is for its work.
anystream_status new_tensor(const DLTensor& like, DLManagedTensorVersioned** out) noexcept {
  if (like.device.device_type != kDLCPU) provide_search_paths_from_anywhere();
  const anystream_stream* used = used_stream(like.device);
  anystream_array* made = nullptr;
  const auto empty = [&] {
    return core().array_empty(like.device, platform_for(like.device, used), like.ndim, like.shape,
                              like.dtype, used, &made);
  };
  const anystream_status status = has_gil() ? without_gil(empty) : empty();
  if (status != ANYSTREAM_OK) return status;
  const core_array array(made);
  return core().array_export_versioned(made, out);
}

// With the GIL or without; no Python error is ever set.
int allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
             set_error tell) noexcept {
  if (prototype == nullptr) {
    tell(context, "ValueError", "a prototype of the tensor to be made is needed; got NULL.");
    return -1;
  }
  const anystream_status status = new_tensor(*prototype, out);
  if (status == ANYSTREAM_OK) return 0;
  anystream_error error{};
  core().last_error(&error);
  const bool told = *error.message != '\0';  // there may have been no memory for that either
  tell(context, kind_of(status), told ? error.message : "there is no memory for the tensor.");
  return -1;
}

// ---- the table --------------------------------------------------------------------------------

// The handle as its platform has it: cudaStream_t, hipStream_t, sycl::queue*, cl_command_queue …
int current_work_stream(DLDeviceType type, std::int32_t id, void** out) noexcept {
  const anystream_stream* used = used_stream({type, id});
  *out = used != nullptr ? reinterpret_cast<void*>(core().stream_handle(used)) : nullptr;
  return 0;
}

DLPackExchangeAPI table = {
    .header = {.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, .prev_api = nullptr},
    .managed_tensor_allocator = allocate,
    .managed_tensor_from_py_object_no_sync = managed_from_array,
    .managed_tensor_to_py_object_no_sync = array_from_managed,
    .dltensor_from_py_object_no_sync = borrow_from_array,
    .current_work_stream = current_work_stream};

void set_attribute(PyObject* type, const char* name, PyObject* given) {
  const nb::object value = nb::steal(given);
  if (!value.is_valid() || PyObject_SetAttrString(type, name, value.ptr()) < 0) {
    throw nb::python_error();
  }
}

}  // namespace

void offer_exchange_table(PyObject* array_type) {
  set_attribute(array_type, "__dlpack_c_exchange_api__",
                PyCapsule_New(&table, "dlpack_exchange_api", nullptr));
  // Its name in DLPack 1.2, where it was an int.
  set_attribute(array_type, "__c_dlpack_exchange_api__", PyLong_FromVoidPtr(&table));
}

}  // namespace anystream::python
