// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's calls about pointers.
#include "cuda_calls.hpp"
#include "pointer.hpp"

namespace doubles {

const std::uint32_t type_of_managed = 2;  // a device's

namespace cuda {

status cuPointerGetAttribute(void* data, int attribute, CUdeviceptr pointer) {
  return get_pointer_attribute(data, attribute, pointer);
}

status cuPointerGetAttributes(unsigned int count, int* attributes, void** data,
                              CUdeviceptr pointer) {
  get_pointer_attributes(count, attributes, data, pointer);
  return ok;
}

status cuPointerSetAttribute(const void* value, int attribute, CUdeviceptr pointer) {
  set_pointer_attribute(value, attribute, pointer);
  return ok;
}

}  // namespace cuda

}  // namespace doubles
