// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The dict of `__sycl_usm_array_interface__`, version 1: how libraries on SYCL see others' memory.
#include <array>
#include <string>

#include <anystream/device.hpp>
#include <anystream/layout.hpp>

#include "array_type.hpp"
#include "errors.hpp"
#include "export.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

[[noreturn]] void throw_attribute_error(const std::string& message) {
  throw nb::attribute_error(message.c_str());
}

void check_device(const array_object& self) {
  const DLDevice device = tensor_of(self).device;
  const device_info* row = find_device(device.device_type);
  if (row != nullptr && row->rules.objects == stream_family::sycl) return;
  throw_attribute_error(
      "only an array on a SYCL device has __sycl_usm_array_interface__; this is " +
      array_words(device, platform_of(self)) + ".");
}

// The letters of typestr, for the codes that have one.
constexpr std::array<char, 7> letters = {'i', 'u', 'f', 0, 0, 'c', 'b'};

std::string typestr_of(DLDataType raw) {
  const bool whole = raw.lanes == 1 && raw.bits % 8 == 0;
  const char letter = raw.code < letters.size() ? letters[raw.code] : '\0';
  if (!whole || letter == 0) {
    throw_attribute_error("elements of type " + to_string(dtype(raw)) +
                          " have no typestr, so this array has no __sycl_usm_array_interface__.");
  }
  const int bytes = raw.bits / 8;
  return (bytes == 1 ? "|" : "<") + std::string(1, letter) + std::to_string(bytes);
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
  check_device(self);
  const DLTensor& tensor = tensor_of(self);
  const auto [pointer, offset] = start_of(tensor);
  nb::dict out;
  out["shape"] = nb::handle(array).attr("shape");
  out["typestr"] = typestr_of(tensor.dtype);
  // The published text calls the flag "read-only"; its readers take it for "writable".
  out["data"] = nb::make_tuple(pointer, (flags_of(self) & flag_read_only) == 0);
  out["strides"] = strides_unless_row_major(array, tensor);
  out["offset"] = offset;
  out["syclobj"] = syclobj_of(array, tensor);
  out["version"] = 1;
  return out.release().ptr();
}

}  // namespace anystream::python
