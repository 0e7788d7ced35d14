// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Import and export of both forms of managed tensor, and the checks of what comes in.
#include "exchange.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

namespace anystream::core {
namespace {

void check_extents(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > max_ndim) {
    throw exchange_error("an array has 0 to " + std::to_string(max_ndim) +
                         " dimensions; got ndim " + std::to_string(tensor.ndim) + ".");
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    throw exchange_error("an array with ndim " + std::to_string(tensor.ndim) +
                         " needs a shape; got NULL.");
  }
  const extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
    throw exchange_error("an extent is 0 or more; got the shape " + to_string(shape) + ".");
  }
}

// dlpack.h leaves the 6- and 4-bit types with another width undefined: a consumer must stop there.
void check_dtype(DLDataType raw) {
  const dtype type(raw);
  const dtype_info* row = find_dtype(type.code);
  const bool narrow = row != nullptr && row->bits != 0 && row->bits < 8;
  if (type.bits != 0 && type.lanes != 0 && (!narrow || row->bits == type.bits)) return;
  throw exchange_error(
      "an element has at least one bit and one lane, and the width of its type; got " +
      to_string(type) + " (code " + std::to_string(type.code) + ", bits " +
      std::to_string(type.bits) + ", lanes " + std::to_string(type.lanes) + ").");
}

std::int64_t check_span(const DLTensor& tensor, std::uint64_t flags) {
  const extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  const dtype type(tensor.dtype);
  const std::int64_t count = element_count(shape);
  if (tensor.strides == nullptr) {
    packed_bytes(count, type, flags);
  } else {
    span_of(shape, {tensor.strides, shape.size()}, type, flags);
  }
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (tensor.byte_offset > largest) {
    throw exchange_error("a byte_offset is counted upwards from data; got " +
                         std::to_string(tensor.byte_offset) + ", which does not fit 63 bits.");
  }
  return count;
}

// Of both managed forms; their deleters differ in type only.
template <class Managed>
owner own(Managed* managed) noexcept {
  return {managed, [](void* context) {
            auto* const self = static_cast<Managed*>(context);
            if (self->deleter != nullptr) self->deleter(self);
          }};
}

array_ref adopt(const DLTensor& tensor, std::uint64_t flags, owner keep) {
  check_tensor(tensor, flags);
  const auto type = static_cast<device_type>(tensor.device.device_type);
  const platform& where = owner_of(type, tensor.data);
  return array_ref::take(array::make(tensor, flags, where, std::move(keep)));
}

void refuse_null(const void* managed) {
  if (managed == nullptr) throw value_error("a managed tensor is needed; got NULL.");
}

// An export: DLPack's struct and the reference that it stands for.
template <class Managed>
struct exported {
  Managed managed;
  array_ref keep;
};

template <class Managed>
std::unique_ptr<exported<Managed>> make_export(array& array) {
  if (array.engine() != nullptr) array.engine()->check_export(array.tensor, array.stream_handle());
  auto made = std::make_unique<exported<Managed>>();
  made->keep = array_ref::keep(&array);
  made->managed.dl_tensor = array.tensor;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* self) {
    delete static_cast<exported<Managed>*>(self->manager_ctx);
  };
  return made;
}

void refuse_lost_flags(std::uint64_t flags) {
  if ((flags & (flag_read_only | flag_subbyte_padded)) == 0) return;
  const char* what = (flags & flag_read_only) != 0 ? "read-only" : "padded";
  throw exchange_error("an unversioned DLPack capsule cannot say that an array is " +
                       std::string(what) +
                       ".\n  Ask for a versioned one: max_version=(1, 0) or later.");
}

}  // namespace

std::int64_t check_layout(const DLTensor& tensor, std::uint64_t flags) {
  check_extents(tensor);
  check_dtype(tensor.dtype);
  return check_span(tensor, flags);
}

void check_tensor(const DLTensor& tensor, std::uint64_t flags) {
  const std::int64_t count = check_layout(tensor, flags);
  if (tensor.data == nullptr && count != 0) {
    const extents shape(tensor.shape, static_cast<std::size_t>(tensor.ndim));
    throw exchange_error("an array with elements needs data; got NULL for the shape " +
                         to_string(shape) +
                         ".\n  Its library has not allocated it, or it stands for another array.");
  }
}

array_ref import_managed(DLManagedTensor* managed) {
  refuse_null(managed);
  return adopt(managed->dl_tensor, 0, own(managed));
}

array_ref import_managed(DLManagedTensorVersioned* managed) {
  refuse_null(managed);
  owner keep = own(managed);
  // Nothing but version, deleter and flags may be looked at where the major version differs.
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    throw exchange_error("anystream takes DLPack 1; got a capsule of version " +
                         std::to_string(managed->version.major) + "." +
                         std::to_string(managed->version.minor) +
                         ".\n  Ask its producer for max_version=(1, 0).");
  }
  return adopt(managed->dl_tensor, managed->flags, std::move(keep));
}

DLManagedTensor* export_managed(array& array) {
  refuse_lost_flags(array.flags);
  return &make_export<DLManagedTensor>(array).release()->managed;
}

DLManagedTensorVersioned* export_versioned(array& array) {
  auto made = make_export<DLManagedTensorVersioned>(array);
  made->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  made->managed.flags = array.flags & ~flag_is_copied;
  return &made.release()->managed;
}

}  // namespace anystream::core
