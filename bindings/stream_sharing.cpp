// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A Stream as other libraries take it: by __cuda_stream__, or by a capsule.
#include "stream_sharing.hpp"

#include <string>
#include <string_view>

#include "errors.hpp"
#include "methods.hpp"
#include "stream_identity.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

[[noreturn]] void no_attribute(const py_stream& self, const char* name, const char* who) {
  const std::string text = repr(self) + " has no " + name + ": " + who;
  throw nb::attribute_error(text.c_str());
}

// A name that lives for the process, as a capsule's must: the first of the rules' "A|B".
const char* capsule_name(const anystream_stream* stream) {
  const std::string_view names = rules_of(stream).capsules;
  return names.find('|') == names.npos ? names.data() : nullptr;
}

// Whoever takes the handle may have renamed the capsule, as dpctl does; it stays ours all the same.
void free_capsule(PyObject* capsule) {
  void* handle = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
  const auto release = reinterpret_cast<void (*)(void*)>(PyCapsule_GetContext(capsule));
  release(handle);
}

}  // namespace

nb::tuple cuda_stream_pair(const py_stream& self) { return nb::make_tuple(0, handle_of(self)); }

nb::object make_capsule(const py_stream& self) {
  void* handle = nullptr;
  void (*release)(void*) = nullptr;
  check(core().stream_share(resolved(self, "Stream._get_capsule()"), &handle, &release));
  nb::object capsule = nb::steal(PyCapsule_New(handle, capsule_name(self.get()), free_capsule));
  if (!capsule.is_valid()) release(handle);
  if (!capsule.is_valid()) throw nb::python_error();
  PyCapsule_SetContext(capsule.ptr(), reinterpret_cast<void*>(release));
  return capsule;
}

PyObject* get_cuda_stream(PyObject* self, void*) {
  return result_of([self] {
    const py_stream& stream = *nb::inst_ptr<py_stream>(self);
    if (stream.get() == nullptr || !is_a_number(stream.get())) {
      no_attribute(stream, "__cuda_stream__", "CUDA and ROCm streams have it.");
    }
    return nb::handle(self).attr("_cuda_stream");
  });
}

PyObject* get_capsule(PyObject* self, void*) {
  return result_of([self] {
    const py_stream& stream = *nb::inst_ptr<py_stream>(self);
    if (stream.get() == nullptr || !tells_its_device(rules_of(stream.get()).objects)) {
      no_attribute(stream, "_get_capsule", "SYCL, OpenCL and simulated streams have it.");
    }
    return nb::handle(self).attr("_make_capsule");
  });
}

}  // namespace anystream::python
