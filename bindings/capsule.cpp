// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack's capsules. A capsule's name tells its form, and whether it has been used.
#include "capsule.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// A capsule keeps the pointer, so these live for the process.
template <class Managed>
constexpr const char* fresh = is_versioned<Managed> ? "dltensor_versioned" : "dltensor";
template <class Managed>
constexpr const char* used = is_versioned<Managed> ? "used_dltensor_versioned" : "used_dltensor";

constexpr std::uint64_t known_flags = flag_read_only | flag_is_copied | flag_subbyte_padded;

template <class Managed>
Managed* tensor_in(PyObject* capsule) noexcept {
  return static_cast<Managed*>(PyCapsule_GetPointer(capsule, fresh<Managed>));
}

// A consumer that claimed it has renamed it, and owns what it held.
template <class Managed>
void delete_unclaimed(PyObject* capsule) {
  if (PyCapsule_GetName(capsule) != fresh<Managed> &&
      PyCapsule_IsValid(capsule, fresh<Managed>) == 0) {
    return;
  }
  const error_put_aside kept;
  Managed* const managed = tensor_in<Managed>(capsule);
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

[[noreturn]] void refuse(PyObject* capsule) {
  const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
  PyErr_Clear();  // a capsule that somebody has emptied has no name to tell
  const std::string_view given = name != nullptr ? name : "";
  if (given == used<DLManagedTensor> || given == used<DLManagedTensorVersioned>) {
    throw value_error("a DLPack capsule can be taken once; got one named \"" + std::string(given) +
                      "\".\n  Call __dlpack__() again for each consumer.");
  }
  const std::string what = !PyCapsule_CheckExact(capsule) ? got(capsule)
                           : name == nullptr ? "an unnamed capsule"
                                             : "a capsule named \"" + std::string(given) + "\"";
  throw type_error("a DLPack capsule is named \"dltensor\" or \"dltensor_versioned\"; got " + what +
                   ".\n  x.__dlpack__() makes one; anystream.from_dlpack(x) takes x itself.");
}

bool is_current(const DLManagedTensor&) noexcept { return true; }
bool is_current(const DLManagedTensorVersioned& managed) noexcept {
  return managed.version.major == DLPACK_MAJOR_VERSION;
}

void check_version(const DLManagedTensor&) {}
using python::check_version;

std::uint64_t flags_in(const DLManagedTensor&) noexcept { return 0; }
using python::flags_in;

// From here on the tensor is ours, whatever happens.
template <class Managed>
managed_tensor<Managed> claim(PyObject* capsule) {
  managed_tensor<Managed> managed(tensor_in<Managed>(capsule));
  PyCapsule_SetName(capsule, used<Managed>);
  return managed;
}

template <class Managed>
core_array adopt(managed_tensor<Managed> managed, const char* platform, std::uint64_t force) {
  check_version(*managed);
  const DLTensor tensor = managed->dl_tensor;
  const std::uint64_t flags = flags_in(*managed) | force;
  anystream_array* out = nullptr;
  check(core().array_wrap(&tensor, flags, platform, owner_of(managed), &out));
  return core_array(out);
}

// What a capsule of that name holds, if it is the form's; its name is compared once.
template <class Managed>
Managed* unused_in(PyObject* capsule, const char* name) noexcept {
  if (name == nullptr || std::strcmp(name, fresh<Managed>) != 0) return nullptr;
  return static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
}

// Before anything of the tensor is looked at: it is claimed, and so deleted, if it may not be.
template <class Managed>
PyObject* host_array(PyObject* capsule, Managed* held, std::uint64_t force, PyObject* plan) {
  if (is_current(*held) && held->dl_tensor.device.device_type != kDLCPU) return nullptr;
  managed_tensor<Managed> managed(held);
  PyCapsule_SetName(capsule, used<Managed>);
  check_version(*managed);
  const std::uint64_t flags = flags_in(*managed) | force;
  return new_array_of(std::move(managed), flags, plan);
}

}  // namespace

void check_version(const DLManagedTensorVersioned& managed) {
  if (is_current(managed)) return;
  throw exchange_error("anystream takes DLPack " + std::to_string(DLPACK_MAJOR_VERSION) +
                       "; got a capsule of version " + std::to_string(managed.version.major) + "." +
                       std::to_string(managed.version.minor) +
                       ".\n  Ask its producer for max_version=(1, 0).");
}

std::uint64_t flags_in(const DLManagedTensorVersioned& managed) noexcept {
  return managed.flags & known_flags;
}

template <class Managed>
PyObject* to_capsule(managed_tensor<Managed> managed) {
  PyObject* capsule = PyCapsule_New(managed.get(), fresh<Managed>, delete_unclaimed<Managed>);
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(managed.release());
  return capsule;
}

template PyObject* to_capsule(managed_tensor<DLManagedTensor> managed);
template PyObject* to_capsule(managed_tensor<DLManagedTensorVersioned> managed);

core_array claim_capsule(PyObject* capsule, const char* platform, std::uint64_t force) {
  if (PyCapsule_IsValid(capsule, fresh<DLManagedTensorVersioned>) != 0) {
    return adopt(claim<DLManagedTensorVersioned>(capsule), platform, force);
  }
  if (PyCapsule_IsValid(capsule, fresh<DLManagedTensor>) != 0) {
    return adopt(claim<DLManagedTensor>(capsule), platform, force);
  }
  refuse(capsule);
}

PyObject* claim_host_capsule(PyObject* capsule, std::uint64_t force, PyObject* plan) {
  const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
  if (auto* held = unused_in<DLManagedTensorVersioned>(capsule, name)) {
    return host_array(capsule, held, force, plan);
  }
  if (auto* held = unused_in<DLManagedTensor>(capsule, name)) {
    return host_array(capsule, held, force, plan);
  }
  refuse(capsule);
}

DLDevice device_of_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, fresh<DLManagedTensorVersioned>) != 0) {
    const auto& managed = *tensor_in<DLManagedTensorVersioned>(capsule);
    check_version(managed);
    return managed.dl_tensor.device;
  }
  if (PyCapsule_IsValid(capsule, fresh<DLManagedTensor>) != 0) {
    return tensor_in<DLManagedTensor>(capsule)->dl_tensor.device;
  }
  refuse(capsule);
}

}  // namespace anystream::python
