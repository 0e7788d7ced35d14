// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of DLPack in the hands of Python: who calls a deleter, when, and when it must not
// be called any more.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include <anystream/c_api.h>

namespace anystream::python {

template <class Managed>
constexpr bool is_versioned = std::is_same_v<Managed, DLManagedTensorVersioned>;

// Puts the Python error that is pending aside, so that foreign code can run, and back. Does nothing
// on a thread without the GIL: it has none pending.
class pending_error {
 public:
  pending_error() noexcept;
  ~pending_error();
  pending_error(const pending_error&) = delete;
  pending_error& operator=(const pending_error&) = delete;

 private:
  bool held_;
  [[maybe_unused]] PyObject* type_ = nullptr;  // Python 3.11 keeps an error in three pieces
  PyObject* value_ = nullptr;
  [[maybe_unused]] PyObject* traceback_ = nullptr;
};

// The same on a thread that is known to have the GIL, at less cost.
class error_put_aside {
 public:
  error_put_aside() noexcept;
  ~error_put_aside();
  error_put_aside(const error_put_aside&) = delete;
  error_put_aside& operator=(const error_put_aside&) = delete;

 private:
  [[maybe_unused]] PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  [[maybe_unused]] PyObject* traceback_ = nullptr;
};

// A deleter may be NULL (dlpack.h). It frees the structure as well.
struct deleter_call {
  template <class Managed>
  void operator()(Managed* managed) const noexcept {
    const pending_error kept;
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
