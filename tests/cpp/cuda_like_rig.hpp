// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A CUDA or HIP backend on its recording driver, for tests that are written once for both.
//
// What is expected is written in CUDA's words; for HIP they are put into its own.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <anystream/error.hpp>

#include "backends/backends.hpp"
#include "check.hpp"
#include "cuda_like_recording_driver.hpp"
#include "event.hpp"
#include "order.hpp"
#include "stream.hpp"

namespace cuda_like_rig {

using namespace anystream;
using namespace anystream::core;
using recording::now;
using recording::number;
using lines = std::vector<std::string>;

struct cuda {
  using driver = cuda_driver;
  static constexpr const char* name = "cuda";
  static constexpr const char* title = "CUDA";
  static constexpr device_type type = device_type::cuda;
  static constexpr DLDeviceType kind = kDLCUDA, host_kind = kDLCUDAHost;
  static constexpr bool has_contexts = true;
  static constexpr std::uintptr_t legacy = 1;
  static auto make(const driver& fake) { return cuda_backend_on(fake); }
};

struct hip {
  using driver = hip_driver;
  static constexpr const char* name = "hip";
  static constexpr const char* title = "HIP";
  static constexpr device_type type = device_type::rocm;
  static constexpr DLDeviceType kind = kDLROCM, host_kind = kDLROCMHost;
  static constexpr bool has_contexts = false;
  static constexpr std::uintptr_t legacy = 0;
  static auto make(const driver& fake) { return hip_backend_on(fake); }
};

// "cuEventRecord(e1, s1)" for CUDA, "hipEventRecord(e1, s1)" for HIP.
template <class Side>
std::string words(std::string text) {
  if (Side::has_contexts) return text;
  static const std::pair<std::string, std::string> others[] = {
      {"cuEventCreate(", "hipEventCreateWithFlags("},
      {"cuEventDestroy_v2(", "hipEventDestroy("},
      {"cuCtxSetCurrent(", "hipSetDevice("},
      {"cuCtxSynchronize(", "hipDeviceSynchronize("},
      {"cuMemAllocAsync(", "hipMallocAsync("},
      {"cuMemAlloc_v2(", "hipMalloc("},
      {"cuMemFreeAsync(", "hipFreeAsync("},
      {"cuMemFree_v2(", "hipFree("},
      {"cuMemAllocHost_v2(", "hipHostMalloc("},
      {"cuMemFreeHost(", "hipHostFree("},
      {"cuStreamUpdateCaptureDependencies_v2(", "hipStreamUpdateCaptureDependencies("}};
  for (const auto& [theirs, ours] : others) {
    if (text.starts_with(theirs)) return ours + text.substr(theirs.size());
  }
  return "hip" + text.substr(2);
}

template <class Side>
lines words(const lines& all) {
  lines made;
  for (const std::string& each : all) made.push_back(words<Side>(each));
  return made;
}

inline lines calls_of(recording::kind which) {
  const std::scoped_lock lock(recording::only().mutex);
  lines made;
  for (const recording::call& each : now().calls) {
    if (each.what == which) made.push_back(each.text);
  }
  return made;
}

// What the action has the driver do; the questions before it do not count.
inline lines work_of(const std::function<void()>& action) {
  now().calls.clear();
  action();
  return calls_of(recording::kind::work);
}

inline std::string text_of(const lines& all) {
  std::string text;
  for (const std::string& each : all) text += "\n    " + each;
  return text;
}

template <class Side>
void check_work(const lines& wanted, const std::function<void()>& action,
                const std::source_location& where = std::source_location::current()) {
  const lines got = work_of(action);
  check::equal(text_of(got), text_of(words<Side>(wanted)), Side::name, where);
}

inline bool asks(const std::string& symbol) {
  return std::ranges::any_of(now().calls, [&](const recording::call& each) {
    return each.text.starts_with(symbol + "(");
  });
}

// A backend on a driver; at its end nothing of the driver is left and nothing was misused.
template <class Side>
class bench {
 public:
  bench() = default;
  ~bench() { end(); }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  const backend& engine() const { return *backend_; }
  const core::platform& platform() const { return platform_; }
  typename Side::driver& driver() { return driver_; }

  stream_ref kept(number handle, int device = 0) const {
    static int somebody = 0;
    return make(handle, device, owner(&somebody, [](void*) {}));
  }
  // A mere number, which nothing keeps.
  stream_ref bare(number handle, int device = 0) const { return make(handle, device, {}); }

  // Where a library has made the context of a device current.
  static void make_current(number where) { recording::current_here() = where; }

 private:
  stream_ref make(number handle, int device, owner keep) const {
    return make_stream(platform_, {Side::kind, device}, reinterpret_cast<stream_handle>(handle),
                       std::move(keep));
  }

  void end() {
    empty_event_pool();
    check::equal(text_of(now().misuses), std::string(), Side::name);
    check::that(now().events.empty(), "no event is left");
    check::that(now().memory.empty(), "no memory is left");
    for (const auto& [thread, mode] : now().mode) check::equal(mode, 0, "the mode is put back");
  }

  typename Side::driver driver_ = recording::begin<typename Side::driver>();
  std::unique_ptr<backend> backend_ = Side::make(driver_);
  core::platform platform_{Side::type, Side::name, &find_device(Side::type)->rules, backend_.get()};
};

// In a thread of its own, without a context.
inline void elsewhere(const std::function<void()>& action) { std::thread(action).join(); }

constexpr std::uint64_t a_capture = 71, other_capture = 72;
constexpr number legacy_handle = 0, per_thread = 2;
inline const number context_0 = recording::place_of_device(0);
inline const number context_1 = recording::place_of_device(1);

}  // namespace cuda_like_rig

// Runs a test that is a template for both.
#define ON_BOTH(test) (test<cuda_like_rig::cuda>(), test<cuda_like_rig::hip>())
