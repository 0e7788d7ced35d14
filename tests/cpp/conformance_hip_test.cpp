// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The HIP backend under the conformance suite, on the software driver.
#include <cstdlib>

#include "../doubles/hip_functions.hpp"
#include "conformance_cuda_like.hpp"
#include "no_python.hpp"

namespace {

struct hip {
  static constexpr const char* name = "hip on the software driver";
  static constexpr DLDeviceType type = kDLROCM;

  static void open(int) { conformance::must(hipInit(0)); }
  static void make_current(int place) { conformance::must(hipSetDevice(place)); }
  static void* make_stream() {
    hipStream_t made = nullptr;
    conformance::must(hipStreamCreateWithFlags(&made, 1));
    return made;
  }
  static void destroy_stream(void* stream) {
    conformance::must(hipStreamDestroy(static_cast<hipStream_t>(stream)));
  }
  static void* allocate(std::size_t bytes) {
    void* made = nullptr;
    conformance::must(hipMalloc(&made, bytes));
    return made;
  }
  static void* allocate_host(std::size_t bytes) {
    void* made = nullptr;
    conformance::must(hipHostMalloc(&made, bytes, 0));
    return made;
  }
  static int copy(void* to, const void* from, void* stream) {
    constexpr int whatever = 4;
    return hipMemcpyAsync(to, from, sizeof(int), whatever, static_cast<hipStream_t>(stream));
  }
  static std::vector<std::string> calls() {
    return {"hipEventCreateWithFlags",   "hipEventRecord", "hipStreamWaitEvent",
            "hipStreamIsCapturing",      "hipGetDevice",   "hipSetDevice",
            "hipStreamGetDevice",        "hipEventQuery",  "hipThreadExchangeStreamCaptureMode",
            "hipStreamGetCaptureInfo_v2"};
  }
};

}  // namespace

int main() {
  setenv("ANYSTREAM_HIP_LIBRARY", ANYSTREAM_SOFTWARE_HIP, 1);
  conformance::cuda_like<hip> platform;
  conformance::run(platform, 1000);
  return check::result();
}
