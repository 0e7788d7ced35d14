// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Real SYCL queues for tests, with long work on them: what a program that uses SYCL would bring.
//
// Opens dpctl's C library by itself, from the variable ANYSTREAM_DPCTL_LIBRARY that the build sets
// where it found the package, and knows nothing of anystream.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sycl_lab {

using handle = void*;

// clang-format off
#define SYCL_LAB_FUNCTIONS(X)                                                                     \
  X(handle, DPCTLDeviceMgr_GetDevices, (int))                                                     \
  X(std::size_t, DPCTLDeviceVector_Size, (handle))                                                \
  X(handle, DPCTLDeviceVector_GetAt, (handle, std::size_t))                                       \
  X(void, DPCTLDeviceVector_Delete, (handle))                                                     \
  X(handle, DPCTLDeviceMgr_GetCachedContext, (handle))                                            \
  X(handle, DPCTLContext_Create, (handle, void (*)(int), int))                                    \
  X(void, DPCTLContext_Delete, (handle))                                                          \
  X(handle, DPCTLQueue_Create, (handle, handle, void (*)(int), int))                              \
  X(void, DPCTLQueue_Wait, (handle))                                                              \
  X(void, DPCTLQueue_Delete, (handle))                                                            \
  X(handle, DPCTLQueue_GetContext, (handle))                                                      \
  X(handle, DPCTLQueue_GetDevice, (handle))                                                       \
  X(handle, DPCTLQueue_Memcpy, (handle, void*, const void*, std::size_t))                         \
  X(handle, DPCTLQueue_SubmitBarrier, (handle))                                                   \
  X(handle, DPCTLQueue_SubmitBarrierForEvents, (handle, const handle*, std::size_t))              \
  X(handle, DPCTLQueue_SubmitNDRange,                                                             \
    (handle, handle, void**, const int*, std::size_t, const std::size_t*, const std::size_t*,     \
     std::size_t, const handle*, std::size_t))                                                    \
  X(int, DPCTLEvent_GetCommandExecutionStatus, (handle))                                          \
  X(void, DPCTLEvent_Wait, (handle))                                                              \
  X(void, DPCTLEvent_Delete, (handle))                                                            \
  X(handle, DPCTLKernelBundle_CreateFromOCLSource, (handle, handle, const char*, const char*))    \
  X(handle, DPCTLKernelBundle_GetKernel, (handle, const char*))                                   \
  X(void, DPCTLKernelBundle_Delete, (handle))                                                     \
  X(void, DPCTLKernel_Delete, (handle))                                                           \
  X(void*, DPCTLmalloc_device, (std::size_t, handle))                                             \
  X(void*, DPCTLmalloc_shared, (std::size_t, handle))                                             \
  X(void*, DPCTLmalloc_host, (std::size_t, handle))                                               \
  X(void, DPCTLfree_with_queue, (void*, handle))
// clang-format on

struct functions {
#define SYCL_LAB_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
  SYCL_LAB_FUNCTIONS(SYCL_LAB_MEMBER)
#undef SYCL_LAB_MEMBER
};

[[noreturn]] inline void skip(const char* reason) {
  std::printf("skipped: %s\n", reason);
  std::exit(77);
}

inline functions load() {
  const char* file = std::getenv("ANYSTREAM_DPCTL_LIBRARY");
  if (!file) skip("dpctl was not found by the Python that the build found");
  // The variable is the build's.
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);  // NOLINT(clang-analyzer-optin.taint*)
  if (!library) skip(dlerror());
  functions all;
#define SYCL_LAB_LOAD(result, name, arguments) \
  all.name = reinterpret_cast<decltype(all.name)>(dlsym(library, #name));
  SYCL_LAB_FUNCTIONS(SYCL_LAB_LOAD)
#undef SYCL_LAB_LOAD
  return all;
}
#undef SYCL_LAB_FUNCTIONS

inline const functions& sycl() {
  static const functions all = load();
  return all;
}

// The first device of all; skips where there is none.
inline handle device() {
  static const handle first = [] {
    const handle all = sycl().DPCTLDeviceMgr_GetDevices(((1 << 6) - 1) | (((1 << 5) - 1) << 16));
    if (sycl().DPCTLDeviceVector_Size(all) == 0) skip("SYCL has no device here");
    const handle kept = sycl().DPCTLDeviceVector_GetAt(all, 0);
    sycl().DPCTLDeviceVector_Delete(all);
    return kept;
  }();
  return first;
}

enum class order { in, out_of };
enum class context { of_platform, of_its_own };

// A queue, with its context; deletes both, by default when its work has ended.
class queue {
 public:
  explicit queue(order how, context where = context::of_platform)
      : queue(how, where == context::of_platform
                       ? sycl().DPCTLDeviceMgr_GetCachedContext(device())
                       : sycl().DPCTLContext_Create(device(), nullptr, 0)) {}
  // In the context of another.
  enum class at_the_end { wait, let_go };
  queue(order how, const queue& beside, at_the_end then = at_the_end::wait)
      : queue(how, sycl().DPCTLQueue_GetContext(beside.queue_)) {
    waits_ = then == at_the_end::wait;
  }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() {
    if (waits_) wait();
    sycl().DPCTLQueue_Delete(queue_);
    sycl().DPCTLContext_Delete(context_);
  }

  handle get() const { return queue_; }
  handle context_of() const { return context_; }
  void wait() const { sycl().DPCTLQueue_Wait(queue_); }

 private:
  queue(order how, handle its_context)
      : context_(its_context),
        queue_(sycl().DPCTLQueue_Create(its_context, device(), nullptr,
                                        how == order::in ? 1 << 1 : 0)) {}

  handle context_;
  handle queue_;
  bool waits_ = true;
};

// USM memory of `count` ints that a queue's context knows.
class memory {
 public:
  using allocator = void* (*)(std::size_t, handle);

  memory(const queue& owner, std::size_t count, allocator allocate = sycl().DPCTLmalloc_shared)
      : owner_(owner),
        count_(count),
        data_(static_cast<int*>(allocate(count * sizeof(int), owner.get()))) {}
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() { sycl().DPCTLfree_with_queue(data_, owner_.get()); }

  int* get() const { return data_; }
  // Of USM shared or host memory, when nothing is pending on it.
  void set(int value) const { std::fill_n(data_, count_, value); }
  std::size_t count_other_than(int value) const {
    return count_ - static_cast<std::size_t>(std::count(data_, data_ + count_, value));
  }

 private:
  const queue& owner_;
  std::size_t count_;
  int* data_;
};

// An event of a command, to be asked without waiting.
class command {
 public:
  explicit command(handle event) : event_(event) {}
  command(command&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  command& operator=(command&&) = delete;
  ~command() {
    if (event_) sycl().DPCTLEvent_Delete(event_);
  }

  handle get() const { return event_; }
  bool complete() const { return sycl().DPCTLEvent_GetCommandExecutionStatus(event_) == 3; }
  void wait() const { sycl().DPCTLEvent_Wait(event_); }

 private:
  handle event_;
};

// A kernel that turns one work-group, and so one core, for a while and then writes a value to each
// of `width` ints.
class slow_writer {
 public:
  static constexpr std::size_t width = 64;

  explicit slow_writer(const queue& owner) {
    static const char* const source =
        "__kernel void slow_write(__global int* out, int value, ulong turns) {"
        "  ulong x = get_global_id(0) + value;"
        "  for (ulong turn = 0; turn < turns; ++turn) x = x * 6364136223846793005UL + 1UL;"
        "  out[get_global_id(0)] = x == 42UL ? value + 1 : value;"
        "}";
    bundle_ =
        sycl().DPCTLKernelBundle_CreateFromOCLSource(owner.context_of(), device(), source, "");
    if (!bundle_) skip("this SYCL device does not build OpenCL C");
    kernel_ = sycl().DPCTLKernelBundle_GetKernel(bundle_, "slow_write");
  }
  slow_writer(const slow_writer&) = delete;
  slow_writer& operator=(const slow_writer&) = delete;
  ~slow_writer() {
    sycl().DPCTLKernel_Delete(kernel_);
    sycl().DPCTLKernelBundle_Delete(bundle_);
  }

  command start(const queue& where, int* out, int value, std::uint64_t turns) const {
    constexpr int int32_argument = 4, uint64_argument = 7, pointer_argument = 10;
    void* arguments[] = {out, &value, &turns};
    const int types[] = {pointer_argument, int32_argument, uint64_argument};
    const std::size_t range[] = {width, 1, 1};
    return command(sycl().DPCTLQueue_SubmitNDRange(kernel_, where.get(), arguments, types, 3, range,
                                                   range, 1, nullptr, 0));
  }

  // The number of turns that take about that long here. `scratch` is written to.
  std::uint64_t turns_of(const queue& where, int* scratch, std::chrono::milliseconds time) const {
    constexpr std::uint64_t probe = 2'000'000;
    start(where, scratch, 0, probe / 10).wait();  // the first launch also builds
    const auto before = std::chrono::steady_clock::now();
    start(where, scratch, 0, probe).wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    const std::chrono::duration<double> wanted = time;
    return static_cast<std::uint64_t>(probe * (wanted / took));
  }

 private:
  handle bundle_ = nullptr;
  handle kernel_ = nullptr;
};

}  // namespace sycl_lab
