// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a log or a trace needs of the extension: that nothing takes the quick way past it, and to be
// told when an array's memory is let go.
#include "watched.hpp"

#include <memory>
#include <utility>

#include "array_type.hpp"
#include "errors.hpp"
#include "managed.hpp"
#include "owner.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {

bool hand_offs_are_watched = false;

namespace {

// The memory, and who is told once it has been let go.
struct watched_memory {
  core_array array;
  PyObject* told;
};

void tell(PyObject* told) noexcept {
  const error_put_aside kept;
  PyObject* result = PyObject_CallNoArgs(told);
  if (result == nullptr) PyErr_WriteUnraisable(told);
  Py_XDECREF(result);
  Py_DECREF(told);
}

void let_go(void* context) {
  const std::unique_ptr<watched_memory> memory(static_cast<watched_memory*>(context));
  memory->array.reset();
  with_python([&] { tell(memory->told); });
}

core_array watched(PyObject* array, PyObject* told) {
  core_array base = shared_array(array);
  const DLTensor* tensor = core().array_tensor(base.get());
  const std::uint64_t flags = core().array_flags(base.get());
  const char* platform = core().array_platform(base.get());
  auto memory = std::make_unique<watched_memory>();
  *memory = {std::move(base), Py_NewRef(told)};
  anystream_array* out = nullptr;
  check(core().array_wrap(tensor, flags, platform, {memory.release(), let_go}, &out));
  return core_array(out);
}

nb::object array_watched(nb::handle array, nb::handle told) {
  to_array(array.ptr(), "_array_watched(array)");
  array_parts parts;
  parts.array = watched(array.ptr(), told.ptr());
  return nb::steal(new_array(std::move(parts)));
}

// For sys.unraisablehook, which Python code cannot call: the class of its argument has no name.
void write_unraisable(nb::handle error, nb::handle where) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  PyErr_WriteUnraisable(where.ptr());
}

void set_watched(bool watched) { hand_offs_are_watched = watched; }

constexpr const char* array_watched_doc =
    "The same memory, on no stream and of no plan; told() is called once it has been let go, from\n"
    "any thread. What it raises is unraisable. Also called where the view itself is dropped.";

}  // namespace

void register_watched(nb::module_& m) {
  m.def("_array_watched", array_watched, "array"_a, "told"_a, array_watched_doc);
  m.def("_write_unraisable", write_unraisable, "error"_a, "where"_a);
  m.def("_set_watched", set_watched, "watched"_a, "Have every hand-off go through the package.");
}

}  // namespace anystream::python
