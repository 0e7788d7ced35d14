# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What platform Stream(…) infers from the type of its argument."""

from typing import Any, Literal, assert_type

import anystream
from anystream import Array, Stream
from anystream.testing import SimulatedDevice, SimulatedStream
from anystream.typing import (
    Cuda,
    CudaHandle,
    CudaStreamCapsule,
    CUstreamCapsule,
    HipHandle,
    HipStreamCapsule,
    Metal,
    MetalQueueCapsule,
    OneAPI,
    OpenCL,
    OpenCLQueueCapsule,
    Rocm,
    Simulated,
    SimulatedStreamCapsule,
    SupportsCudaStream,
    SupportsDLPackStream,
    SupportsOpenCLQueue,
    SupportsSyclQueue,
    SupportsXpuStream,
    SyclQueueRefCapsule,
    as_cuda_stream,
    cuda_handle,
    named_capsule,
)


class Untyped:
    def __dlpack_stream__(self) -> Any: ...


def cuda(
    a: CudaStreamCapsule, b: CUstreamCapsule, c: CudaHandle, d: SupportsDLPackStream[Literal[2]]
) -> None:
    assert_type(Stream(a), Stream[Cuda])
    assert_type(Stream(b, "cuda:0"), Stream[Cuda])
    assert_type(Stream(c, device="cuda:0"), Stream[Cuda])
    assert_type(Stream(d), Stream[Cuda])
    assert_type(Stream(cuda_handle(7)), Stream[Cuda])


def rocm(a: HipStreamCapsule, b: HipHandle, c: SupportsDLPackStream[Literal[10]]) -> None:
    assert_type(Stream(a), Stream[Rocm])
    assert_type(Stream(b, "rocm:0"), Stream[Rocm])
    assert_type(Stream(c), Stream[Rocm])


def sycl(
    a: SyclQueueRefCapsule,
    b: SupportsSyclQueue,
    c: SupportsXpuStream,
    d: SupportsDLPackStream[Literal[14]],
) -> None:
    assert_type(Stream(a), Stream[OneAPI])
    assert_type(Stream(b, out_of_order="barrier"), Stream[OneAPI])
    assert_type(Stream(c), Stream[OneAPI])
    assert_type(Stream(d), Stream[OneAPI])


def opencl_and_metal(
    a: OpenCLQueueCapsule,
    b: SupportsOpenCLQueue,
    c: SupportsDLPackStream[Literal[4]],
    d: MetalQueueCapsule,
    e: SupportsDLPackStream[Literal[8]],
) -> None:
    assert_type(Stream(a), Stream[OpenCL])
    assert_type(Stream(b), Stream[OpenCL])
    assert_type(Stream(c), Stream[OpenCL])
    assert_type(Stream(d), Stream[Metal])
    assert_type(Stream(e), Stream[Metal])


def simulated(a: SimulatedStreamCapsule, b: SimulatedStream) -> None:
    assert_type(Stream(a), Stream[Simulated])
    assert_type(Stream(b), Stream[Simulated])
    assert_type(Stream(SimulatedDevice().stream("a")), Stream[Simulated])
    array = SimulatedDevice().full(3, 1.0)
    assert_type(array, Array[Simulated])
    array.__dlpack__(stream=b)
    array.__dlpack__(stream=a)
    array.__dlpack__(stream=1)  # E: arg-type


def others(
    *,
    a: Stream[Cuda],
    b: Stream,
    c: SupportsCudaStream,
    d: SupportsDLPackStream[int],
    e: object,
    f: Any,
) -> None:
    assert_type(Stream(a), Stream[Cuda])
    assert_type(Stream(a, out_of_order="barrier"), Stream[Cuda])
    assert_type(Stream(b), Stream[Any])
    assert_type(Stream(c), Stream[Any])  # of CUDA or ROCm
    assert_type(Stream(d), Stream[Any])
    assert_type(Stream(e, "vulkan:0"), Stream[Any])
    assert_type(Stream(Untyped()), Stream[Any])
    assert_type(Stream(7, "cuda:0"), Stream[Any])
    assert_type(Stream.from_handle("cuda:0", 7), Stream[Any])
    made: Stream[Cuda] = Stream(f)
    del made


def elsewhere(device: anystream.Device) -> None:
    assert_type(anystream.current_stream("torch", "cuda:0"), Stream[Any] | None)
    assert_type(anystream.current_stream("torch", device), Stream[Any] | None)
    with anystream.use_stream(cuda_handle(7)) as used:
        assert_type(used, Stream[Any])
    found = anystream.resolve_stream(device, None)
    assert_type(found.stream, Stream[Any] | None)
    anystream.order(producer=Stream(cuda_handle(7)), consumer=object())


def as_cuda(a: Stream[Cuda], b: Stream[Rocm], c: Stream, d: Stream[OneAPI]) -> None:
    assert_type(as_cuda_stream(a), SupportsCudaStream)
    assert_type(as_cuda_stream(b), SupportsCudaStream)
    assert_type(as_cuda_stream(c).__cuda_stream__(), tuple[int, int])
    as_cuda_stream(d)  # E: arg-type
    as_cuda_stream(7)  # E: arg-type


def wrong(a: Stream[Cuda], b: SupportsSyclQueue) -> None:
    same = Stream(a)
    wrong: Stream[Rocm] = same  # E: assignment
    other: Stream[Cuda] = Stream(b)  # E: assignment
    Stream(a, out_of_order="maybe")  # E: call-overload
    Stream(a, device=7)  # E: call-overload
    Stream(stream=a)  # E: call-overload
    Stream(named_capsule(object(), "no such name"))  # E: call-overload
    anystream.current_stream("torch", 7)  # E: arg-type
    anystream.resolve_stream(7, None)  # E: arg-type
    del wrong, other
