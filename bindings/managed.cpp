// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of DLPack: their deleters, and the two cases in which they are left alone.
#include "managed.hpp"

#include <atomic>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "owner.hpp"

namespace anystream::python {
namespace {

std::atomic<std::uint32_t> forks{0};

template <class Managed>
void release_managed(void* context) {
  if (python_is_reachable()) deleter_call()(static_cast<Managed*>(context));
}

// Of a tensor on a device it must be known where it came from. Host memory needs no box.
template <class Managed>
struct device_tensor {
  Managed* managed;
  std::uint32_t process;
};

template <class Managed>
void release_device_tensor(void* context) {
  const std::unique_ptr<device_tensor<Managed>> box(static_cast<device_tensor<Managed>*>(context));
  const DLDevice device = box->managed->dl_tensor.device;
  if (may_be_freed(device, box->process)) release_managed<Managed>(box->managed);
}

template <class Managed>
anystream_owner owner_of_tensor(managed_tensor<Managed>& managed) {
  if (managed->dl_tensor.device.device_type == kDLCPU) {
    return {managed.release(), release_managed<Managed>};
  }
  auto box = std::make_unique<device_tensor<Managed>>();
  *box = {managed.release(), process_number()};
  return {box.release(), release_device_tensor<Managed>};
}

}  // namespace

#if PY_VERSION_HEX >= 0x030C0000
error_put_aside::error_put_aside() noexcept {
  if (PyErr_Occurred() != nullptr) value_ = PyErr_GetRaisedException();
}

error_put_aside::~error_put_aside() {
  if (value_ != nullptr || PyErr_Occurred() != nullptr) PyErr_SetRaisedException(value_);
}
#else
error_put_aside::error_put_aside() noexcept {
  if (PyErr_Occurred() != nullptr) PyErr_Fetch(&type_, &value_, &traceback_);
}

error_put_aside::~error_put_aside() {
  if (type_ != nullptr || PyErr_Occurred() != nullptr) PyErr_Restore(type_, value_, traceback_);
}
#endif

std::uint32_t process_number() noexcept { return forks; }

bool may_be_freed(DLDevice device, std::uint32_t process) noexcept {
  return device.device_type == kDLCPU || process == process_number();
}

anystream_owner owner_of(managed_tensor<DLManagedTensor>& managed) {
  return owner_of_tensor(managed);
}

anystream_owner owner_of(managed_tensor<DLManagedTensorVersioned>& managed) {
  return owner_of_tensor(managed);
}

void watch_forks() noexcept {
#if !defined(_WIN32)
  pthread_atfork(nullptr, nullptr, [] { ++forks; });
#endif
}

}  // namespace anystream::python
