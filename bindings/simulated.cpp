// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the simulated accelerator. Handles are looked up by the core, never followed: a
// made-up one is a ValueError.
#include "simulated.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <anystream/dtype.hpp>
#include <anystream/error.hpp>
#include <anystream/layout.hpp>

#include "array.hpp"
#include "core.hpp"
#include "errors.hpp"
#include "owner.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

constexpr const char* capsule_name = "anystream_simulated_stream";

const anystream_simulated_api& simulated() noexcept { return *core().simulated; }

void* to_handle(std::uintptr_t number) noexcept { return reinterpret_cast<void*>(number); }
std::uintptr_t to_number(void* handle) noexcept { return reinterpret_cast<std::uintptr_t>(handle); }

std::int32_t create_device(std::uint64_t seed, std::uint32_t max_delay_us) {
  std::int32_t id = 0;
  check(simulated().device_create(seed, max_delay_us, &id));
  return id;
}

std::uintptr_t create_stream(std::int32_t device, const std::string& name, bool in_order) {
  void* stream = nullptr;
  check(simulated().stream_create(device, name.c_str(), in_order ? 1 : 0, &stream));
  return to_number(stream);
}

std::uintptr_t find_stream(std::int32_t device, const std::string& name) {
  void* stream = nullptr;
  check(simulated().find_stream(device, name.c_str(), &stream));
  return to_number(stream);
}

void release_stream(std::uintptr_t stream) { simulated().stream_release(to_handle(stream)); }

std::string stream_name(std::uintptr_t stream) {
  return simulated().stream_name(to_handle(stream));
}

void hold(std::uintptr_t stream) { check(simulated().stream_hold(to_handle(stream))); }
void resume(std::uintptr_t stream) { check(simulated().stream_resume(to_handle(stream))); }

std::uint64_t pending(std::uintptr_t stream) {
  std::uint64_t operations = 0;
  check(simulated().stream_pending(to_handle(stream), &operations));
  return operations;
}

// ---- operations on arrays

struct dense_memory {
  char* first;
  std::size_t bytes;
  std::size_t count;  // of elements
};

dense_memory dense(nb::handle array, const char* where) {
  const anystream_array* handle = array_of(array.ptr(), where);
  if (handle == nullptr) throw nb::python_error();
  const DLTensor& tensor = *core().array_tensor(handle);
  const auto ndim = static_cast<std::size_t>(tensor.ndim);
  const extents shape(tensor.shape, ndim);
  if (!is_row_major(shape, extents(tensor.strides, ndim))) {
    throw value_error(std::string(where) + " takes a dense row-major array; got one with strides.");
  }
  const std::int64_t count = element_count(shape);
  const std::int64_t bytes = packed_bytes(count, dtype(tensor.dtype), core().array_flags(handle));
  return {static_cast<char*>(tensor.data) + tensor.byte_offset, static_cast<std::size_t>(bytes),
          static_cast<std::size_t>(count)};
}

void fill(std::uintptr_t stream, nb::handle array, const nb::bytes& value) {
  const dense_memory memory = dense(array, "_simulated_fill(array=…)");
  if (value.size() * memory.count != memory.bytes) {
    throw value_error("_simulated_fill(value=…) takes the bytes of one element; got " +
                      std::to_string(value.size()) + ".");
  }
  check(
      simulated().fill(to_handle(stream), memory.first, value.data(), value.size(), memory.count));
}

// The arrays whose memory must stay until the copy has run: the host's. Simulated memory does not,
// so that a free which comes too early shows.
anystream_owner keep_host_memory(nb::handle target, nb::handle source) {
  nb::list kept;
  for (const nb::handle array : {target, source}) {
    const std::string platform = core().array_platform(array_of(array.ptr(), "array"));
    if (platform != "simulated") kept.append(array);
  }
  return keep_alive(nb::len(kept) > 0 ? kept.ptr() : nullptr);
}

void copy(std::uintptr_t stream, nb::handle target, nb::handle source) {
  const dense_memory to = dense(target, "_simulated_copy(target=…)");
  const dense_memory from = dense(source, "_simulated_copy(source=…)");
  if (to.bytes != from.bytes) {
    throw value_error("_simulated_copy takes two arrays of one size; got " +
                      std::to_string(to.bytes) + " and " + std::to_string(from.bytes) + " bytes.");
  }
  check(simulated().copy_keeping(to_handle(stream), to.first, from.first, to.bytes,
                                 keep_host_memory(target, source)));
}

// On the stream's thread, where there is no caller: an error goes to sys.unraisablehook. Nothing
// here is noexcept: before 3.14, Python unwinds a thread that is still inside it when it ends.
void call_python(void* function) {
  PyGILState_STATE state{};
  if (!enter_python(state)) return;
  auto* const callable = static_cast<PyObject*>(function);
  PyObject* result = PyObject_CallNoArgs(callable);
  if (result == nullptr) PyErr_WriteUnraisable(callable);
  Py_XDECREF(result);
  leave_python(state);
}

void call(std::uintptr_t stream, nb::handle function) {
  const anystream_owner owner = keep_alive(function.ptr());
  check(simulated().call(to_handle(stream), call_python, owner.context, owner.release));
}

nb::bytes peek(nb::handle array) {
  const dense_memory memory = dense(array, "_simulated_peek(array)");
  const nb::object out =
      nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(memory.bytes)));
  if (!out.is_valid()) throw nb::python_error();
  check(simulated().peek(memory.first, PyBytes_AS_STRING(out.ptr()), memory.bytes));
  return nb::borrow<nb::bytes>(out);
}

void free_capsule(PyObject* capsule) {
  simulated().stream_release(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

nb::object make_capsule(std::uintptr_t stream) {
  nb::object capsule = nb::steal(PyCapsule_New(to_handle(stream), capsule_name, free_capsule));
  if (!capsule.is_valid()) throw nb::python_error();
  simulated().stream_retain(to_handle(stream));
  return capsule;
}

// ---- exploring devices

std::int32_t create_explorer(std::uint64_t seed, const std::string& fault) {
  std::int32_t id = 0;
  check(simulated().explorer_create(seed, fault.c_str(), &id));
  return id;
}

// With the GIL: what runs may be Python's, and is this thread's.
void finish_explorer(std::int32_t device) { check(simulated().explorer_finish(device)); }
void close_explorer(std::int32_t device) { check(simulated().explorer_close(device)); }

std::pair<std::uint64_t, std::uint64_t> count(std::int32_t device) {
  std::uint64_t steps = 0;
  std::uint64_t findings = 0;
  check(simulated().explorer_count(device, &steps, &findings));
  return {steps, findings};
}

nb::list explorer_steps(std::int32_t device) {
  nb::list all;
  const std::uint64_t steps = count(device).first;
  for (std::uint64_t index = 0; index < steps; ++index) {
    anystream_simulated_step step{};
    check(simulated().explorer_step(device, index, &step));
    all.append(nb::make_tuple(step.stream, step.operation));
  }
  return all;
}

nb::list explorer_findings(std::int32_t device) {
  nb::list all;
  const std::uint64_t findings = count(device).second;
  for (std::uint64_t index = 0; index < findings; ++index) {
    anystream_simulated_finding found{};
    check(simulated().explorer_finding(device, index, &found));
    all.append(
        nb::make_tuple(found.what, found.at.stream, found.at.operation, found.memory, found.step));
  }
  return all;
}

nb::dict faults() {
  nb::dict all;
  for (std::int32_t index = 0; simulated().fault_name(index) != nullptr; ++index) {
    all[simulated().fault_name(index)] = simulated().fault_effect(index);
  }
  return all;
}

}  // namespace

void register_simulated(nb::module_& m) {
  m.def("_simulated_device", create_device, "seed"_a, "max_delay_us"_a);
  m.def("_simulated_stream", create_stream, "device_id"_a, "name"_a, "in_order"_a);
  m.def("_simulated_stream_release", release_stream, "handle"_a);
  m.def("_simulated_stream_name", stream_name, "handle"_a);
  m.def("_simulated_find_stream", find_stream, "device_id"_a, "name"_a);
  m.def("_simulated_hold", hold, "handle"_a);
  m.def("_simulated_resume", resume, "handle"_a);
  m.def("_simulated_pending", pending, "handle"_a);
  m.def("_simulated_fill", fill, "handle"_a, "array"_a, "value"_a);
  m.def("_simulated_copy", copy, "handle"_a, "target"_a, "source"_a);
  m.def("_simulated_call", call, "handle"_a, "function"_a);
  m.def("_simulated_capsule", make_capsule, "handle"_a);
  m.def("_simulated_peek", peek, "array"_a);
  m.def("_explorer", create_explorer, "seed"_a, "fault"_a);
  m.def("_explorer_finish", finish_explorer, "device_id"_a);
  m.def("_explorer_close", close_explorer, "device_id"_a);
  m.def("_explorer_steps", explorer_steps, "device_id"_a);
  m.def("_explorer_findings", explorer_findings, "device_id"_a);
  m.attr("EXPLORER_FAULTS") = faults();
}

}  // namespace anystream::python
