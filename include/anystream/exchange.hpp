// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack in and out: managed tensors become arrays, arrays become managed tensors.
//
// Rules: dlpack.h, DLManagedTensor and DLManagedTensorVersioned. A producer's deleter is called
// exactly once, here if the tensor is refused, else with the last reference, on whatever thread; it
// may be NULL. Importing orders nothing: say which stream the producer's work is on (set_stream).
#pragma once

#include <memory>

#include <anystream/api.hpp>
#include <anystream/array.hpp>

namespace anystream {

namespace detail {

struct managed_deleter {
  template <class Managed>
  void operator()(Managed* managed) const noexcept {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};

}  // namespace detail

// A managed tensor that nobody has taken yet.
using managed_tensor = std::unique_ptr<DLManagedTensor, detail::managed_deleter>;
using managed_tensor_versioned = std::unique_ptr<DLManagedTensorVersioned, detail::managed_deleter>;

// Takes the tensor from the call on. Throws exchange_error for what cannot be taken: another major
// version, a layout that cannot be, NULL data with elements; value_error for NULL.
inline array import_dlpack(DLManagedTensor* taken) {
  anystream_array* made = nullptr;
  check(api().array_import(taken, &made));
  return array(made);
}

inline array import_dlpack(DLManagedTensorVersioned* taken) {
  anystream_array* made = nullptr;
  check(api().array_import_versioned(taken, &made));
  return array(made);
}

inline array import_dlpack(managed_tensor taken) { return import_dlpack(taken.release()); }
inline array import_dlpack(managed_tensor_versioned taken) {
  return import_dlpack(taken.release());
}

// A further reference to the array's memory. The legacy form cannot say that an array is read-only
// or padded: exchange_error. Orders nothing: the consumer's stream must wait first.
inline managed_tensor export_dlpack(array_view given) {
  DLManagedTensor* made = nullptr;
  check(api().array_export(given.get(), &made));
  return managed_tensor(made);
}

inline managed_tensor_versioned export_dlpack_versioned(array_view given) {
  DLManagedTensorVersioned* made = nullptr;
  check(api().array_export_versioned(given.get(), &made));
  return managed_tensor_versioned(made);
}

}  // namespace anystream
