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
#include "export_host.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// A capsule keeps the pointer, so these live for the process.
template <class Managed>
constexpr const char* fresh = is_versioned<Managed> ? "dltensor_versioned" : "dltensor";
template <class Managed>
constexpr const char* used = is_versioned<Managed> ? "used_dltensor_versioned" : "used_dltensor";

constexpr std::uint64_t known_flags = flag_read_only | flag_is_copied | flag_subbyte_padded;

// A consumer that claimed it has renamed it, and owns what it held.
template <class Managed>
void delete_unclaimed(PyObject* capsule) {
  if (PyCapsule_GetName(capsule) != fresh<Managed> &&
      PyCapsule_IsValid(capsule, fresh<Managed>) == 0) {
    return;
  }
  auto* const managed = static_cast<Managed*>(PyCapsule_GetContext(capsule));
  if (managed == nullptr || managed->deleter == nullptr || let_go_with_gil(managed)) return;
  const error_put_aside kept;
  managed->deleter(managed);
}

// Null for what is no capsule, and for one that somebody has emptied: it has no name to tell.
const char* name_of(PyObject* capsule) noexcept {
  if (!PyCapsule_CheckExact(capsule)) return nullptr;
  const char* name = PyCapsule_GetName(capsule);
  if (name == nullptr) PyErr_Clear();
  return name;
}

[[noreturn]] void refuse(PyObject* capsule) {
  const char* name = name_of(capsule);
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
managed_tensor<Managed> claim(PyObject* capsule, Managed* held) {
  managed_tensor<Managed> managed(held);
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
  managed_tensor<Managed> managed = claim(capsule, held);
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
  // For the destructor: asked by name, a capsule compares the name's letters.
  PyCapsule_SetContext(capsule, managed.release());
  return capsule;
}

template PyObject* to_capsule(managed_tensor<DLManagedTensor> managed);
template PyObject* to_capsule(managed_tensor<DLManagedTensorVersioned> managed);

core_array claim_capsule(PyObject* capsule, const char* platform, std::uint64_t force) {
  const char* name = name_of(capsule);
  if (auto* held = unused_in<DLManagedTensorVersioned>(capsule, name)) {
    return adopt(claim(capsule, held), platform, force);
  }
  if (auto* held = unused_in<DLManagedTensor>(capsule, name)) {
    return adopt(claim(capsule, held), platform, force);
  }
  refuse(capsule);
}

PyObject* claim_host_capsule(PyObject* capsule, std::uint64_t force, PyObject* plan) {
  const char* name = name_of(capsule);
  if (auto* held = unused_in<DLManagedTensorVersioned>(capsule, name)) {
    return host_array(capsule, held, force, plan);
  }
  if (auto* held = unused_in<DLManagedTensor>(capsule, name)) {
    return host_array(capsule, held, force, plan);
  }
  refuse(capsule);
}

DLDevice device_of_capsule(PyObject* capsule) {
  const char* name = name_of(capsule);
  if (const auto* held = unused_in<DLManagedTensorVersioned>(capsule, name)) {
    check_version(*held);
    return held->dl_tensor.device;
  }
  if (const auto* held = unused_in<DLManagedTensor>(capsule, name)) return held->dl_tensor.device;
  refuse(capsule);
}

}  // namespace anystream::python
