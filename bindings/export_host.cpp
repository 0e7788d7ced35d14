// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A managed tensor of an Array on the host, made in one piece.
#include "export_host.hpp"

#include "array_type.hpp"
#include "owner.hpp"
#include "spare_places.hpp"

namespace anystream::python {
namespace {

// Shape and strides are the Array's, which never changes and which this keeps.
template <class Managed>
struct exported {
  Managed managed;
  PyObject* array;
};

template <class Managed>
spare_places<exported<Managed>>& spare() noexcept {
  static spare_places<exported<Managed>> places;
  return places;
}

// Leaks the Array, and not the struct, once the interpreter is going away.
template <class Managed>
void release(Managed* self) {
  auto* const made = static_cast<exported<Managed>*>(self->manager_ctx);
  bool kept = false;
  with_python([made, &kept] {
    PyObject* const array = made->array;
    kept = spare<Managed>().keep(made);
    Py_DECREF(array);
  });
  if (!kept) delete made;
}

void fill_header(DLManagedTensor&, const array_object&) noexcept {}
void fill_header(DLManagedTensorVersioned& managed, const array_object& array) noexcept {
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = flags_of(array) & ~flag_is_copied;
}

}  // namespace

bool can_be_exported(PyObject* array, bool versioned) noexcept {
  return versioned || (flags_of(as_array(array)) & (flag_read_only | flag_subbyte_padded)) == 0;
}

template <class Managed>
managed_tensor<Managed> host_tensor(PyObject* array) {
  exported<Managed>* made = spare<Managed>().take();
  if (made == nullptr) made = new exported<Managed>();
  made->array = Py_NewRef(array);
  made->managed.dl_tensor = tensor_of(as_array(array));
  made->managed.manager_ctx = made;
  made->managed.deleter = release<Managed>;
  fill_header(made->managed, as_array(array));
  return managed_tensor<Managed>(&made->managed);
}

template managed_tensor<DLManagedTensor> host_tensor(PyObject* array);
template managed_tensor<DLManagedTensorVersioned> host_tensor(PyObject* array);

}  // namespace anystream::python
