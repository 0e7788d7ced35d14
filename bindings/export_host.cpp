// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A managed tensor of memory of the host, made in one piece: of an Array's, or of an ndarray's.
#include "export_host.hpp"

#include <cstdint>
#include <utility>

#include "array_type.hpp"
#include "byte_layout.hpp"
#include "numpy_abi.hpp"
#include "owner.hpp"
#include "spare_places.hpp"

namespace anystream::python {
namespace {

// What keeps the memory is an Array, which never changes, so that shape and strides are its own; or
// an ndarray, which may get others: then they are written down here.
template <class Managed>
struct exported {
  Managed managed;
  PyObject* keeper;
  std::int64_t numbers[2 * usual_ndim];
};

template <class Managed>
spare_places<exported<Managed>>& spare() noexcept {
  static spare_places<exported<Managed>> places;
  return places;
}

// With the GIL; false where the struct is the caller's to delete.
template <class Managed>
bool let_go(exported<Managed>* made) noexcept {
  PyObject* const keeper = made->keeper;
  const bool kept = spare<Managed>().keep(made);
  Py_DECREF(keeper);
  return kept;
}

// Leaks the keeper, and not the struct, once the interpreter is going away.
template <class Managed>
[[gnu::flatten]] void release(Managed* self) {
  auto* const made = static_cast<exported<Managed>*>(self->manager_ctx);
  bool kept = false;
  with_python([made, &kept] { kept = let_go(made); });
  if (!kept) delete made;
}

template <class Managed>
exported<Managed>& new_place() {
  exported<Managed>* made = spare<Managed>().take();
  if (made == nullptr) made = new exported<Managed>();
  made->managed.manager_ctx = made;
  made->managed.deleter = release<Managed>;
  return *made;
}

void fill_header(DLManagedTensor&, std::uint64_t) noexcept {}
void fill_header(DLManagedTensorVersioned& managed, std::uint64_t flags) noexcept {
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = flags & ~flag_is_copied;
}

}  // namespace

bool can_be_exported(PyObject* array, bool versioned) noexcept {
  return versioned || (flags_of(as_array(array)) & (flag_read_only | flag_subbyte_padded)) == 0;
}

template <class Managed>
managed_tensor<Managed> host_tensor(PyObject* array) {
  exported<Managed>& made = new_place<Managed>();
  made.keeper = Py_NewRef(array);
  made.managed.dl_tensor = tensor_of(as_array(array));
  fill_header(made.managed, flags_of(as_array(array)));
  return managed_tensor<Managed>(&made.managed);
}

template managed_tensor<DLManagedTensor> host_tensor(PyObject* array);
template managed_tensor<DLManagedTensorVersioned> host_tensor(PyObject* array);

template <class Managed>
bool let_go_with_gil(Managed* managed) noexcept {
  if (managed->deleter != release<Managed> || !python_is_reachable()) return false;
  auto* const made = static_cast<exported<Managed>*>(managed->manager_ctx);
  if (!let_go(made)) delete made;
  return true;
}

template bool let_go_with_gil(DLManagedTensor* managed) noexcept;
template bool let_go_with_gil(DLManagedTensorVersioned* managed) noexcept;

managed_tensor<DLManagedTensorVersioned> ndarray_tensor(PyObject* x) {
  const numpy::array& from = numpy::as_array(x);
  const DLDataType dtype = numpy::native_dtype_of(from);
  if (dtype.bits == 0 || from.nd > usual_ndim) return nullptr;
  auto& made = new_place<DLManagedTensorVersioned>();
  std::int64_t* const strides = made.numbers + from.nd;
  const bool whole =
      copy_byte_layout(made.numbers, from.nd, from.dimensions, from.strides, dtype.bits / 8U);
  made.keeper = Py_NewRef(x);
  made.managed.dl_tensor = {from.data, {kDLCPU, 0}, from.nd, dtype, made.numbers, strides, 0};
  fill_header(made.managed, numpy::flags_of(from));
  managed_tensor<DLManagedTensorVersioned> managed(&made.managed);
  return whole ? std::move(managed) : nullptr;
}

}  // namespace anystream::python
