// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Carrier: an array whose order has been seen to, so that no stream is looked at.
// Written against the CPython API like Array: one is made at every hand-off.
#include "carrier.hpp"

#include <nanobind/nanobind.h>

#include "arguments.hpp"
#include "array_docs.hpp"
#include "array_type.hpp"
#include "errors.hpp"
#include "export.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

struct carrier_object {
  PyObject_HEAD PyObject* array;
};

PyObject* array_in(PyObject* self) noexcept {
  return reinterpret_cast<carrier_object*>(self)->array;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  PyObject* array = nullptr;
  const bool named = keywords != nullptr && PyDict_GET_SIZE(keywords) != 0;
  if (named || !PyArg_UnpackTuple(arguments, "Carrier", 1, 1, &array)) {
    if (named) PyErr_SetString(PyExc_TypeError, "Carrier() takes no keyword arguments.");
    return nullptr;
  }
  return at_border<PyObject*>(nullptr, [&] {
    to_array(array, "Carrier(array)");
    PyObject* self = type->tp_alloc(type, 0);
    if (self == nullptr) throw nb::python_error();
    reinterpret_cast<carrier_object*>(self)->array = Py_NewRef(array);
    return self;
  });
}

// Like Array, it never changes, so that it needs no tp_clear.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(array_in(self));
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(array_in(self));
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* dlpack(PyObject* self, PyObject* const* values, Py_ssize_t given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    const array_object& array = as_array(array_in(self));
    const export_request request =
        read_export_request(tensor_of(array).device, platform_of(array), values, given, names);
    return export_array(array_in(self), request, consumer_stream{});
  });
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  return PyObject_CallMethod(array_in(self), "__dlpack_device__", nullptr);
}

PyObject* usm_interface(PyObject* self, void*) {
  return at_border<PyObject*>(nullptr, [self] { return sycl_usm_array_interface(array_in(self)); });
}

PyObject* cuda_interface(PyObject* self, void*) {
  return at_border<PyObject*>(nullptr, [self] { return cuda_array_interface(array_in(self)); });
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("anystream.Carrier(%R)", array_in(self));
}

PyMethodDef methods[] = {
    {"__dlpack__", as_function(dlpack), METH_FASTCALL | METH_KEYWORDS, doc::dlpack},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, doc::dlpack_device},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"__cuda_array_interface__", cuda_interface, nullptr, doc::cuda_array_interface, nullptr},
    {"__sycl_usm_array_interface__", usm_interface, nullptr, doc::sycl_usm_array_interface,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, as_slot(make)},
                       {Py_tp_dealloc, as_slot(dealloc)},
                       {Py_tp_traverse, as_slot(traverse)},
                       {Py_tp_repr, as_slot(repr)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_doc, const_cast<char*>(doc::carrier)},
                       {0, nullptr}};

PyType_Spec spec = {"anystream._core.Carrier", static_cast<int>(sizeof(carrier_object)), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

void register_carrier(PyObject* module) {
  const nb::object type = nb::steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
  if (!type.is_valid() || PyModule_AddObjectRef(module, "Carrier", type.ptr()) < 0) {
    throw nb::python_error();
  }
}

}  // namespace anystream::python
