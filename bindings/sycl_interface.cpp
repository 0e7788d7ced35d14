// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The dict of `__sycl_usm_array_interface__`, version 1: how libraries on SYCL see others' memory.
#include <string>

#include "array_interfaces.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr const char* protocol = "__sycl_usm_array_interface__";

bool is_usm(const array_object& self) noexcept {
  const device_info* row = device_row(self);
  return row != nullptr && row->rules.objects == stream_family::sycl;
}

// Counted in elements; what is no whole number of them goes into the pointer, which is an address.
struct start {
  std::uintptr_t pointer;
  std::uint64_t offset;
};

start start_of(const DLTensor& tensor) noexcept {
  const auto itemsize = static_cast<std::uint64_t>(dtype(tensor.dtype).itemsize());
  const auto data = reinterpret_cast<std::uintptr_t>(tensor.data);
  if (tensor.byte_offset % itemsize == 0) return {data, tensor.byte_offset / itemsize};
  return {data + tensor.byte_offset, 0};
}

nb::object strides_unless_row_major(PyObject* array, const DLTensor& tensor) {
  if (is_row_major(shape_of(tensor), strides_of(tensor))) return nb::none();
  return nb::handle(array).attr("strides");
}

// Anything that gives the capsule of its queue will do. A number is a device's own, and stands for
// the default context of its platform, which is the one that DLPack's device numbers mean.
nb::object syclobj_of(PyObject* array, const DLTensor& tensor) {
  nb::object stream = nb::handle(array).attr("stream");
  if (!stream.is_none()) return stream;
  return nb::str(std::to_string(tensor.device.device_id).c_str());
}

}  // namespace

PyObject* sycl_usm_array_interface(PyObject* array) {
  const array_object& self = as_array(array);
  if (!is_usm(self)) throw_no_interface(self, "an array on a SYCL device", protocol);
  const DLTensor& tensor = tensor_of(self);
  const auto [pointer, offset] = start_of(tensor);
  nb::dict out;
  out["shape"] = nb::handle(array).attr("shape");
  out["typestr"] = typestr_of(tensor.dtype, protocol);
  // Is it read-only, as the published text has it and arrays are read and written. Bare memory of
  // the library that defined it is always writable, says true all the same, and never looks.
  out["data"] = nb::make_tuple(pointer, is_read_only(self));
  out["strides"] = strides_unless_row_major(array, tensor);
  out["offset"] = offset;
  out["syclobj"] = syclobj_of(array, tensor);
  out["version"] = 1;
  return out.release().ptr();
}

}  // namespace anystream::python
