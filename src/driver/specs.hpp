// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The drivers as data: where each one's library is, and what is lost without it.
#pragma once

#include "driver/cuda.hpp"
#include "driver/driver.hpp"
#include "driver/hip.hpp"
#include "driver/metal.hpp"
#include "driver/opencl.hpp"
#include "driver/sycl.hpp"

namespace anystream::core {

// Versioned names first: the bare one belongs to development packages, and may be of any version.
#if defined(_WIN32)
inline constexpr const char* sycl_libraries[] = {"DPCTLSyclInterface.dll"};
inline constexpr const char* cuda_libraries[] = {"nvcuda.dll"};
inline constexpr const char* hip_libraries[] = {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};
inline constexpr const char* opencl_libraries[] = {"OpenCL.dll"};
#elif defined(__APPLE__)
inline constexpr const char* sycl_libraries[] = {"libDPCTLSyclInterface.dylib"};
inline constexpr const char* cuda_libraries[] = {"libcuda.dylib"};
inline constexpr const char* hip_libraries[] = {"libamdhip64.dylib"};
inline constexpr const char* opencl_libraries[] = {
    "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#else
inline constexpr const char* sycl_libraries[] = {"libDPCTLSyclInterface.so.0",
                                                 "libDPCTLSyclInterface.so"};
inline constexpr const char* cuda_libraries[] = {"libcuda.so.1", "libcuda.so"};
inline constexpr const char* hip_libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                                "libamdhip64.so.5", "libamdhip64.so"};
inline constexpr const char* opencl_libraries[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif
// Only Apple has it, at one place; elsewhere the attempt says that the file is not there. The
// functions of the Objective-C runtime are looked up by its handle: it is linked with that.
inline constexpr const char* metal_libraries[] = {
    "/System/Library/Frameworks/Metal.framework/Metal"};

inline constexpr const char* trusts_or_refuses =
    "streams are checked and handed to a producer that orders by itself; from any other producer a "
    "hand-off raises DriverUnavailable, unless ordering=\"none\"";
inline constexpr const char* only_refuses =
    "streams are checked; a hand-off that must be ordered raises DriverUnavailable, unless "
    "ordering=\"none\"";

// In the order of driver_id.
inline constexpr driver_spec driver_table[] = {
    {driver_id::sycl, "sycl", "SYCL", "ANYSTREAM_DPCTL_LIBRARY", sycl_libraries,
     sycl_driver_symbols,
     "pip install dpctl (without a GPU that it knows also intel-opencl-rt, which runs SYCL on the "
     "CPU)",
     only_refuses,
     "Without a GPU that it knows: pip install intel-opencl-rt, and call "
     "anystream.testing.use_cpu_sycl() before anything else uses SYCL"},
    {driver_id::cuda, "cuda", "CUDA", "ANYSTREAM_CUDA_LIBRARY", cuda_libraries, cuda_driver_symbols,
     "install the NVIDIA driver", trusts_or_refuses},
    {driver_id::hip, "hip", "HIP", "ANYSTREAM_HIP_LIBRARY", hip_libraries, hip_driver_symbols,
     "install ROCm's HIP runtime", trusts_or_refuses},
    {driver_id::opencl, "opencl", "OpenCL", "ANYSTREAM_OPENCL_LIBRARY", opencl_libraries,
     opencl_driver_symbols, "install an OpenCL loader, such as Debian's ocl-icd-libopencl1",
     "queues are ordered all the same, since they bring their driver's functions; devices are "
     "listed "
     "once they were met on a queue",
     "The loader finds no driver: install one, or name its .icd file's folder in OCL_ICD_VENDORS"},
    {driver_id::metal, "metal", "Metal", "ANYSTREAM_METAL_LIBRARY", metal_libraries,
     metal_driver_symbols, "Metal is part of macOS", only_refuses},
};

}  // namespace anystream::core
