// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Array: its life, its properties, and what makes new ones.
#include "array_type.hpp"

#include <structmember.h>

#include <cstddef>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array.hpp"
#include "array_docs.hpp"
#include "array_life.hpp"
#include "configuration.hpp"
#include "errors.hpp"
#include "exchange_table.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "stream.hpp"
#include "to_device.hpp"
#include "way_back.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// ---- properties -------------------------------------------------------------------------------

PyObject* to_tuple(extents numbers) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  if (!tuple.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (number == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), number);
  }
  return tuple.release().ptr();
}

PyObject* get_shape(const array_object& self) { return to_tuple(shape_of(tensor_of(self))); }

PyObject* get_strides(const array_object& self) { return to_tuple(strides_of(tensor_of(self))); }

PyObject* get_ndim(const array_object& self) { return PyLong_FromLong(tensor_of(self).ndim); }

PyObject* get_size(const array_object& self) {
  return PyLong_FromLongLong(element_count(shape_of(tensor_of(self))));
}

PyObject* get_nbytes(const array_object& self) {
  const DLTensor& tensor = tensor_of(self);
  return PyLong_FromLongLong(
      packed_bytes(element_count(shape_of(tensor)), dtype(tensor.dtype), flags_of(self)));
}

PyObject* get_itemsize(const array_object& self) {
  return PyLong_FromLongLong(dtype(tensor_of(self).dtype).itemsize());
}

PyObject* get_dtype(const array_object& self) {
  return make_dtype(tensor_of(self).dtype).release().ptr();
}

PyObject* get_device(const array_object& self) {
  return make_device(tensor_of(self).device, platform_of(self)).release().ptr();
}

PyObject* get_stream(array_object& self) {
  if (self.stream == nullptr) {
    anystream_stream* known = self.array != nullptr ? core().array_stream(self.array) : nullptr;
    if (known == nullptr) return Py_NewRef(Py_None);
    core().stream_retain(known);
    self.stream = wrap_stream(known);
    track(self);  // now there is more to see
  }
  return Py_XNewRef(self.stream);
}

PyObject* get_readonly(const array_object& self) {
  return PyBool_FromLong((flags_of(self) & flag_read_only) != 0);
}

PyObject* get_plan(const array_object& self) {
  return Py_NewRef(self.plan != nullptr ? self.plan : Py_None);
}

PyObject* get_data_ptr(const array_object& self) {
  return PyLong_FromVoidPtr(tensor_of(self).data);
}

PyObject* get_byte_offset(const array_object& self) {
  return PyLong_FromUnsignedLongLong(tensor_of(self).byte_offset);
}

PyObject* get_memory_kind(array_object& self) {
  static constexpr const char* words[] = {"unknown", "device", "host", "shared"};
  provide_search_paths();
  std::int32_t kind = ANYSTREAM_MEMORY_UNKNOWN;
  check(core().array_memory_kind(core_of(reinterpret_cast<PyObject*>(&self)), &kind));
  return PyUnicode_InternFromString(words[kind]);
}

template <PyObject* (*interface)(PyObject*)>
PyObject* get_interface(array_object& self) {
  return interface(reinterpret_cast<PyObject*>(&self));
}

template <auto body>
PyObject* property(PyObject* self, void*) {
  return at_border<PyObject*>(nullptr, [self] { return body(as_array(self)); });
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  const DLDevice device = tensor_of(as_array(self)).device;
  return Py_BuildValue("(ii)", static_cast<int>(device.device_type), device.device_id);
}

PyGetSetDef properties[] = {
    {"shape", property<get_shape>, nullptr, doc::shape, nullptr},
    {"strides", property<get_strides>, nullptr, doc::strides, nullptr},
    {"ndim", property<get_ndim>, nullptr, doc::ndim, nullptr},
    {"size", property<get_size>, nullptr, doc::size, nullptr},
    {"nbytes", property<get_nbytes>, nullptr, doc::nbytes, nullptr},
    {"itemsize", property<get_itemsize>, nullptr, doc::itemsize, nullptr},
    {"dtype", property<get_dtype>, nullptr, doc::dtype, nullptr},
    {"device", property<get_device>, nullptr, doc::device, nullptr},
    {"stream", property<get_stream>, nullptr, doc::stream, nullptr},
    {"readonly", property<get_readonly>, nullptr, doc::readonly, nullptr},
    {"plan", property<get_plan>, nullptr, doc::plan, nullptr},
    {"data_ptr", property<get_data_ptr>, nullptr, doc::data_ptr, nullptr},
    {"byte_offset", property<get_byte_offset>, nullptr, doc::byte_offset, nullptr},
    {"memory_kind", property<get_memory_kind>, nullptr, doc::memory_kind, nullptr},
    {"__sycl_usm_array_interface__", property<get_interface<sycl_usm_array_interface>>, nullptr,
     doc::sycl_usm_array_interface, nullptr},
    {"__cuda_array_interface__", property<get_interface<cuda_array_interface>>, nullptr,
     doc::cuda_array_interface, nullptr},
    {"__array_interface__", property<get_interface<array_interface>>, nullptr, doc::array_interface,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"__dlpack__", as_function(array_dlpack), METH_FASTCALL | METH_KEYWORDS, doc::dlpack},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, doc::dlpack_device},
    {"release", array_release, METH_NOARGS, doc::release},
    {"record_stream", array_record_stream, METH_O, doc::record_stream},
    {"to_device", as_function(array_to_device), METH_FASTCALL | METH_KEYWORDS, doc::to_device},
    {"__array__", as_function(array_as_ndarray), METH_VARARGS | METH_KEYWORDS, doc::array_protocol},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, doc::class_getitem},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(array_object, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Array() makes no array: it takes those of other libraries.\n  Write "
                  "anystream.from_dlpack(x), where x is an array of any library.");
  return nullptr;
}

PyType_Slot slots[] = {{Py_tp_new, as_slot(refuse_new)},
                       {Py_tp_dealloc, as_slot(deallocate_array)},
                       {Py_tp_traverse, as_slot(traverse_array)},
                       {Py_tp_repr, as_slot(array_repr)},
                       {Py_bf_getbuffer, as_slot(array_get_buffer)},
                       {Py_bf_releasebuffer, as_slot(array_release_buffer)},
                       {Py_tp_getset, properties},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_doc, const_cast<char*>(doc::array)},
                       {0, nullptr}};

PyType_Spec spec = {"anystream.Array", static_cast<int>(sizeof(array_object)),
                    static_cast<int>(sizeof(std::int64_t)), Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                    slots};

// A specification has no place for an attribute of the class, and an immutable type takes none: so
// it becomes immutable when they are there.
void add_attributes(PyObject* type) {
  offer_exchange_table(type);
  reinterpret_cast<PyTypeObject*>(type)->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type));
}

}  // namespace

void register_array_type(PyObject* module) {
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  if (type == nullptr) throw nb::python_error();
  add_attributes(type);
  use_array_type(reinterpret_cast<PyTypeObject*>(type));
  if (PyModule_AddObjectRef(module, "Array", type) < 0) throw nb::python_error();
}

}  // namespace anystream::python
