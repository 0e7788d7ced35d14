// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What an Array says of its memory in the protocols that are older than DLPack: the buffer
// protocol and the `…_array_interface__` dicts. Each holds on the devices where what it says is
// true, and is absent on all others.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include <anystream/device.hpp>
#include <anystream/dtype.hpp>
#include <anystream/layout.hpp>

#include "array_type.hpp"

namespace anystream::python {

// How an element type is written in these protocols.
struct dtype_spelling {
  std::uint8_t code;
  std::uint8_t bits;
  const char* format;  // PEP 3118, in the machine's own order and alignment
  char letter;         // of typestr; its width follows in bytes
};

// Null for a type that they cannot say, such as bfloat16, packed elements or several lanes.
const dtype_spelling* find_spelling(DLDataType type) noexcept;

// "<f4", "|b1". Throws AttributeError, which names the type, for one that has none.
std::string typestr_of(DLDataType type, const char* protocol);

// The row of the array's device type; null for one that the table does not know.
inline const device_info* device_row(const array_object& self) noexcept {
  return find_device(tensor_of(self).device.device_type);
}

// Throws AttributeError: "only … has …; this is a kDLCPU array".
[[noreturn]] void throw_no_interface(const array_object& self, const char* who,
                                     const char* protocol);

// Of element (0, …, 0), on device types whose `data` is an address; 0 where there is no memory.
inline std::uintptr_t address_of(const DLTensor& tensor) noexcept {
  if (tensor.data == nullptr) return 0;
  return reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
}

// A step in bytes. One that does not fit belongs to an axis of extent 0 or 1, and means nothing.
inline std::int64_t byte_step(std::int64_t stride, std::int64_t itemsize) noexcept {
  std::int64_t out = 0;
  return detail::multiply_fits(stride, itemsize, out) ? out : itemsize;
}

}  // namespace anystream::python
