// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: where memory comes from, what frees it, and of which kind the driver says it is.
#include "cuda_like_rig.hpp"
#include "deferred.hpp"

namespace {

using namespace cuda_like_rig;

template <class Side>
constexpr DLDevice device_0{Side::kind, 0};
template <class Side>
constexpr DLDevice device_1{Side::kind, 1};
template <class Side>
constexpr DLDevice pinned{Side::host_kind, 0};

// Takes memory and gives it back.
template <class Side>
void check_life(const lines& wanted, const bench<Side>& with, DLDevice device, stream_handle on,
                const std::source_location& where = std::source_location::current()) {
  check_work<Side>(
      wanted,
      [&] {
        void* const memory = with.engine().allocate(device, 64, on);
        CHECK(memory != nullptr);
        with.engine().deallocate(device, memory, on);
      },
      where);
}

template <class Side>
void memory_comes_from_the_streams_pool() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  const auto stream = with.kept(recording::make_stream());
  CHECK(with.engine().frees_in_order(device_0<Side>, stream->handle));
  check_life<Side>({"cuMemAllocAsync(64, s1)", "cuMemFreeAsync(m1, s1)"}, with, device_0<Side>,
                   stream->handle);
}

template <class Side>
void without_a_stream_it_is_the_devices() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  CHECK(!with.engine().frees_in_order(device_0<Side>, nullptr));
  check_life<Side>({"cuMemAlloc_v2(64)", "cuMemFree_v2(m1)"}, with, device_0<Side>, nullptr);
  const auto other = with.kept(recording::make_stream(context_1), 1);
  CHECK(!with.engine().frees_in_order(device_0<Side>, other->handle));
  check_life<Side>({"cuMemAlloc_v2(64)", "cuMemFree_v2(m2)"}, with, device_0<Side>, other->handle);
}

template <class Side>
void the_right_device_is_made_current() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  lines wanted = {"cuCtxSetCurrent(c2)", "cuMemAlloc_v2(64)", "cuCtxSetCurrent(c1)",
                  "cuCtxSetCurrent(c2)", "cuMemFree_v2(m1)",  "cuCtxSetCurrent(c1)"};
  if (Side::has_contexts) wanted.insert(wanted.begin(), "cuDevicePrimaryCtxRetain(1)");
  check_life<Side>(wanted, with, device_1<Side>, nullptr);
}

template <class Side>
void a_device_without_pools_is_found_out_once() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  now().has_pools = false;
  const auto stream = with.kept(recording::make_stream());
  check_life<Side>({"cuMemAllocAsync(64, s1)", "cuMemAlloc_v2(64)", "cuMemFree_v2(m1)"}, with,
                   device_0<Side>, stream->handle);
  CHECK(!with.engine().frees_in_order(device_0<Side>, stream->handle));
  check_life<Side>({"cuMemAlloc_v2(64)", "cuMemFree_v2(m2)"}, with, device_0<Side>, stream->handle);
}

template <class Side>
void a_driver_without_pools_is_not_asked() {
  bench<Side> with;
  with.make_current(context_0);
  with.driver().free_async = nullptr;
  const auto stream = with.kept(recording::make_stream());
  check_life<Side>({"cuMemAlloc_v2(64)", "cuMemFree_v2(m1)"}, with, device_0<Side>, stream->handle);
}

// Into a stream that may be gone by then, or that is one thread's, nothing is put.
template <class Side>
void what_cannot_be_freed_in_order_is_not_said_to_be() {
  bench<Side> with;
  with.make_current(context_0);
  const auto bare = with.bare(recording::make_stream()), own = with.bare(per_thread);
  const auto legacy = with.bare(Side::legacy);
  CHECK(!with.engine().frees_in_order(device_0<Side>, bare->handle));
  CHECK(!with.engine().frees_in_order(device_0<Side>, own->handle));
  CHECK(with.engine().frees_in_order(device_0<Side>, legacy->handle));
  CHECK(!with.engine().frees_in_order(pinned<Side>, legacy->handle));
  check_life<Side>({"cuMemAllocAsync(64, s1)", "cuMemFree_v2(m1)"}, with, device_0<Side>,
                   bare->handle);
  void* const memory = with.engine().allocate(device_0<Side>, 64, own->handle);
  elsewhere([&] {
    with.make_current(context_0);
    check_work<Side>({"cuMemFree_v2(m2)"},
                     [&] { with.engine().deallocate(device_0<Side>, memory, own->handle); });
  });
}

template <class Side>
void pinned_memory_has_functions_of_its_own() {
  bench<Side> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  check_life<Side>({"cuMemAllocHost_v2(64)", "cuMemFreeHost(m1)"}, with, pinned<Side>, nullptr);
  const auto stream = with.kept(recording::make_stream());
  check_life<Side>({"cuMemAllocHost_v2(64)", "cuMemFreeHost(m2)"}, with, pinned<Side>,
                   stream->handle);
}

void managed_memory_is_freed_like_a_devices() {
  bench<cuda> with;  // NOLINT(misc-const-correctness): of one side it is not
  with.make_current(context_0);
  check_life<cuda>({"cuMemAllocManaged(64)", "cuMemFree_v2(m1)"}, with, {kDLCUDAManaged, 0},
                   nullptr);
}

template <class Side>
void memory_is_what_the_driver_says() {
  const bench<Side> with;
  int device = 0, host = 0, managed = 0, unknown = 0;
  now().pointers = {{&device, {2, 0, 1}}, {&host, {1, 0, 0}}, {&managed, {1, 1, 1}}};
  const auto kind = [&](const void* memory) {
    return with.engine().memory_kind(device_0<Side>, memory, nullptr);
  };
  CHECK_EQUAL(kind(&device), ANYSTREAM_MEMORY_DEVICE);
  CHECK_EQUAL(kind(&host), ANYSTREAM_MEMORY_HOST);
  CHECK_EQUAL(kind(&managed), ANYSTREAM_MEMORY_SHARED);
  CHECK_EQUAL(kind(&unknown), ANYSTREAM_MEMORY_UNKNOWN);
  const auto place = [&](const void* memory) {
    const DLDevice found = with.engine().locate({Side::kind, 7}, memory);
    return std::pair(found.device_type, found.device_id);
  };
  const auto managed_kind = Side::has_contexts ? kDLCUDAManaged : kDLROCM;
  CHECK(place(&device) == std::pair(Side::kind, 1));
  CHECK(place(&host) == std::pair(Side::host_kind, 0));
  CHECK(place(&managed) == std::pair(managed_kind, 1));
  CHECK(place(&unknown) == std::pair(Side::kind, 7));
}

template <class Side>
void copies_go_into_the_stream() {
  bench<Side> with;
  with.make_current(context_0);
  const auto stream = with.kept(recording::make_stream(context_1), 1);
  auto* const from = reinterpret_cast<void*>(recording::blocks + 8);
  auto* const to = reinterpret_cast<void*>(recording::blocks + 9);
  check_work<Side>({"cuCtxSetCurrent(c2)", "cuMemcpyAsync(m9, m8, 64, s1)", "cuCtxSetCurrent(c1)"},
                   [&] { with.engine().copy(stream->handle, {to}, {from}, 64); });
  check_work<Side>({}, [&] { with.engine().copy(stream->handle, {to}, {from}, 0); });
}

}  // namespace

int main() {
  use_release_thread(false);
  ON_BOTH(memory_comes_from_the_streams_pool);
  ON_BOTH(without_a_stream_it_is_the_devices);
  ON_BOTH(the_right_device_is_made_current);
  ON_BOTH(a_device_without_pools_is_found_out_once);
  ON_BOTH(a_driver_without_pools_is_not_asked);
  ON_BOTH(what_cannot_be_freed_in_order_is_not_said_to_be);
  ON_BOTH(pinned_memory_has_functions_of_its_own);
  managed_memory_is_freed_like_a_devices();
  ON_BOTH(memory_is_what_the_driver_says);
  ON_BOTH(copies_go_into_the_stream);
  return check::result();
}
