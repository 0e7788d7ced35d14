// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A Stream as other libraries take it: by __cuda_stream__, or by a capsule.
#include "stream_sharing.hpp"

#include <string>
#include <string_view>

#include "errors.hpp"
#include "stream_docs.hpp"
#include "stream_identity.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

[[noreturn]] void no_attribute(const py_stream& self, const char* name, const char* who) {
  const std::string text = repr(self) + " has no " + name + ": " + who;
  throw nb::attribute_error(text.c_str());
}

nb::object cuda_stream(nb::handle self) {
  const auto& stream = nb::cast<const py_stream&>(self);
  if (stream.get() == nullptr || !is_a_number(stream.get())) {
    no_attribute(stream, "__cuda_stream__", "CUDA and ROCm streams have it.");
  }
  return self.attr("_cuda_stream");
}

nb::tuple cuda_stream_pair(const py_stream& self) { return nb::make_tuple(0, handle_of(self)); }

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

nb::object get_capsule(nb::handle self) {
  const auto& stream = nb::cast<const py_stream&>(self);
  if (stream.get() == nullptr || !tells_its_device(rules_of(stream.get()).objects)) {
    no_attribute(stream, "_get_capsule", "SYCL and simulated streams have it.");
  }
  return self.attr("_make_capsule");
}

}  // namespace

// Properties, which give the method behind them: an instance then has the attribute or has it not.
void define_sharing(nb::class_<py_stream>& stream) {
  stream.def("_cuda_stream", cuda_stream_pair)
      .def("_make_capsule", make_capsule)
      .def_prop_ro("__cuda_stream__", cuda_stream, docs::cuda_stream)
      .def_prop_ro("_get_capsule", get_capsule, docs::get_capsule);
}

}  // namespace anystream::python
