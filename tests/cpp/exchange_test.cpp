// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack in and out, in both forms: what an array then is, and one deleter call on every path.
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <anystream/exchange.hpp>

#include "check.hpp"
#include "producer.hpp"

namespace {

using anystream::array;
using anystream::exchange_error;
using anystream::import_dlpack;
using producer::description;
using numbers = std::vector<std::int64_t>;

std::array<float, 12> memory{};

description matrix() { return {.shape = {3, 4}, .strides = {4, 1}, .data = memory.data()}; }

numbers list(anystream::extents values) { return {values.begin(), values.end()}; }

template <class Managed>
array import_made(const description& what, std::atomic<int>& deleted) {
  return import_dlpack(producer::make<Managed>(what, deleted)->get());
}

template <class Managed>
void an_array_is_what_was_described() {
  std::atomic<int> deleted = 0;
  description what = matrix();
  what.strides = {-4, 0};
  what.byte_offset = 32;
  {
    const array a = import_made<Managed>(what, deleted);
    CHECK_EQUAL(a.data(), static_cast<void*>(memory.data()));
    CHECK_EQUAL(a.byte_offset(), 32u);
    CHECK((list(a.shape()) == numbers{3, 4} && list(a.strides()) == numbers{-4, 0}));
    CHECK(a.device() == anystream::device() && a.dtype() == anystream::dtype(kDLFloat, 32));
    CHECK(a.size() == 12 && a.nbytes() == 48 && a.platform() == "host" && !a.stream());
    CHECK(a.memory_kind() == anystream::memory_kind::host);
    CHECK_EQUAL(deleted.load(), 0);
  }
  CHECK_EQUAL(deleted.load(), 1);
}

template <class Managed>
void null_strides_become_row_major() {
  for (const numbers& shape : {numbers{}, {3}, {2, 3}, {0, 3}, {1, 1}}) {
    std::atomic<int> deleted = 0;
    description what = matrix();
    what.shape = shape;
    what.null_strides = true;
    numbers wanted(shape.size());
    anystream::row_major_strides(shape, wanted);
    CHECK(list(import_made<Managed>(what, deleted).strides()) == wanted);
    CHECK_EQUAL(deleted.load(), 1);
  }
}

template <class Managed>
void every_number_of_dimensions_up_to_64() {
  for (std::size_t ndim = 0; ndim <= 65; ++ndim) {
    std::atomic<int> deleted = 0;
    description what = matrix();
    what.shape = numbers(ndim, 1);
    what.strides = numbers(ndim, 7);
    if (ndim <= 64) {
      CHECK_EQUAL(import_made<Managed>(what, deleted).strides().size(), ndim);
    } else {
      CHECK_THROWS(exchange_error, import_made<Managed>(what, deleted));
    }
    CHECK_EQUAL(deleted.load(), 1);
  }
}

// Each is refused, with one deleter call, and nothing is looked at after it.
template <class Managed>
void a_refused_tensor_is_deleted_once() {
  const auto refuse = [](auto change) {
    std::atomic<int> deleted = 0;
    auto* const given = producer::make<Managed>(matrix(), deleted);
    change(*given->get());
    std::string text = CHECK_THROWS(exchange_error, import_dlpack(given->get()));
    CHECK_EQUAL(deleted.load(), 1);
    return text;
  };
  CHECK_EQUAL(refuse([](Managed& m) { m.dl_tensor.ndim = -1; }),
              "an array has 0 to 64 dimensions; got ndim -1.");
  CHECK_EQUAL(refuse([](Managed& m) { m.dl_tensor.shape = nullptr; }),
              "an array with ndim 2 needs a shape; got NULL.");
  CHECK_EQUAL(refuse([](Managed& m) { m.dl_tensor.shape[1] = -4; }),
              "an extent is 0 or more; got the shape (3, -4).");
  CHECK_EQUAL(refuse([](Managed& m) { m.dl_tensor.data = nullptr; }),
              "an array with elements needs data; got NULL for the shape (3, 4).\n  Its library "
              "has not allocated it, or it stands for another array.");
  CHECK_EQUAL(refuse([](Managed& m) { m.dl_tensor.dtype = {kDLFloat6_e2m3fn, 8, 1}; }),
              "an element has at least one bit and one lane, and the width of its type; got "
              "float6_e2m3fn_bits8 (code 15, bits 8, lanes 1).");
  refuse([](Managed& m) { m.dl_tensor.dtype = {kDLFloat4_e2m1fn, 8, 1}; });
  refuse([](Managed& m) { m.dl_tensor.dtype = {kDLFloat, 0, 1}; });
  refuse([](Managed& m) { m.dl_tensor.dtype = {kDLFloat, 32, 0}; });
  refuse([](Managed& m) { m.dl_tensor.shape[0] = INT64_MAX; });
  refuse([](Managed& m) { m.dl_tensor.strides[0] = INT64_MIN; });
  refuse([](Managed& m) { m.dl_tensor.byte_offset = UINT64_MAX; });
}

template <class Managed>
void no_data_is_right_without_elements() {
  for (const numbers& shape : {numbers{0}, {3, 0}, {0, INT64_MAX}}) {
    for (void* data : {static_cast<void*>(nullptr), static_cast<void*>(memory.data())}) {
      std::atomic<int> deleted = 0;
      description what = matrix();
      what.shape = shape;
      what.strides = numbers(shape.size(), 5);
      what.data = data;
      CHECK_EQUAL(import_made<Managed>(what, deleted).size(), 0);
      CHECK_EQUAL(deleted.load(), 1);
    }
  }
}

template <class Managed>
void no_deleter_is_not_called() {
  std::atomic<int> deleted = 0;
  description what = matrix();
  what.null_deleter = true;
  const std::unique_ptr<producer::made<Managed>> good(producer::make<Managed>(what, deleted));
  CHECK_EQUAL(import_dlpack(good->get()).size(), 12);
  what.data = nullptr;
  const std::unique_ptr<producer::made<Managed>> bad(producer::make<Managed>(what, deleted));
  CHECK_THROWS(exchange_error, import_dlpack(bad->get()));
  CHECK_EQUAL(deleted.load(), 0);
}

// A -> array -> B: dropped in each order, B's deleter also on a thread of its own.
template <class Managed, class Export>
void an_export_keeps_the_memory(Export make_export) {
  for (const bool array_first : {true, false}) {
    std::atomic<int> deleted = 0;
    array a = import_made<Managed>(matrix(), deleted);
    auto first = make_export(a);
    auto second = make_export(a);
    CHECK_EQUAL(first->dl_tensor.data, static_cast<void*>(memory.data()));
    CHECK(list({first->dl_tensor.strides, 2}) == list(a.strides()));
    if (array_first) a = array::empty({}, {}, {});
    first.reset();
    CHECK_EQUAL(deleted.load(), 0);
    std::thread([&] { second.reset(); }).join();
    CHECK_EQUAL(deleted.load(), array_first ? 1 : 0);
    if (!array_first) a = array::empty({}, {}, {});
    CHECK_EQUAL(deleted.load(), 1);
  }
}

void an_export_can_be_imported_again() {
  std::atomic<int> deleted = 0;
  {
    array a = import_made<DLManagedTensorVersioned>(matrix(), deleted);
    array b = import_dlpack(anystream::export_dlpack_versioned(a));
    a = b;
    const array c = import_dlpack(anystream::export_dlpack(a));
    CHECK(c.data() == memory.data() && deleted == 0);
  }
  CHECK_EQUAL(deleted.load(), 1);
}

void flags_travel() {
  std::atomic<int> deleted = 0;
  description what = matrix();
  what.flags = anystream::flag_read_only | anystream::flag_is_copied | (1u << 20);
  const array a = import_made<DLManagedTensorVersioned>(what, deleted);
  CHECK(a.read_only() && a.flags() == what.flags);
  const auto out = anystream::export_dlpack_versioned(a);
  CHECK_EQUAL(out->flags, anystream::flag_read_only | (1u << 20));
  CHECK(out->version.major == 1 && out->version.minor == DLPACK_MINOR_VERSION);
  CHECK_MESSAGE(exchange_error,
                "an unversioned DLPack capsule cannot say that an array is read-only.\n  Ask for "
                "a versioned one: max_version=(1, 0) or later.",
                anystream::export_dlpack(a));
}

void another_major_version_is_refused() {
  std::atomic<int> deleted = 0;
  description what = matrix();
  what.version = {2, 0};
  what.data = nullptr;  // not to be looked at
  CHECK_MESSAGE(exchange_error,
                "anystream takes DLPack 1; got a capsule of version 2.0.\n  Ask its producer for "
                "max_version=(1, 0).",
                import_made<DLManagedTensorVersioned>(what, deleted));
  CHECK_EQUAL(deleted.load(), 1);
  what = matrix();
  what.version = {1, 99};
  CHECK_EQUAL(import_made<DLManagedTensorVersioned>(what, deleted).size(), 12);
}

void unknown_devices_and_types_are_carried() {
  std::atomic<int> deleted = 0;
  description what = matrix();
  what.device = {static_cast<DLDeviceType>(77), 5};
  what.dtype = {40, 7, 3};
  const array a = import_made<DLManagedTensorVersioned>(what, deleted);
  CHECK(a.platform().empty() && a.memory_kind() == anystream::memory_kind::unknown);
  const auto out = anystream::export_dlpack_versioned(a);
  CHECK_EQUAL(static_cast<int>(out->dl_tensor.device.device_type), 77);
  CHECK(out->dl_tensor.device.device_id == 5 && out->dl_tensor.dtype.code == 40);
}

void wrapped_memory_lives_as_long_as_its_array() {
  int released = 0;
  const anystream_owner owner = {&released, [](void* context) { ++*static_cast<int*>(context); }};
  numbers shape = {3, 4};
  DLTensor tensor = {memory.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
  {
    const array a = array::wrap(tensor, anystream::flag_read_only, owner);
    shape = {-1, -1};
    CHECK((list(a.shape()) == numbers{3, 4} && list(a.strides()) == numbers{4, 1}));
    CHECK(a.read_only() && released == 0);
  }
  CHECK_EQUAL(released, 1);
  CHECK_THROWS(exchange_error, array::wrap(tensor, 0, owner));
  CHECK_EQUAL(released, 2);
  CHECK_THROWS(anystream::value_error, array::wrap(tensor, 0, owner, "nowhere"));
  CHECK_EQUAL(released, 3);
}

template <class Managed>
void both_forms() {
  an_array_is_what_was_described<Managed>();
  null_strides_become_row_major<Managed>();
  every_number_of_dimensions_up_to_64<Managed>();
  a_refused_tensor_is_deleted_once<Managed>();
  no_data_is_right_without_elements<Managed>();
  no_deleter_is_not_called<Managed>();
  an_export_keeps_the_memory<Managed>([](const array& a) { return anystream::export_dlpack(a); });
  an_export_keeps_the_memory<Managed>(
      [](const array& a) { return anystream::export_dlpack_versioned(a); });
  CHECK_MESSAGE(anystream::value_error, "a managed tensor is needed; got NULL.",
                import_dlpack(static_cast<Managed*>(nullptr)));
}

}  // namespace

int main() {
  both_forms<DLManagedTensor>();
  both_forms<DLManagedTensorVersioned>();
  an_export_can_be_imported_again();
  flags_travel();
  another_major_version_is_refused();
  unknown_devices_and_types_are_carried();
  wrapped_memory_lives_as_long_as_its_array();
  return check::result();
}
