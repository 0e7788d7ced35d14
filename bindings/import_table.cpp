// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays whose class has DLPack's C exchange API (dlpack.h, DLPackExchangeAPI): its managed form,
// since the borrowed one cannot say read-only, and points at a layout that may be changed.
#include <anystream/dtype.hpp>

#include "array_type.hpp"
#include "capsule.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "exchange_lookup.hpp"
#include "routes.hpp"
#include "stream_class.hpp"
#include "type_name.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

using versioned_tensor = managed_tensor<DLManagedTensorVersioned>;

versioned_tensor exported(PyObject* x, const route& how) {
  DLManagedTensorVersioned* managed = nullptr;
  const int status = how.table->managed_tensor_from_py_object_no_sync(x, &managed);
  if (status == 0 && managed != nullptr) return versioned_tensor(managed);
  if (how.planned) throw_table_failure(Py_TYPE(x), "tensor");
  // Before anybody planned: the planner may know better why, and comes here again if it does not.
  pass_over_error();
  return nullptr;
}

// Where memory begins on systems that have more of it than 32 bits can address: what is said to be
// below may be an offset into memory that is gone, so its library is asked which offset it has.
constexpr std::uintptr_t usual_address = std::uintptr_t{1} << 40;

bool is_offset_of_nothing(PyObject* x, const route& how, const DLTensor& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
  if (address >= usual_address || how.offset == nullptr) return false;
  const nb::object offset = nb::steal(PyObject_CallMethodNoArgs(x, how.offset));
  if (!offset.is_valid()) throw nb::python_error();
  const auto itemsize = static_cast<std::uint64_t>(dtype(tensor.dtype).itemsize());
  return address == nb::cast<std::uint64_t>(offset) * itemsize;
}

// What a table exports is not ordered: an array elsewhere is the planner's, and is exported once.
bool is_on_host(PyObject* x) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_device__");
  const nb::object pair = nb::steal(PyObject_CallMethodNoArgs(x, name));
  if (!pair.is_valid()) return pass_over_error(), false;
  if (!PyTuple_CheckExact(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2) return false;
  const long type = PyLong_AsLong(PyTuple_GET_ITEM(pair.ptr(), 0));
  pass_over_error();
  return type == kDLCPU;
}

[[noreturn]] void refuse_place(PyObject* x, DLDevice found) {
  throw exchange_error("__dlpack_device__ of this " + type_name(Py_TYPE(x)) +
                       " array says cpu, its capsule " + device_text(found) +
                       ".\n  That is a fault of its library.");
}

bool is_true(PyObject* x, const forbidden& property) {
  const nb::object value = nb::steal(property.get != nullptr ? property.get(x, property.closure)
                                                             : property.call(x, nullptr));
  if (!value.is_valid()) throw nb::python_error();
  if (property.among == nullptr) return value.ptr() != Py_False;
  const int found = PySet_Contains(property.among, value.ptr());
  if (found < 0) throw nb::python_error();
  return found != 0;
}

bool is_forbidden(PyObject* x, const route& how, const DLManagedTensorVersioned& managed) {
  const DLDataType type = managed.dl_tensor.dtype;
  const bool is_complex = type.code == kDLComplex;
  const bool is_byte = type.bits == 8 && (type.code == kDLInt || type.code == kDLUInt);
  for (std::size_t i = 0; i < how.forbidden_count; ++i) {
    const forbidden& property = how.forbids[i];
    if ((property.of_complex && !is_complex) || (property.of_bytes && !is_byte)) continue;
    const native_question& native = property.native;
    if (native.ask != nullptr ? native.is_true_of(managed) : is_true(x, property)) return true;
  }
  return false;
}

}  // namespace

PyObject* take_by_table(PyObject* x, const route& how) {
  if (how.asks_device && !is_on_host(x)) return nullptr;
  versioned_tensor managed = exported(x, how);
  if (managed == nullptr) return nullptr;
  check_version(*managed);
  const DLTensor& tensor = managed->dl_tensor;
  if (tensor.device.device_type != kDLCPU) {
    // Who said that it is here is not asked to export it once more.
    if (how.asks_device || how.planned) refuse_place(x, tensor.device);
    return nullptr;
  }
  if (is_offset_of_nothing(x, how, tensor)) return nullptr;
  if (is_forbidden(x, how, *managed)) return nullptr;
  const std::uint64_t flags = flags_in(*managed) | (how.immutable ? flag_read_only : 0);
  return new_array_of(std::move(managed), flags, how.plan);
}

}  // namespace anystream::python
