// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver: kinds of memory, stream-ordered memory, copies, late writes.
#include <array>
#include <cstdlib>
#include <cstring>

#include "cuda_rig.hpp"

namespace {

template <class T>
T attribute(int which, CUdeviceptr pointer) {
  T value{};
  CHECK_EQUAL(cuPointerGetAttribute(&value, which, pointer), doubles::ok);
  return value;
}

struct facts {
  unsigned type, managed;
  int device;
};

facts facts_of(CUdeviceptr pointer) {
  facts found{99, 99, 99};
  std::array<int, 3> which{2, 8, 9};
  std::array<void*, 3> data{&found.type, &found.managed, &found.device};
  CHECK_EQUAL(cuPointerGetAttributes(3, which.data(), data.data(), pointer), doubles::ok);
  return found;
}

void check_facts(CUdeviceptr pointer, unsigned type, unsigned managed, int device) {
  const facts found = facts_of(pointer);
  CHECK_EQUAL(found.type, type);
  CHECK_EQUAL(found.managed, managed);
  CHECK_EQUAL(found.device, device);
}

void kinds_of_memory_are_told_apart() {
  rig::fresh();
  CHECK_EQUAL(cuDevicePrimaryCtxRetain(&rig::context, 1), doubles::ok);
  CHECK_EQUAL(cuCtxSetCurrent(rig::context), doubles::ok);
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  int plain = 0;
  CHECK_EQUAL(cuMemHostAlloc(&pinned, 64, 1), doubles::ok);
  CHECK_EQUAL(cuMemAllocManaged(&managed, 64, 1), doubles::ok);
  check_facts(rig::device_bytes() + 63, 2, 0, 1);
  check_facts(reinterpret_cast<CUdeviceptr>(pinned), 1, 0, 1);
  check_facts(managed, 2, 1, 1);
  check_facts(reinterpret_cast<CUdeviceptr>(&plain), 0, 0, -2);
  unsigned type = 0;
  CHECK_EQUAL(cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr>(&plain)),
              doubles::invalid_value);
  CHECK_EQUAL(attribute<CUcontext>(1, managed), rig::context);
  CHECK_EQUAL(attribute<CUdeviceptr>(4, managed), managed);
  CHECK(attribute<unsigned long long>(7, managed) !=
        attribute<unsigned long long>(7, rig::device_bytes()));
}

void host_memory_is_registered() {
  rig::fresh();
  std::array<char, 64> own{};
  const auto address = reinterpret_cast<CUdeviceptr>(own.data());
  CHECK_EQUAL(cuMemHostRegister_v2(own.data(), own.size(), 0), doubles::ok);
  CHECK_EQUAL(cuMemHostRegister_v2(own.data() + 8, 8, 0), doubles::host_memory_already_registered);
  check_facts(address, 1, 0, 0);
  CHECK_EQUAL(cuMemHostUnregister(own.data()), doubles::ok);
  CHECK_EQUAL(cuMemHostUnregister(own.data()), doubles::host_memory_not_registered);
  check_facts(address, 0, 0, -2);
}

CUdeviceptr allocate_in(CUstream stream, std::size_t size = 64) {
  CUdeviceptr pointer = 0;
  CHECK_EQUAL(cuMemAllocAsync(&pointer, size, stream), doubles::ok);
  return pointer;
}

// The same stream's next allocation of the size is that memory at once; another's is not, while
// what freed it is pending.
void freed_memory_is_recycled_in_stream_order() {
  rig::fresh();
  const CUstream stream = rig::make_stream();
  const CUstream other = rig::make_stream();
  const CUdeviceptr first = allocate_in(stream);
  rig::settle();
  double_hold(stream);
  CHECK_EQUAL(cuMemFreeAsync(first, stream), doubles::ok);
  CHECK_EQUAL(cuMemFreeAsync(first, stream), doubles::invalid_value);
  CHECK(allocate_in(other) != first);
  CHECK_EQUAL(allocate_in(stream), first);
  CHECK_EQUAL(rig::byte_at(first), 0xA5);  // the fills are pending
  double_step(stream, 1);
  rig::settle();
  CHECK_EQUAL(rig::byte_at(first), 0xDD);
  double_release(stream);
  CHECK_EQUAL(cuStreamSynchronize(stream), doubles::ok);
  CHECK_EQUAL(rig::byte_at(first), 0xA5);
}

// What a consumer on another stream reads after the producer freed too early.
void a_late_reader_meets_new_data() {
  rig::fresh();
  const CUstream producer = rig::make_stream();
  const CUstream consumer = rig::make_stream();
  const CUdeviceptr copy = rig::device_bytes();
  const CUdeviceptr lent = allocate_in(producer);
  CHECK_EQUAL(cuMemsetD8Async(lent, 7, 64, producer), doubles::ok);
  CHECK_EQUAL(cuStreamSynchronize(producer), doubles::ok);
  double_hold(consumer);
  CHECK_EQUAL(cuMemcpyAsync(copy, lent, 64, consumer), doubles::ok);
  CHECK_EQUAL(cuMemFreeAsync(lent, producer), doubles::ok);
  CHECK_EQUAL(allocate_in(producer), lent);
  CHECK_EQUAL(cuMemsetD8Async(lent, 9, 64, producer), doubles::ok);
  CHECK_EQUAL(cuStreamSynchronize(producer), doubles::ok);
  double_release(consumer);
  CHECK_EQUAL(cuStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(rig::byte_at(copy), 9);
}

void a_late_writer_is_found() {
  rig::fresh();
  const CUstream stream = rig::make_stream();
  const CUdeviceptr lent = allocate_in(stream);
  CHECK_EQUAL(cuMemFreeAsync(lent, stream), doubles::ok);
  CHECK_EQUAL(cuStreamSynchronize(stream), doubles::ok);
  CHECK_EQUAL(double_written_after_free(), 0ULL);
  *reinterpret_cast<unsigned char*>(lent + 5) = 1;
  CHECK_EQUAL(double_written_after_free(), 1ULL);
  CHECK_EQUAL(allocate_in(stream), lent);
  CHECK_EQUAL(cuStreamSynchronize(stream), doubles::ok);
  CHECK_EQUAL(double_written_after_free(), 1ULL);
}

// cuMemFree of a real driver waits for the work; here the memory waits for it.
void memory_is_freed_after_what_uses_it() {
  rig::fresh();
  const rig::held producer;
  CHECK_EQUAL(cuMemFree_v2(producer.bytes), doubles::ok);
  CHECK_EQUAL(double_live("allocations"), 0);
  CHECK(rig::device_bytes() != producer.bytes);
  CHECK_EQUAL(rig::byte_at(producer.bytes), 0xA5);
  double_release_all();
  rig::settle();
  CHECK_EQUAL(rig::byte_at(producer.bytes), 0xDD);
  CHECK_EQUAL(cuMemcpyAsync(producer.bytes, producer.bytes, 8, nullptr), doubles::invalid_value);
  CHECK_EQUAL(rig::device_bytes(), producer.bytes);
}

// Memory that the driver does not know: read at once, written before the call is back.
void pageable_memory_is_copied_as_a_driver_does() {
  rig::fresh();
  const rig::held producer;
  std::array<unsigned char, 64> plain{};
  plain.fill(3);
  const CUdeviceptr other = rig::device_bytes();
  CHECK_EQUAL(cuMemcpyHtoDAsync_v2(other, plain.data(), plain.size(), producer.stream),
              doubles::ok);
  plain.fill(4);
  double_release_on_wait(1);
  CHECK_EQUAL(cuMemcpyDtoHAsync_v2(plain.data(), producer.bytes, 64, producer.stream), doubles::ok);
  CHECK_EQUAL(int{plain[0]}, 7);
  CHECK_EQUAL(rig::byte_at(other), 3);
}

void pinned_memory_is_copied_later() {
  rig::fresh();
  const rig::held producer;
  void* pinned = nullptr;
  CHECK_EQUAL(cuMemAllocHost_v2(&pinned, 64), doubles::ok);
  CHECK_EQUAL(cuMemcpyDtoHAsync_v2(pinned, producer.bytes, 64, producer.stream), doubles::ok);
  rig::settle();
  CHECK_EQUAL(rig::byte_at(reinterpret_cast<CUdeviceptr>(pinned)), 0xA5);
  double_release_all();
  CHECK_EQUAL(cuCtxSynchronize(), doubles::ok);
  CHECK_EQUAL(rig::byte_at(reinterpret_cast<CUdeviceptr>(pinned)), 7);
}

void copies_stay_inside() {
  rig::fresh();
  const CUdeviceptr from = rig::device_bytes();
  const CUdeviceptr to = rig::device_bytes();
  CHECK_EQUAL(cuMemcpyDtoD_v2(to, from + 1, 64), doubles::invalid_value);
  CHECK_EQUAL(cuMemsetD8_v2(to + 60, 0, 5), doubles::invalid_value);
  CHECK_EQUAL(cuMemsetD32_v2(to + 2, 0, 1), doubles::invalid_value);
  CHECK_EQUAL(cuMemcpyHtoD_v2(to, reinterpret_cast<void*>(from), 8), doubles::invalid_value);
  CHECK_EQUAL(cuMemcpyHtoD_v2(to, reinterpret_cast<void*>(16), 8), doubles::invalid_value);
  CHECK_EQUAL(cuMemAlloc_v2(nullptr, 8), doubles::invalid_value);
  CUdeviceptr none = 0;
  CHECK_EQUAL(cuMemAlloc_v2(&none, 0), doubles::invalid_value);
  CHECK_EQUAL(cuMemAlloc_v2(&none, std::size_t{1} << 50), doubles::out_of_memory);
}

void rows_are_copied_and_filled() {
  rig::fresh();
  CUdeviceptr padded = 0;
  std::size_t pitch = 0;
  CHECK_EQUAL(cuMemAllocPitch_v2(&padded, &pitch, 3, 2, 4), doubles::ok);
  CHECK_EQUAL(cuMemsetD2D8_v2(padded, pitch, 1, 3, 2), doubles::ok);
  std::array<unsigned char, 6> dense{};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = 2;
  copy.srcDevice = padded;
  copy.srcPitch = pitch;
  copy.dstMemoryType = 1;
  copy.dstHost = dense.data();
  copy.dstPitch = 3;
  copy.WidthInBytes = 3;
  copy.Height = 2;
  CHECK_EQUAL(cuMemcpy2D_v2(&copy), doubles::ok);
  for (const unsigned char each : dense) CHECK_EQUAL(int{each}, 1);
  CHECK_EQUAL(rig::byte_at(padded + 3), 0xA5);
}

void pools_give_memory_of_their_kind() {
  rig::fresh();
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties{};
  properties.allocType = 1;
  properties.location = {2, 0};  // the host
  CHECK_EQUAL(cuMemPoolCreate(&pool, &properties), doubles::ok);
  CHECK_EQUAL(double_live("pools"), 1);
  CUdeviceptr pointer = 0;
  const CUstream stream = rig::make_stream();
  CHECK_EQUAL(cuMemAllocFromPoolAsync(&pointer, 64, pool, stream), doubles::ok);
  check_facts(pointer, 1, 0, 0);
  CHECK_EQUAL(attribute<CUmemoryPool>(17, pointer), pool);
  unsigned long long used = 0;
  CHECK_EQUAL(cuMemPoolGetAttribute(pool, 7, &used), doubles::ok);
  CHECK_EQUAL(used, 64ULL);
  CHECK_EQUAL(cuMemPoolDestroy(pool), doubles::ok);
  CHECK_EQUAL(cuMemPoolDestroy(pool), doubles::invalid_value);
  CHECK_EQUAL(cuMemFreeAsync(pointer, stream), doubles::ok);
}

}  // namespace

int main() {
  kinds_of_memory_are_told_apart();
  host_memory_is_registered();
  freed_memory_is_recycled_in_stream_order();
  a_late_reader_meets_new_data();
  a_late_writer_is_found();
  memory_is_freed_after_what_uses_it();
  pageable_memory_is_copied_as_a_driver_does();
  pinned_memory_is_copied_later();
  copies_stay_inside();
  rows_are_copied_and_filled();
  pools_give_memory_of_their_kind();
  double_reset();
  return check::result();
}
