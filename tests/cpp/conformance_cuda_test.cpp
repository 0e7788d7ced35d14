// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA backend under the conformance suite, on the software driver.
#include <cstdlib>

#include "../doubles/cuda_functions.hpp"
#include "conformance_cuda_like.hpp"
#include "no_python.hpp"

namespace {

struct cuda {
  static constexpr const char* name = "cuda on the software driver";
  static constexpr DLDeviceType type = kDLCUDA;
  static inline CUcontext contexts[2];

  static void open(int place) {
    conformance::must(cuInit(0));
    conformance::must(cuDevicePrimaryCtxRetain(&contexts[place], place));
  }
  static void make_current(int place) { conformance::must(cuCtxSetCurrent(contexts[place])); }
  static void* make_stream() {
    CUstream made = nullptr;
    conformance::must(cuStreamCreate(&made, 1));
    return made;
  }
  static void destroy_stream(void* stream) {
    conformance::must(cuStreamDestroy_v2(static_cast<CUstream>(stream)));
  }
  static void* allocate(std::size_t bytes) {
    CUdeviceptr made = 0;
    conformance::must(cuMemAlloc_v2(&made, bytes));
    return reinterpret_cast<void*>(made);
  }
  static void* allocate_host(std::size_t bytes) {
    void* made = nullptr;
    conformance::must(cuMemAllocHost_v2(&made, bytes));
    return made;
  }
  static int copy(void* to, const void* from, void* stream) {
    return cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to), reinterpret_cast<CUdeviceptr>(from),
                         sizeof(int), static_cast<CUstream>(stream));
  }
  static std::vector<std::string> calls() {
    return {"cuEventCreate",     "cuEventRecord",
            "cuStreamWaitEvent", "cuStreamIsCapturing",
            "cuCtxGetCurrent",   "cuCtxSetCurrent",
            "cuStreamGetCtx",    "cuStreamGetId",
            "cuCtxGetId",        "cuThreadExchangeStreamCaptureMode",
            "cuEventQuery",      "cuStreamGetCaptureInfo_v2"};
  }
};

}  // namespace

int main() {
  setenv("ANYSTREAM_CUDA_LIBRARY", ANYSTREAM_SOFTWARE_CUDA, 1);
  conformance::cuda_like<cuda> platform;
  conformance::run(platform, 1000);
  return check::result();
}
