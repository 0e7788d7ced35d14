// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream objects whose ints were seen, and what the package says of those that were not.
#include "vouched_queues.hpp"

#include "configuration.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// A WeakValueDictionary: an int is forgotten with the object that it was read from, so that an
// address that is used again later does not pass. Made on first use, never destroyed.
nb::object& seen_streams() {
  static auto* const one =
      new nb::object(nb::module_::import_("weakref").attr("WeakValueDictionary")());
  return *one;
}

bool has_weak_references(nb::handle object) {
#if PY_VERSION_HEX >= 0x030C0000
  const bool managed = PyType_HasFeature(Py_TYPE(object.ptr()), Py_TPFLAGS_MANAGED_WEAKREF) != 0;
#else
  const bool managed = false;
#endif
  return managed || Py_TYPE(object.ptr())->tp_weaklistoffset > 0;
}

bool was_seen(std::uintptr_t handle) { return !seen_streams().attr("get")(handle).is_none(); }

}  // namespace

void remember_queue(std::uintptr_t handle, nb::handle stream) {
  if (!has_weak_references(stream)) return;
  const nb::object& seen = seen_streams();
  if (!seen.attr("get")(handle).is(stream)) seen[nb::cast(handle)] = stream;
}

bool is_vouched_queue(std::uintptr_t handle) {
  return was_seen(handle) || nb::cast<bool>(known_sycl_queues().attr("__contains__")(handle));
}

}  // namespace anystream::python
