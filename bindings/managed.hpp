// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of DLPack in the hands of Python: who calls a deleter, when, and when it must not
// be called any more.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include <anystream/c_api.h>

#include "deleter.hpp"

namespace anystream::python {

template <class Managed>
constexpr bool is_versioned = std::is_same_v<Managed, DLManagedTensorVersioned>;

// Puts the Python error that is pending aside, so that foreign code can run, and back; an error
// that foreign code has left is dropped, since nobody is here who could be told. With the GIL.
class error_put_aside {
 public:
  error_put_aside() noexcept;
  ~error_put_aside();
  error_put_aside(const error_put_aside&) = delete;
  error_put_aside& operator=(const error_put_aside&) = delete;

 private:
  [[maybe_unused]] PyObject* type_ = nullptr;  // Python 3.11 keeps an error in three pieces
  PyObject* value_ = nullptr;
  [[maybe_unused]] PyObject* traceback_ = nullptr;
};

// The same from any thread: does nothing on one without the GIL, which has none pending.
class pending_error {
 public:
  pending_error() noexcept {
    if (Py_IsInitialized() && PyGILState_Check()) kept_.emplace();
  }

 private:
  std::optional<error_put_aside> kept_;
};

// A deleter may be NULL (dlpack.h). It frees the structure as well.
struct deleter_call {
  template <class Managed>
  void operator()(Managed* managed) const noexcept {
    const pending_error kept;
    const deleter_running here;
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};

template <class Managed>
using managed_tensor = std::unique_ptr<Managed, deleter_call>;

// Counts up in forked children.
std::uint32_t process_number() noexcept;

// Whether memory that came to be in the process of that number may be given back in this one. What
// is on a device belongs to a driver, which does not work in a forked child.
bool may_be_freed(DLDevice device, std::uint32_t process) noexcept;

// Hands a producer's tensor to the core to own: its deleter is called once, from any thread, with
// the GIL or without; not at all once the interpreter is going away, or in a forked child if the
// memory is on a device: then it is leaked. Throws, and the tensor is still the caller's then.
anystream_owner owner_of(managed_tensor<DLManagedTensor>& managed);
anystream_owner owner_of(managed_tensor<DLManagedTensorVersioned>& managed);

// Called once, before any array is made.
void watch_forks() noexcept;

}  // namespace anystream::python
