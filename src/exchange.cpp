// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Import and export of both forms of managed tensor, and the checks of what comes in.
#include "exchange.hpp"

#include <memory>
#include <string>

#include <anystream/device.hpp>
#include <anystream/error.hpp>
#include <anystream/tensor_check.hpp>

#include "foreign_thread.hpp"

#include "release.hpp"

namespace anystream::core {
namespace {

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

// One that tells the array when its consumer's use, on a stream, has ended.
template <class Managed>
struct lent : exported<Managed> {
  ~lent() {
    if (has_end(*this->keep, use)) end_loan(*this->keep, use);
  }
  loan use;
};

template <class Managed>
void let_go(exported<Managed>* last) {
  delete last;
}

// Its end has an event recorded.
template <class Managed>
void let_go(lent<Managed>* last) {
  const auto end = [](void* context) { delete static_cast<lent<Managed>*>(context); };
  if (!has_end(*last->keep, last->use) || !leave_to_release_thread(last, end, 0)) delete last;
}

// manager_ctx is the Export itself.
template <class Export>
std::unique_ptr<Export> make_export(array& array) {
  if (array.engine() != nullptr) array.engine()->check_export(array.tensor, array.stream_handle());
  auto made = std::make_unique<Export>();
  made->keep = array_ref::keep(&array);
  made->managed.dl_tensor = array.tensor;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](auto* self) { let_go(static_cast<Export*>(self->manager_ctx)); };
  return made;
}

void set_version(DLManagedTensor&, const array&) noexcept {}
void set_version(DLManagedTensorVersioned& managed, const array& array) noexcept {
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = array.flags & ~flag_is_copied;
}

template <class Managed>
Managed* give_export(array& array) {
  auto made = make_export<exported<Managed>>(array);
  set_version(made->managed, array);
  return &made.release()->managed;
}

template <class Managed>
Managed* give_loan(array& array, stream* user) {
  auto made = make_export<lent<Managed>>(array);
  set_version(made->managed, array);
  made->use = begin_loan(array, user);
  return &made.release()->managed;
}

void refuse_lost_flags(std::uint64_t flags) {
  if ((flags & (flag_read_only | flag_subbyte_padded)) == 0) return;
  const char* what = (flags & flag_read_only) != 0 ? "read-only" : "padded";
  throw exchange_error("an unversioned DLPack capsule cannot say that an array is " +
                       std::string(what) +
                       ".\n  Ask for a versioned one: max_version=(1, 0) or later.");
}

}  // namespace

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
  return give_export<DLManagedTensor>(array);
}

DLManagedTensorVersioned* export_versioned(array& array) {
  return give_export<DLManagedTensorVersioned>(array);
}

DLManagedTensor* lend_managed(array& array, stream* user) {
  refuse_lost_flags(array.flags);
  return give_loan<DLManagedTensor>(array, user);
}

DLManagedTensorVersioned* lend_versioned(array& array, stream* user) {
  return give_loan<DLManagedTensorVersioned>(array, user);
}

}  // namespace anystream::core
