// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding where the address of a library's own tensor is.
#include "native.hpp"

#include "errors.hpp"
#include "managed.hpp"

namespace anystream::python {

bool exports_handle(PyObject* x, const DLPackExchangeAPI& table, const void* handle) {
  DLManagedTensorVersioned* out = nullptr;
  const int status = table.managed_tensor_from_py_object_no_sync(x, &out);
  if (status != 0 || out == nullptr) return pass_over_error(), false;
  const managed_tensor<DLManagedTensorVersioned> managed(out);
  return managed->manager_ctx != nullptr && *static_cast<void**>(managed->manager_ctx) == handle;
}

Py_ssize_t place_of_handle(PyObject* x, const void* handle) noexcept {
  constexpr auto word = static_cast<Py_ssize_t>(sizeof(void*));
  Py_ssize_t place = 0;
  for (Py_ssize_t at = sizeof(PyObject); at + word <= Py_TYPE(x)->tp_basicsize; at += word) {
    if (native_export{nullptr, at}.handle_in(x) != handle) continue;
    if (place != 0) return 0;
    place = at;
  }
  return place;
}

}  // namespace anystream::python
