// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Array from the inside. It is written against the CPython API: it is made and
// dropped at every exchange, where a binding library would cost as much as the rest together.
#pragma once

#include <cstdint>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <anystream/c_api.h>
#include <anystream/layout.hpp>

#include "core.hpp"
#include "managed.hpp"

namespace anystream::python {

struct core_array_release {
  void operator()(anystream_array* array) const noexcept { core().array_release(array); }
};
using core_array = std::unique_ptr<anystream_array, core_array_release>;

inline core_array retained(anystream_array* array) noexcept {
  core().array_retain(array);
  return core_array(array);
}

// What keeps the memory. Of most device memory that is the core, with its stream and its backend;
// for host memory, which nothing need be known of but where it lies, and for what a Python object
// keeps, going through the core would cost more than the rest of an import.
enum class keeper : std::uint8_t {
  core,       // `array`; `held`: its further homes, or null
  object,     // `owner`
  legacy,     // `held`: a DLManagedTensor
  versioned,  // `held`: a DLManagedTensorVersioned
  buffer      // `held`: a Py_buffer of our own
};

// Everything is set when the object is made, and nothing is changed later but what is filled in on
// demand. So no cycle consists of arrays alone: one that runs through an array also runs through an
// object that can be cleared, and the type needs no tp_clear.
struct array_object {
  PyObject_VAR_HEAD DLTensor
      tensor;  // its shape and strides lie behind the object, or with the core's array
  std::uint64_t flags;
  const char* platform;     // lives for the process
  anystream_array* array;   // as the core knows it, on `stream`; null until somebody asks
  anystream_array* memory;  // of a further view: the array that it is a view of, kept by `array`
  PyObject* owner;          // what keeps the memory where that is a Python object, or null: held
                            // here and not in the core, so that the collector sees it
  void* held;
  PyObject* stream;  // a Stream; null while nobody asked, or where none is known
  PyObject* plan;    // or null
  PyObject* weak_references;
  std::uint32_t process;  // process_number() when it was made
  keeper keeps;
  bool tracked;  // by the collector: not where no cycle can go through it
};

inline array_object& as_array(PyObject* object) noexcept {
  return *reinterpret_cast<array_object*>(object);
}

inline const DLTensor& tensor_of(const array_object& self) noexcept { return self.tensor; }
inline std::uint64_t flags_of(const array_object& self) noexcept { return self.flags; }
inline const char* platform_of(const array_object& self) noexcept { return self.platform; }

inline extents shape_of(const DLTensor& tensor) noexcept {
  return {tensor.shape, static_cast<std::size_t>(tensor.ndim)};
}

inline extents strides_of(const DLTensor& tensor) noexcept {
  return {tensor.strides, static_cast<std::size_t>(tensor.ndim)};
}

// Memory of the host itself: no stream has work on it, and nothing need be waited for.
inline bool is_host(const array_object& self) noexcept {
  return self.tensor.device.device_type == kDLCPU;
}

inline bool is_read_only(const array_object& self) noexcept {
  return (self.flags & flag_read_only) != 0;
}

inline bool same_device(DLDevice a, DLDevice b) noexcept {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

// Most arrays have no more: places for those are kept.
inline constexpr std::int32_t usual_ndim = 4;

// The producer's streams but the first, where there are several.
struct further_homes;
struct further_homes_release {
  void operator()(further_homes* homes) const noexcept;
};

// What a new Array is made of. Objects are borrowed and may be null.
struct array_parts {
  core_array array;
  anystream_array* memory = nullptr;
  PyObject* owner = nullptr;
  PyObject* stream = nullptr;
  PyObject* plan = nullptr;
  std::unique_ptr<further_homes, further_homes_release> further;  // null: there is one at most
};

// A new reference. Throws.
PyObject* new_array(array_parts parts);

// ---- arrays made without the core ---------------------------------------------------------------

// A new array on the host, not yet seen by the collector, with room for shape and strides, which
// tensor points to; null with the Python error set. Everything else is zero: the caller fills
// tensor, flags, what keeps the memory and the plan, each a reference of its own, for memory of a
// device that one, its platform and the stream, too, and then calls publish, or drops it with
// discard, which gives back what has been filled in.
array_object* new_host_array(std::int32_t ndim) noexcept;
PyObject* publish(array_object* array) noexcept;
void track(array_object& array) noexcept;  // for one that leads to more than it did
void discard(array_object* array) noexcept;

// A buffer of our own, as keeper::buffer holds it. A new one is all zero; throws std::bad_alloc.
struct buffer_release {
  void operator()(Py_buffer* view) const noexcept;
};
using buffer = std::unique_ptr<Py_buffer, buffer_release>;
buffer new_buffer();

// A new Array that owns the tensor, of host memory; the tensor has been checked by nobody. `flags`
// are set as well as the tensor's own. plan is borrowed and may be null. Throws; the tensor's
// deleter has been called then.
template <class Managed>
PyObject* new_array_of(managed_tensor<Managed> managed, std::uint64_t flags, PyObject* plan);

// ---- arrays from the outside --------------------------------------------------------------------

// The array for those that live on without the Array: with all that its memory needs.
core_array shared_array(PyObject* array);

// The array as the core knows it, borrowed from the Array. Throws.
anystream_array* core_of(PyObject* array);

// The same memory under another Array, whose stream can be set without touching the first's.
array_parts same_memory(PyObject* array);

// Throws TypeError, which names `where`.
array_object& to_array(PyObject* object, const char* where);

void register_array_type(PyObject* module);

// The class's methods and properties that have files of their own.
PyObject* array_dlpack(PyObject* self, PyObject* const* values, Py_ssize_t given, PyObject* names);
PyObject* array_repr(PyObject* self);
PyObject* array_as_ndarray(PyObject* self, PyObject* given, PyObject* names);  // __array__
int array_get_buffer(PyObject* self, Py_buffer* view, int flags);
void array_release_buffer(PyObject* self, Py_buffer* view);

// The dicts of these protocols. Throw; AttributeError where what they say would not be true.
PyObject* sycl_usm_array_interface(PyObject* array);
PyObject* cuda_array_interface(PyObject* array);
PyObject* array_interface(PyObject* array);

}  // namespace anystream::python
