// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The dicts of `__array_interface__` and `__cuda_array_interface__`, both version 3.
#include "array_interfaces.hpp"

#include <bit>

#include "errors.hpp"
#include "export.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

// The letter that readers take for the type of that width without asking its size.
constexpr const char* int64_format = sizeof(long) == 8 ? "l" : "q";
constexpr const char* uint64_format = sizeof(long) == 8 ? "L" : "Q";

constexpr dtype_spelling spellings[] = {
    {kDLInt, 8, "b", 'i'},        {kDLInt, 16, "h", 'i'},
    {kDLInt, 32, "i", 'i'},       {kDLInt, 64, int64_format, 'i'},
    {kDLUInt, 8, "B", 'u'},       {kDLUInt, 16, "H", 'u'},
    {kDLUInt, 32, "I", 'u'},      {kDLUInt, 64, uint64_format, 'u'},
    {kDLFloat, 16, "e", 'f'},     {kDLFloat, 32, "f", 'f'},
    {kDLFloat, 64, "d", 'f'},     {kDLComplex, 64, "Zf", 'c'},
    {kDLComplex, 128, "Zd", 'c'}, {kDLBool, 8, "?", 'b'},
};

[[noreturn]] void throw_attribute_error(const std::string& message) {
  throw nb::attribute_error(message.c_str());
}

nb::object byte_strides_unless_row_major(const DLTensor& tensor) {
  const extents strides = strides_of(tensor);
  if (is_row_major(shape_of(tensor), strides)) return nb::none();
  const std::int64_t itemsize = dtype(tensor.dtype).itemsize();
  nb::list steps;
  for (const std::int64_t stride : strides) steps.append(byte_step(stride, itemsize));
  return nb::tuple(steps);
}

// The keys that both dicts have, with the same meaning.
nb::dict interface_of(PyObject* array, const char* protocol) {
  const array_object& self = as_array(array);
  const DLTensor& tensor = tensor_of(self);
  nb::dict out;
  out["shape"] = nb::handle(array).attr("shape");
  out["typestr"] = typestr_of(tensor.dtype, protocol);
  out["data"] = nb::make_tuple(address_of(tensor), is_read_only(self));
  out["strides"] = byte_strides_unless_row_major(tensor);
  out["version"] = 3;
  return out;
}

bool is_cuda_memory(const array_object& self) noexcept {
  const device_info* row = device_row(self);
  return row != nullptr && row->rules.objects == stream_family::cuda &&
         row->rules.memory != memory_kind::host;
}

// Never 0, which the protocol forbids as ambiguous: a Stream calls the default stream by its name.
nb::object stream_number(PyObject* array) {
  const nb::object stream = nb::handle(array).attr("stream");
  return stream.is_none() ? stream : nb::object(stream.attr("handle"));
}

}  // namespace

const dtype_spelling* find_spelling(DLDataType type) noexcept {
  if (type.lanes != 1) return nullptr;
  for (const dtype_spelling& row : spellings) {
    if (row.code == type.code && row.bits == type.bits) return &row;
  }
  return nullptr;
}

std::string typestr_of(DLDataType type, const char* protocol) {
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  const dtype_spelling* row = find_spelling(type);
  if (row == nullptr) {
    throw_attribute_error("elements of type " + to_string(dtype(type)) +
                          " have no typestr, so this array has no " + protocol +
                          ".\n  Take it by __dlpack__, which carries every type.");
  }
  return (row->bits == 8 ? '|' : native) + std::string(1, row->letter) +
         std::to_string(row->bits / 8);
}

void throw_no_interface(const array_object& self, const char* who, const char* protocol) {
  throw_attribute_error(std::string("only ") + who + " has " + protocol + "; this is " +
                        array_words(tensor_of(self).device, platform_of(self)) + ".");
}

PyObject* array_interface(PyObject* array) {
  constexpr const char* protocol = "__array_interface__";
  if (!is_host(as_array(array))) {
    throw_no_interface(as_array(array), "an array in the host's own memory", protocol);
  }
  return interface_of(array, protocol).release().ptr();
}

PyObject* cuda_array_interface(PyObject* array) {
  constexpr const char* protocol = "__cuda_array_interface__";
  const array_object& self = as_array(array);
  if (!is_cuda_memory(self)) {
    throw_no_interface(self, "an array in CUDA's device or managed memory", protocol);
  }
  nb::dict out = interface_of(array, protocol);
  if (is_empty(shape_of(tensor_of(self)))) out["data"] = nb::make_tuple(0, is_read_only(self));
  out["stream"] = stream_number(array);
  return out.release().ptr();
}

PyObject* array_as_ndarray(PyObject* array, PyObject* given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    const nb::object function = nb::module_::import_("anystream._ndarray").attr("as_ndarray");
    const nb::object arguments = nb::make_tuple(nb::handle(array)) + nb::borrow<nb::tuple>(given);
    PyObject* made = PyObject_Call(function.ptr(), arguments.ptr(), names);
    if (made == nullptr) throw nb::python_error();
    return made;
  });
}

}  // namespace anystream::python
