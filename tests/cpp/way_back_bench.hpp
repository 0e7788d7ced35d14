// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A bench to try the way back on from inside: arrays of a library on a fake driver, whose events
// are pending until told otherwise.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "array.hpp"
#include "backends/sycl.hpp"
#include "check.hpp"
#include "deferred.hpp"
#include "release.hpp"
#include "sycl_fake.hpp"

namespace way_back_bench {

using namespace anystream;
using namespace anystream::core;
using sycl_fake::now;
using calls = std::vector<std::string>;

constexpr DLDevice first_device{kDLOneAPI, 0};
constexpr bool frees_in_order = true;
constexpr bool frees_at_once = false;
constexpr int submitted = 1;  // of an event

inline std::vector<std::string> told;

// What a barrier that waits for an event says that it waits for.
inline std::vector<sycl_fake::object*> kept_back;

// Run in the middle of the next record, as another thread would; once.
inline std::function<void()> meanwhile;
inline std::function<void()> while_asked;  // the same, of an event's state

inline void listen(void*, const char* message) { told.emplace_back(message); }

class bench {
 public:
  bench() {
    told.clear();
    kept_back.clear();
    meanwhile = while_asked = nullptr;
    now().event_status = submitted;
    now().usm_type = sycl_usm_device;  // so that it may be lent
    fake_.DPCTLQueue_SubmitBarrier = [](sycl_queue queue) {
      if (meanwhile) std::exchange(meanwhile, nullptr)();
      auto* const made = sycl_fake::barrier("DPCTLQueue_SubmitBarrier", sycl_fake::name(queue));
      if (!kept_back.empty()) now().next_waits = kept_back;
      return made;
    };
    fake_.DPCTLEvent_GetCommandExecutionStatus = [](sycl_event) {
      const int status = now().event_status;
      if (while_asked) std::exchange(while_asked, nullptr)();
      return status;
    };
  }
  ~bench() {
    now().failing.clear();
    complete_all();
    run_finished_releases();
    home = {};
    consumer = {};
    for (sycl_queue queue : queues_) sycl_fake::destroy(queue);
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  stream_ref stream(bool in_order = true) {
    return make_stream(platform_, first_device,
                       queues_.emplace_back(sycl_fake::make_queue(in_order)), {});
  }
  array_ref make(std::int32_t policy, bool in_order) {
    std::int64_t shape = 4;
    const DLTensor tensor = {&memory_, first_device, 1, {kDLFloat, 32, 1}, &shape, nullptr, 0};
    owner keep(&released, [](void* count) { ++*static_cast<int*>(count); });
    auto made = wrap_memory(tensor, 0, platform_, std::move(keep));
    set_way_back(*made, home.get(), policy, in_order);
    return made;
  }
  static void complete_all() { now().event_status = sycl_event_complete; }

  // The calls on queues: without the look at the device that an export takes.
  static calls calls_of(const std::function<void()>& action) {
    now().calls.clear();
    action();
    std::erase_if(now().calls, [](const std::string& call) {
      return call.starts_with("DPCTLEvent_Delete") || call.starts_with("DPCTLDevice");
    });
    return now().calls;
  }
  static std::string name(const stream_ref& stream) {
    return sycl_fake::name(static_cast<sycl_queue>(stream->handle));
  }
  std::string record(const stream_ref& of) const {
    return "DPCTLQueue_SubmitBarrier(" + name(of) + ")";
  }
  std::string wait(int number) const {
    return "DPCTLQueue_SubmitBarrierForEvents(" + name(home) + ", e" + std::to_string(number) + ")";
  }

  int released = 0;

 private:
  sycl_driver fake_ = sycl_fake::begin();
  sycl_runtime runtime_{fake_};
  platform platform_{device_type::one_api, "sycl", &find_device(device_type::one_api)->rules,
                     &runtime_};
  std::vector<sycl_queue> queues_;
  float memory_[4] = {};

 public:
  stream_ref home = stream();
  stream_ref consumer = stream();
};

inline void check_calls(const calls& got, const calls& wanted, const char* what) {
  std::string one, other;
  for (const auto& call : got) one += call + "; ";
  for (const auto& call : wanted) other += call + "; ";
  check::equal(one, other, what);
}

}  // namespace way_back_bench
