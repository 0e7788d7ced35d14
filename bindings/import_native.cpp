// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays whose library exports them by a function of its C interface: the one that its __dlpack__
// calls, without the method, its arguments and the capsule around it.
#include <utility>

#include "array_type.hpp"
#include "capsule.hpp"
#include "from_dlpack.hpp"
#include "routes.hpp"

namespace nb = nanobind;

namespace anystream::python {

// Null where it is refused: __dlpack__ then says why. Memory that is not the host's goes to the
// planner with what has been exported: no array is exported twice.
PyObject* take_by_native(PyObject* x, const route& how) {
  void* const handle = how.exporter.handle_in(x);
  DLManagedTensorVersioned* out = nullptr;
  if (handle == nullptr || how.exporter.call(handle, &out) != 0 || out == nullptr) return nullptr;
  managed_tensor<DLManagedTensorVersioned> managed(out);
  check_version(*managed);
  if (managed->dl_tensor.device.device_type != kDLCPU) {
    const nb::object capsule = nb::steal(to_capsule(std::move(managed)));
    return plan_import_of(x, capsule.ptr());
  }
  const std::uint64_t flags = flags_in(*managed) | (how.immutable ? flag_read_only : 0);
  return new_array_of(std::move(managed), flags, how.plan);
}

}  // namespace anystream::python
