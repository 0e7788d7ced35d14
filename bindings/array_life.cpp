// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How an Array comes to be and goes: its place in memory, what it keeps, and when that is let go.
#include "array_life.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <anystream/error.hpp>
#include <anystream/tensor_check.hpp>

#include "arguments.hpp"
#include "array.hpp"
#include "array_type.hpp"
#include "configuration.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "spare_places.hpp"
#include "stream.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

PyTypeObject* array_type = nullptr;  // owned by the process

constexpr const char* host_platform = find_device(device_type::cpu)->rules.backend.data();

// ---- places ---------------------------------------------------------------------------------

// Room for the numbers of the usual dimensions at least, so that most arrays are of one size: those
// that have gone leave their places to the next ones.
constexpr auto usual_numbers = static_cast<Py_ssize_t>(2) * usual_ndim;

spare_places<PyObject>& usual_places() noexcept {
  static spare_places<PyObject> places;
  return places;
}

spare_places<Py_buffer>& usual_buffers() noexcept {
  static spare_places<Py_buffer> places;
  return places;
}

// A place that is left keeps its type and its size.
PyObject* place_left(Py_ssize_t numbers) noexcept {
  PyObject* place = numbers == usual_numbers ? usual_places().take() : nullptr;
#if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
  if (place != nullptr) _Py_NewReference(place);  // such interpreters count and list them
#else
  if (place != nullptr) Py_SET_REFCNT(place, 1);
#endif
  return place;
}

// Member by member: a library's way of filling bytes would take longer than the rest of an import.
void clear(array_object& self) noexcept {
  self.tensor = {};
  self.flags = 0;
  self.platform = nullptr;
  self.array = self.memory = nullptr;
  self.owner = nullptr;
  self.held = nullptr;
  self.stream = self.plan = self.weak_references = nullptr;
  self.process = 0;
  self.keeps = keeper::core;
  self.tracked = false;
}

// Refcount 1, not tracked by the collector, all of ours zero.
array_object* new_place(Py_ssize_t numbers) noexcept {
  PyObject* place = place_left(numbers);
  if (place == nullptr) {
    place = reinterpret_cast<PyObject*>(PyObject_GC_NewVar(array_object, array_type, numbers));
  }
  if (place == nullptr) return nullptr;
  clear(as_array(place));
  return &as_array(place);
}

void free_place(PyObject* place) noexcept {
  if (Py_SIZE(place) == usual_numbers && usual_places().keep(place)) return;
  PyTypeObject* const type = Py_TYPE(place);
  PyObject_GC_Del(place);
  Py_DECREF(type);
}

std::int64_t* numbers_of(array_object& self) noexcept {
  return reinterpret_cast<std::int64_t*>(&self + 1);
}

// ---- what keeps the memory ------------------------------------------------------------------

template <class Managed>
void call_deleter(void* held) noexcept {
  auto* const managed = static_cast<Managed*>(held);
  if (managed->deleter == nullptr || !python_is_reachable()) return;
  const error_put_aside kept;
  const deleter_running here;
  managed->deleter(managed);
}

void release_buffer(void* held) noexcept {
  const error_put_aside kept;
  const deleter_running here;
  const buffer view(static_cast<Py_buffer*>(held));
}

[[gnu::noinline]] void release_last(PyObject* owner) noexcept {
  const deleter_running here;
  Py_DECREF(owner);
}

// Most owners have other references, and nothing of theirs runs then.
void release_object(PyObject* owner) noexcept {
  if (owner != nullptr && Py_REFCNT(owner) == 1) [[unlikely]]
    return release_last(owner);
  Py_XDECREF(owner);
}

void release_memory(const array_object& self) noexcept {
  switch (self.keeps) {
    case keeper::core:
      return further_homes_release()(static_cast<further_homes*>(self.held));
    case keeper::object:
      if (may_be_freed(self.tensor.device, self.process)) release_object(self.owner);
      return;
    case keeper::legacy:
      return call_deleter<DLManagedTensor>(self.held);
    case keeper::versioned:
      return call_deleter<DLManagedTensorVersioned>(self.held);
    case keeper::buffer:
      return release_buffer(self.held);
  }
}

// On its way back events are recorded: a runtime's lock may be waited for then, which a thread may
// have that waits for a host task that wants the GIL.
void release_core_array(anystream_array* array) noexcept {
  const error_put_aside kept;
  if (core().array_release_policy(array) < 0) return core().array_release(array);
  const gil_dropped dropped;
  core().array_release(array);
}

bool is_last_on_device(const array_object& self) noexcept {
  return self.keeps == keeper::object && !is_host(self) && self.stream != nullptr &&
         Py_REFCNT(self.owner) == 1;
}

// Its owner's free may wait until the stream is idle, with the GIL. The core puts it off until
// then; where that cannot be, it is let go as it is.
[[gnu::noinline]] void leave_to_core(array_object& self) noexcept {
  if (!may_be_freed(self.tensor.device, self.process) || !python_is_reachable()) return;
  const error_put_aside kept;
  if (!at_border(false, [&] { return keep_by_core(self), true; })) PyErr_Clear();
}

void release_parts(array_object& self) noexcept {
  if (is_last_on_device(self)) leave_to_core(self);
  if (self.array != nullptr) release_core_array(self.array);
  release_memory(self);
  Py_XDECREF(self.stream);
  Py_XDECREF(self.plan);
}

// ---- the core's side ------------------------------------------------------------------------

core_array wrapped(const array_object& self, anystream_owner owner) {
  anystream_array* out = nullptr;
  check(core().array_wrap(&self.tensor, self.flags, self.platform, owner, &out));
  return core_array(out);
}

void set_stream(anystream_array* array, anystream_stream* stream) {
  if (stream != nullptr) check(core().array_set_stream(array, stream));
}

anystream_stream* handle_of(PyObject* stream) {
  anystream_stream* handle = unwrap_stream(stream);
  if (handle == nullptr) throw nb::python_error();
  return handle;
}

// Null where none is known.
anystream_stream* stream_of(const array_object& self) {
  if (self.array != nullptr) return core().array_stream(self.array);
  return self.stream != nullptr ? handle_of(self.stream) : nullptr;
}

PyObject* unless_none(PyObject* object) noexcept { return object == Py_None ? nullptr : object; }

void release_array(void* array) { core().array_release(static_cast<anystream_array*>(array)); }

void take_core_array(array_object& self, core_array array) noexcept {
  self.tensor = *core().array_tensor(array.get());
  self.flags = core().array_flags(array.get());
  self.platform = core().array_platform(array.get());
  self.array = array.release();
}

// ---- tensors of others ----------------------------------------------------------------------

template <class Managed>
constexpr keeper keeper_of = is_versioned<Managed> ? keeper::versioned : keeper::legacy;

// Shape and strides are copied: a producer may change its own (torch's resize_).
void copy_layout(array_object& self, const DLTensor& from) noexcept {
  const auto ndim = static_cast<std::size_t>(from.ndim);
  std::int64_t* const shape = self.tensor.shape;
  std::int64_t* const strides = self.tensor.strides;
  self.tensor = from;
  self.tensor.shape = shape;
  self.tensor.strides = strides;
  std::copy_n(from.shape, ndim, shape);
  if (from.strides != nullptr) {
    std::copy_n(from.strides, ndim, strides);
  } else {
    row_major_strides({shape, ndim}, {strides, ndim});
  }
}

}  // namespace

// ---- life -------------------------------------------------------------------------------------

void use_array_type(PyTypeObject* type) noexcept { array_type = type; }

int traverse_array(PyObject* object, visitproc visit, void* arg) {
  const array_object& self = as_array(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self.owner);
  Py_VISIT(self.stream);
  Py_VISIT(self.plan);
  if (self.keeps == keeper::buffer) Py_VISIT(static_cast<Py_buffer*>(self.held)->obj);
  return 0;
}

// In one piece with all that it calls, as take_array_struct is.
[[gnu::flatten]] void deallocate_array(PyObject* object) {
  if (as_array(object).tracked) PyObject_GC_UnTrack(object);
  if (as_array(object).weak_references != nullptr) PyObject_ClearWeakRefs(object);
  release_parts(as_array(object));
  free_place(object);
}

array_object* new_host_array(std::int32_t ndim) noexcept {
  const Py_ssize_t numbers = std::max(usual_numbers, 2 * static_cast<Py_ssize_t>(ndim));
  array_object* self = new_place(numbers);
  if (self == nullptr) return nullptr;
  self->platform = host_platform;
  self->process = process_number();
  self->tensor.ndim = ndim;
  self->tensor.device = {kDLCPU, 0};
  self->tensor.shape = numbers_of(*self);
  self->tensor.strides = numbers_of(*self) + ndim;
  return self;
}

namespace {

bool leads_on(PyObject* object) noexcept {
  return object != nullptr && PyType_IS_GC(Py_TYPE(object));
}

// Whether a cycle may go through it. The collector sees no further than an object that it does not
// know, such as an ndarray.
bool may_be_in_cycle(const array_object& self) noexcept {
  if (self.keeps == keeper::core || self.stream != nullptr) return true;
  if (self.plan != nullptr && Py_TYPE(self.plan) != plan_type) return true;
  if (self.keeps == keeper::buffer) return leads_on(static_cast<Py_buffer*>(self.held)->obj);
  return leads_on(self.owner);
}

}  // namespace

void track(array_object& array) noexcept {
  if (array.tracked) return;
  array.tracked = true;
  PyObject_GC_Track(&array);
}

PyObject* publish(array_object* array) noexcept {
  if (may_be_in_cycle(*array)) track(*array);
  return reinterpret_cast<PyObject*>(array);
}

void discard(array_object* array) noexcept {
  release_parts(*array);
  free_place(reinterpret_cast<PyObject*>(array));
}

void buffer_release::operator()(Py_buffer* view) const noexcept {
  PyBuffer_Release(view);  // does nothing where there is no obj
  if (!usual_buffers().keep(view)) delete view;
}

buffer new_buffer() {
  Py_buffer* const spare = usual_buffers().take();
  if (spare == nullptr) return buffer(new Py_buffer());
  *spare = {};
  return buffer(spare);
}

PyObject* new_array(array_parts parts) {
  PyObject* stream = parts.stream == nullptr ? nullptr : unless_none(parts.stream);
  if (stream != nullptr) set_stream(parts.array.get(), handle_of(stream));
  array_object* self = new_place(usual_numbers);
  if (self == nullptr) throw nb::python_error();
  take_core_array(*self, std::move(parts.array));
  self->memory = parts.memory;
  self->held = parts.further.release();
  self->keeps = parts.owner != nullptr ? keeper::object : keeper::core;
  self->owner = Py_XNewRef(parts.owner);
  self->stream = Py_XNewRef(stream);
  self->plan = parts.plan == nullptr ? nullptr : Py_XNewRef(unless_none(parts.plan));
  self->process = process_number();
  return publish(self);
}

template <class Managed>
PyObject* new_array_of(managed_tensor<Managed> managed, std::uint64_t flags, PyObject* plan) {
  check_tensor(managed->dl_tensor, flags);
  array_object* self = new_host_array(managed->dl_tensor.ndim);
  if (self == nullptr) throw nb::python_error();
  copy_layout(*self, managed->dl_tensor);
  self->flags = flags;
  self->keeps = keeper_of<Managed>;
  self->held = managed.release();
  self->plan = Py_XNewRef(plan);
  return publish(self);
}

template PyObject* new_array_of(managed_tensor<DLManagedTensor>, std::uint64_t, PyObject*);
template PyObject* new_array_of(managed_tensor<DLManagedTensorVersioned>, std::uint64_t, PyObject*);

// ---- arrays from the outside ------------------------------------------------------------------

core_array shared_array(PyObject* array) {
  const array_object& self = as_array(array);
  if (self.keeps == keeper::core) return retained(self.array);
  core_array out = wrapped(self, keep_alive(array));
  set_stream(out.get(), stream_of(self));
  return out;
}

anystream_array* core_of(PyObject* array) {
  array_object& self = as_array(array);
  if (self.array != nullptr) return self.array;
  core_array made = wrapped(self, {nullptr, nullptr});
  set_stream(made.get(), stream_of(self));
  return self.array = made.release();
}

array_parts same_memory(PyObject* array) {
  const array_object& self = as_array(array);
  array_parts out;
  if (self.keeps != keeper::core) {
    out.owner = self.owner != nullptr ? self.owner : array;
    out.array = wrapped(self, {nullptr, nullptr});
    return out;
  }
  // Always of the first array, so that a long line of views is no long line of owners.
  out.memory = self.memory != nullptr ? self.memory : self.array;
  out.array = wrapped(self, {retained(out.memory).release(), release_array});
  return out;
}

array_object& to_array(PyObject* object, const char* where) {
  if (is_array(object)) return as_array(object);
  throw type_error(std::string(where) + " takes an anystream.Array; got " + got(object) +
                   ".\n  anystream.from_dlpack(x) makes one of any array.");
}

bool is_array(PyObject* object) noexcept { return Py_IS_TYPE(object, array_type); }

anystream_array* array_of(PyObject* object, const char* where) {
  return at_border<anystream_array*>(nullptr, [&] {
    to_array(object, where);
    return core_of(object);
  });
}

}  // namespace anystream::python
