// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user passed as `stream`, told apart and read without importing any library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>
#include <anystream/device.hpp>

namespace anystream::python {

// An argument that has been told apart and, where it fits, read.
struct stream_source {
  std::int32_t kind = ANYSTREAM_ARGUMENT_NONE;
  std::int32_t overflow = 0;
  std::int64_t integer = 0;
  std::int64_t version = 0;
  std::uintptr_t handle = 0;
  std::uintptr_t null_means = 1;
  const char* family = nullptr;        // of its row
  const char* capsule_name = nullptr;  // lives as long as owner
  nanobind::object owner;              // what keeps the handle alive
  std::optional<DLDevice> told;        // by __dlpack_stream__: the handle is of that device
  const char* type_text = nullptr;     // how a message names it, where its type says enough …
  std::string value_text;              // … and where its value is said too
  const char* fix = nullptr;           // of what is no stream, where there is more to say than that

  const char* got() const noexcept { return type_text ? type_text : value_text.c_str(); }
  anystream_argument argument(const char* where) const noexcept;
};

// Whether an object is an array of some library, by the methods of its class.
bool is_some_array(PyObject* object);

// The word of a family in the rows of stream classes: "cuda"; "" for none and unknown.
std::string_view word_of(stream_family family) noexcept;

// Platforms whose handles tell their device, and whose users pass on objects that give a capsule.
constexpr bool tells_its_device(stream_family family) noexcept {
  return family == stream_family::sycl || family == stream_family::opencl ||
         family == stream_family::simulated;
}

// Tells an object apart that is not an anystream.Stream. Foreign code is asked for a handle only
// where the object's family is the wanted one, or none is wanted in particular.
struct wanted_stream {
  stream_family family;
  std::string_view word;  // of its classes
};
stream_source read_source(nanobind::handle object, std::optional<wanted_stream> wanted);

}  // namespace anystream::python
