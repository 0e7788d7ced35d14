# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What ``stream`` may not be on each platform."""

from anystream import Array, Stream
from anystream.testing import SimulatedStream
from anystream.typing import (
    Ascend,
    Cpu,
    Cuda,
    CudaHost,
    CudaStreamCapsule,
    CUstreamCapsule,
    Metal,
    MetalQueueCapsule,
    OneAPI,
    OpenCL,
    OpenCLQueueCapsule,
    Rocm,
    Simulated,
    SupportsCudaStream,
    SupportsDLPackStream,
    SupportsSyclQueue,
    SyclQueueRefCapsule,
    cuda_handle,
    hip_handle,
)


def cpu(a: Array[Cpu], b: Stream[Cuda]) -> None:
    a.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected "Literal[-1] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned to
    #   parameter "stream" of type "CpuStream | None" in function "__dlpack__"
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "CpuStream | None" in function "__dlpack__"
    a.__dlpack__(stream=b)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Cuda]"; expected "Literal[-1] | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "CpuStream | None" in function "__dlpack__"


def cuda(
    a: Array[Cuda],
    host: Array[CudaHost],
    number: int,
    sycl: Stream[OneAPI],
    rocm: Stream[Rocm],
    queue: SupportsSyclQueue,
    capsule: SyclQueueRefCapsule,
    told: SupportsDLPackStream[int],
) -> None:
    a.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=7)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[7]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[7]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=number)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type "int";
    #   expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "int" cannot be assigned to parameter
    #   "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=True)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[True]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[True]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream="legacy")
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal['legacy']"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal['legacy']" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=hip_handle(4096))
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "HipHandle"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "HipHandle" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=sycl)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[OneAPI]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[OneAPI]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=rocm)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Rocm]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Rocm]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=queue)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "SupportsSyclQueue"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "SupportsSyclQueue" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=capsule)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "SyclQueueRefCapsule"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "SyclQueueRefCapsule" cannot be assigned
    #   to parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=told)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "SupportsDLPackStream[int]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "SupportsDLPackStream[int]" cannot be
    #   assigned to parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    host.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(None)
    # mypy: [call-arg] Too many positional arguments for "__dlpack__" of "Array"
    # basedpyright: [reportCallIssue] Expected 0 positional arguments


def rocm(a: Array[Rocm], number: int, cuda: Stream[Cuda], capsule: CudaStreamCapsule) -> None:
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"
    a.__dlpack__(stream=2)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[2]"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[2]" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"
    a.__dlpack__(stream=number)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type "int";
    #   expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "int" cannot be assigned to parameter
    #   "stream" of type "RocmStream | None" in function "__dlpack__"
    a.__dlpack__(stream=cuda_handle(4096))
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "CudaHandle"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "CudaHandle" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"
    a.__dlpack__(stream=cuda)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Cuda]"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"
    a.__dlpack__(stream=capsule)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "CudaStreamCapsule"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "CudaStreamCapsule" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"


def one_api(
    a: Array[OneAPI], theirs: SupportsCudaStream, cuda: Stream[Cuda], capsule: CUstreamCapsule
) -> None:
    a.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected "Literal[-1] | SupportsSyclQueue | SupportsXpuStream |
    #   SupportsDLPackStream[Literal[14]] | SyclQueueRefCapsule | Stream[OneAPI] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned to
    #   parameter "stream" of type "OneAPIStream | None" in function "__dlpack__"
    a.__dlpack__(stream=theirs)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "SupportsCudaStream"; expected "Literal[-1] | SupportsSyclQueue | SupportsXpuStream |
    #   SupportsDLPackStream[Literal[14]] | SyclQueueRefCapsule | Stream[OneAPI] | None"
    # basedpyright: [reportArgumentType] Argument of type "SupportsCudaStream" cannot be assigned to
    #   parameter "stream" of type "OneAPIStream | None" in function "__dlpack__"
    a.__dlpack__(stream=cuda)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Cuda]"; expected "Literal[-1] | SupportsSyclQueue | SupportsXpuStream |
    #   SupportsDLPackStream[Literal[14]] | SyclQueueRefCapsule | Stream[OneAPI] | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "OneAPIStream | None" in function "__dlpack__"
    a.__dlpack__(stream=capsule)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "CUstreamCapsule"; expected "Literal[-1] | SupportsSyclQueue | SupportsXpuStream |
    #   SupportsDLPackStream[Literal[14]] | SyclQueueRefCapsule | Stream[OneAPI] | None"
    # basedpyright: [reportArgumentType] Argument of type "CUstreamCapsule" cannot be assigned to
    #   parameter "stream" of type "OneAPIStream | None" in function "__dlpack__"


def opencl(a: Array[OpenCL], sycl: Stream[OneAPI], capsule: MetalQueueCapsule) -> None:
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1] | SupportsOpenCLQueue | SupportsDLPackStream[Literal[4]]
    #   | OpenCLQueueCapsule | Stream[OpenCL] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "OpenCLStream | None" in function "__dlpack__"
    a.__dlpack__(stream=sycl)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[OneAPI]"; expected "Literal[-1] | SupportsOpenCLQueue |
    #   SupportsDLPackStream[Literal[4]] | OpenCLQueueCapsule | Stream[OpenCL] | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[OneAPI]" cannot be assigned to
    #   parameter "stream" of type "OpenCLStream | None" in function "__dlpack__"
    a.__dlpack__(stream=capsule)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "MetalQueueCapsule"; expected "Literal[-1] | SupportsOpenCLQueue |
    #   SupportsDLPackStream[Literal[4]] | OpenCLQueueCapsule | Stream[OpenCL] | None"
    # basedpyright: [reportArgumentType] Argument of type "MetalQueueCapsule" cannot be assigned to
    #   parameter "stream" of type "OpenCLStream | None" in function "__dlpack__"


def metal(a: Array[Metal], capsule: OpenCLQueueCapsule) -> None:
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1] | SupportsDLPackStream[Literal[8]] | MetalQueueCapsule |
    #   Stream[Metal] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "MetalStream | None" in function "__dlpack__"
    a.__dlpack__(stream=capsule)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "OpenCLQueueCapsule"; expected "Literal[-1] | SupportsDLPackStream[Literal[8]] |
    #   MetalQueueCapsule | Stream[Metal] | None"
    # basedpyright: [reportArgumentType] Argument of type "OpenCLQueueCapsule" cannot be assigned to
    #   parameter "stream" of type "MetalStream | None" in function "__dlpack__"


def simulated(a: Array[Simulated], cuda: Stream[Cuda]) -> None:
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1] | SimulatedStream | SimulatedStreamCapsule |
    #   Stream[Simulated] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "SimulatedStreams | None" in function "__dlpack__"
    a.__dlpack__(stream=cuda)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Cuda]"; expected "Literal[-1] | SimulatedStream | SimulatedStreamCapsule |
    #   Stream[Simulated] | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "SimulatedStreams | None" in function "__dlpack__"


def registered(a: Array[Ascend], simulated: SimulatedStream) -> None:
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1] | SupportsDLPackStream[Literal[21]] | Stream[Ascend] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "SupportsDLPackStream[Literal[21]] | Stream[Ascend] | Literal[-1]
    #   | None" in function "__dlpack__"
    a.__dlpack__(stream=simulated)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "SimulatedStream"; expected "Literal[-1] | SupportsDLPackStream[Literal[21]] |
    #   Stream[Ascend] | None"
    # basedpyright: [reportArgumentType] Argument of type "SimulatedStream" cannot be assigned to
    #   parameter "stream" of type "SupportsDLPackStream[Literal[21]] | Stream[Ascend] | Literal[-1]
    #   | None" in function "__dlpack__"


def of_one_of_two(a: Array[Cuda] | Array[Rocm]) -> None:
    a.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
    #   None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned to
    #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    a.__dlpack__(stream=1)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[1]"; expected "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm] | None"
    # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
    #   parameter "stream" of type "RocmStream | None" in function "__dlpack__"
