// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The software CUDA driver: its log, its counts, calls that fail, how functions are found.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "cuda_rig.hpp"

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

std::vector<std::string> entries() { return lines(rig::text_of(double_entries)); }

void calls_are_logged_in_order() {
  rig::fresh();
  double_log_clear();
  const rig::held producer;
  const CUevent event = rig::recorded(producer.stream);
  CHECK_EQUAL(cuEventQuery(event), doubles::not_ready);
  CHECK_EQUAL(cuEventDestroy_v2(event), doubles::ok);
  const std::string at = rig::hex(event);
  CHECK_EQUAL(rig::log_of("cuEventCreate,cuEventRecord,cuEventQuery,cuEventDestroy"),
              "cuEventCreate(event=" + at + ", flags=2)\ncuEventRecord(event=" + at +
                  ", stream=" + rig::hex(producer.stream) + ")\ncuEventQuery(event=" + at +
                  ") = CUDA_ERROR_NOT_READY\ncuEventDestroy(event=" + at + ")\n");
  CHECK_EQUAL(rig::log_of("cuEvent"), "");
  double_log_clear();
  CHECK_EQUAL(rig::log_of(nullptr), "");
  double_log(0);
  CHECK_EQUAL(cuCtxSetCurrent(rig::context), doubles::ok);
  CHECK_EQUAL(rig::log_of(""), "");
  double_release_all();
}

void calls_are_counted() {
  rig::fresh();
  double_calls_clear();
  const CUevent event = rig::make_event();
  CHECK_EQUAL(cuEventRecord(event, nullptr), doubles::ok);
  CHECK_EQUAL(cuEventRecord_ptsz(event, nullptr), doubles::ok);
  CHECK_EQUAL(cuEventRecord(nullptr, nullptr), doubles::invalid_handle);
  CHECK_EQUAL(double_calls("cuEventRecord"), 3ULL);
  CHECK_EQUAL(double_calls("cuEventDestroy_v2"), 0ULL);
  CHECK_EQUAL(double_calls(nullptr), 4ULL);
}

void calls_fail_as_ordered() {
  rig::fresh();
  CUevent event = nullptr;
  CHECK_EQUAL(double_fail("cuEventCreate", doubles::out_of_memory, 1, 2), 1);
  CHECK_EQUAL(cuEventCreate(&event, 0), doubles::ok);
  CHECK_EQUAL(cuEventCreate(&event, 0), doubles::out_of_memory);
  CHECK_EQUAL(cuEventCreate(&event, 0), doubles::out_of_memory);
  CHECK_EQUAL(cuEventCreate(&event, 0), doubles::ok);
  CHECK_EQUAL(double_live("events"), 2);
  CHECK_EQUAL(double_failed(), 2ULL);
  CHECK_EQUAL(double_fail("cuEventDestroy_v2", doubles::launch_failed, 0, -1), 1);
  CHECK_EQUAL(cuEventDestroy_v2(event), doubles::launch_failed);
  double_fail_clear();
  CHECK_EQUAL(cuEventDestroy_v2(event), doubles::ok);
  CHECK_EQUAL(double_fail("cuNoSuchThing", 1, 0, 1), 0);
}

template <class... Parameters>
CUresult call_with_nothing(CUresult (*function)(Parameters...)) {
  return function(Parameters{}...);
}

struct row {
  const char* name;
  CUresult (*call)();
};

constexpr row rows[] = {
#define ENTRY(streams, symbol, base, since, parameters, arguments) \
  {#base, [] { return call_with_nothing(symbol); }},
#define ALIAS(symbol, base, since, target)
#define KNOWN_AS(base, since, target)
#include "cuda_entries.def"
#undef ENTRY
#undef ALIAS
#undef KNOWN_AS
};

void every_entry_point_can_fail() {
  rig::fresh();
  for (const row& each : rows) {
    CHECK_EQUAL(double_fail(each.name, 719, 0, 1), 1);
    CHECK_EQUAL(each.call(), 719);
  }
  CHECK_EQUAL(double_failed(), std::size(rows));
  for (const std::string& name : entries()) {
    CHECK(std::ranges::any_of(rows, [&](const row& each) { return each.name == name; }));
  }
}

// Null pointers and zeros are errors too, where they are not what is meant; nothing crashes.
void every_entry_point_takes_nothing() {
  rig::fresh();
  for (const row& each : rows) each.call();
  CHECK_EQUAL(double_live("streams") + double_live("events") + double_live("allocations"), 0);
}

void functions_are_found_by_name_and_version() {
  rig::fresh();
  void* found = nullptr;
  int result = -1;
  CHECK_EQUAL(cuGetProcAddress_v2("cuCtxCreate", &found, 12040, 0, &result), doubles::ok);
  CHECK_EQUAL(found, reinterpret_cast<void*>(cuCtxCreate_v3));
  CHECK_EQUAL(cuGetProcAddress_v2("cuCtxCreate", &found, 13000, 0, &result), doubles::ok);
  CHECK_EQUAL(found, reinterpret_cast<void*>(cuCtxCreate_v4));
  CHECK_EQUAL(cuGetProcAddress("cuEventRecord", &found, 13000, 2), doubles::ok);
  CHECK_EQUAL(found, reinterpret_cast<void*>(cuEventRecord_ptsz));
  CHECK_EQUAL(cuGetProcAddress_v2("cuStreamGetId", &found, 11000, 0, &result), doubles::not_found);
  CHECK_EQUAL(result, 2);
  CHECK_EQUAL(cuGetProcAddress_v2("cuNoSuchThing", &found, 13000, 0, &result), doubles::not_found);
  CHECK_EQUAL(result, 1);
  CHECK(found == nullptr);
  CHECK_EQUAL(dlsym(RTLD_DEFAULT, "cuEventDestroy"), reinterpret_cast<void*>(cuEventDestroy_v2));
  const void* table = &table;
  CHECK_EQUAL(cuGetExportTable(&table, nullptr), doubles::not_found);
}

void codes_have_names() {
  rig::fresh();
  const char* text = nullptr;
  CHECK_EQUAL(cuGetErrorName(709, &text), doubles::ok);
  CHECK_EQUAL(std::string(text), "CUDA_ERROR_CONTEXT_IS_DESTROYED");
  CHECK_EQUAL(cuGetErrorString(400, &text), doubles::ok);
  CHECK_EQUAL(std::string(text), "invalid resource handle");
  CHECK_EQUAL(cuGetErrorName(12345, &text), doubles::invalid_value);
  CHECK(text == nullptr);
}

void a_fork_has_no_driver() {
  rig::fresh();
  const pid_t child = fork();
  if (child == 0) _exit(cuCtxSynchronize() == doubles::not_initialized ? 0 : 1);
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
  CHECK_EQUAL(cuCtxSynchronize(), doubles::ok);
}

void steady_use_makes_nothing() {
  rig::fresh();
  double_log(0);
  const CUstream producer = rig::make_stream();
  const CUstream consumer = rig::make_stream();
  const CUevent event = rig::make_event();
  for (int i = 0; i < 20000; ++i) {
    cuEventRecord(event, producer);
    cuStreamWaitEvent(consumer, event, 0);
  }
  CHECK_EQUAL(cuStreamSynchronize(consumer), doubles::ok);
  CHECK_EQUAL(double_live("events"), 1);
  CHECK_EQUAL(double_calls("cuStreamWaitEvent"), 20000ULL);
}

// For ThreadSanitizer: many threads, few streams.
void threads_share_it() {
  rig::fresh();
  const CUstream shared = rig::make_stream();
  const auto work = [&] {
    cuCtxSetCurrent(rig::context);
    const CUstream own = rig::make_stream(0);
    const CUdeviceptr bytes = rig::device_bytes();
    for (int i = 0; i < 200; ++i) {
      const CUevent event = rig::recorded(shared);
      cuStreamWaitEvent(own, event, 0);
      cuMemsetD8Async(bytes, static_cast<unsigned char>(i), 64, own);
      cuEventDestroy_v2(event);
    }
    CHECK_EQUAL(cuStreamSynchronize(own), doubles::ok);
    CHECK_EQUAL(rig::byte_at(bytes), 199);
    CHECK_EQUAL(cuStreamDestroy_v2(own), doubles::ok);
    CHECK_EQUAL(cuMemFree_v2(bytes), doubles::ok);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& each : threads) each.join();
  CHECK_EQUAL(double_live("events") + double_live("allocations"), 0);
  CHECK_EQUAL(double_live("streams"), 1);
}

}  // namespace

int main() {
  calls_are_logged_in_order();
  calls_are_counted();
  calls_fail_as_ordered();
  every_entry_point_can_fail();
  every_entry_point_takes_nothing();
  functions_are_found_by_name_and_version();
  codes_have_names();
  a_fork_has_no_driver();
  steady_use_makes_nothing();
  threads_share_it();
  double_reset();
  return check::result();
}
