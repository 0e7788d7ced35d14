# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What ``stream`` may be on each platform, and what is known of a stream, to type checkers."""

from typing import Any, Literal, assert_type

from typing_extensions import CapsuleType

from anystream import Array, Stream
from anystream.testing import SimulatedStream
from anystream.typing import (
    Ascend,
    Cpu,
    Cuda,
    CudaHost,
    CudaManaged,
    CudaStreamCapsule,
    CUstreamCapsule,
    ExtDev,
    HipStreamCapsule,
    Metal,
    MetalQueueCapsule,
    OneAPI,
    OpenCL,
    OpenCLQueueCapsule,
    Rocm,
    RocmHost,
    Simulated,
    SimulatedStreamCapsule,
    SyclQueueRefCapsule,
    Tpu,
    Vulkan,
    cuda_handle,
    hip_handle,
)


class CudaLike:
    """As cuda.core's and others' streams: by its method, of CUDA or ROCm."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 4096)


class Queue:
    """As dpctl.SyclQueue."""

    def _get_capsule(self) -> CapsuleType:
        raise NotImplementedError


class XpuStream:
    """As torch.xpu.Stream."""

    sycl_queue: int = 4096
    stream_id: int = 0


class CommandQueue:
    """As pyopencl.CommandQueue."""

    int_ptr: int = 4096

    def finish(self) -> None: ...
    def flush(self) -> None: ...


class OnMetal:
    """A stream by the proposed method, of a device type that is told."""

    def __dlpack_stream__(self) -> tuple[Literal[8], int, CapsuleType | None]:
        raise NotImplementedError


class OnAscend:
    def __dlpack_stream__(self) -> tuple[Literal[21], int, None]:
        return (21, 0, None)


def no_stream_on_every_platform(
    a: Array[Cpu], b: Array[Cuda], c: Array[Rocm], d: Array[OneAPI], e: Array[OpenCL]
) -> None:
    assert_type(a.__dlpack__(), CapsuleType)
    b.__dlpack__(stream=None)
    c.__dlpack__(stream=-1, max_version=(1, 3), dl_device=(1, 0), copy=True)
    d.__dlpack__(stream=-1, copy=None)
    e.__dlpack__(stream=-1)
    a.__dlpack__(stream=-1)


def cuda(
    a: Array[Cuda],
    host: Array[CudaHost],
    managed: Array[CudaManaged],
    stream: Stream[Cuda],
    capsule: CudaStreamCapsule,
    older: CUstreamCapsule,
) -> None:
    for array in (a, host, managed):
        array.__dlpack__(stream=1)
        array.__dlpack__(stream=2)
        array.__dlpack__(stream=cuda_handle(4096))
        array.__dlpack__(stream=CudaLike())
        array.__dlpack__(stream=stream)
        array.__dlpack__(stream=capsule)
        array.__dlpack__(stream=older)


def rocm(
    a: Array[Rocm], host: Array[RocmHost], stream: Stream[Rocm], capsule: HipStreamCapsule
) -> None:
    for array in (a, host):
        array.__dlpack__(stream=0)
        array.__dlpack__(stream=hip_handle(4096))
        array.__dlpack__(stream=CudaLike())
        array.__dlpack__(stream=stream)
        array.__dlpack__(stream=capsule)


def one_api(a: Array[OneAPI], stream: Stream[OneAPI], capsule: SyclQueueRefCapsule) -> None:
    a.__dlpack__(stream=Queue())
    a.__dlpack__(stream=XpuStream())
    a.__dlpack__(stream=stream)
    a.__dlpack__(stream=capsule)


def opencl(a: Array[OpenCL], stream: Stream[OpenCL], capsule: OpenCLQueueCapsule) -> None:
    a.__dlpack__(stream=CommandQueue())
    a.__dlpack__(stream=stream)
    a.__dlpack__(stream=capsule)


def metal(a: Array[Metal], stream: Stream[Metal], capsule: MetalQueueCapsule) -> None:
    a.__dlpack__(stream=OnMetal())
    a.__dlpack__(stream=stream)
    a.__dlpack__(stream=capsule)


def simulated(
    a: Array[Simulated],
    stream: Stream[Simulated],
    theirs: SimulatedStream,
    capsule: SimulatedStreamCapsule,
) -> None:
    a.__dlpack__(stream=theirs)
    a.__dlpack__(stream=stream)
    a.__dlpack__(stream=capsule)


def registered(
    a: Array[Ascend], stream: Stream[Ascend], b: Array[Tpu], c: Array[ExtDev], d: Array[Vulkan]
) -> None:
    a.__dlpack__(stream=OnAscend())
    a.__dlpack__(stream=stream)
    b.__dlpack__(stream=-1)
    c.__dlpack__(stream=-1)
    d.__dlpack__(stream=-1)


def of_a_platform_that_is_not_known(a: Array[Any], b: Array, stream: Stream[Any]) -> None:
    """Every stream is taken: which is right is seen at run time."""
    a.__dlpack__(stream=7)
    a.__dlpack__(stream=object())
    b.__dlpack__(stream=Queue())
    b.__dlpack__(stream=stream)


def of_one_of_two(a: Array[Cuda] | Array[Rocm]) -> None:
    a.__dlpack__(stream=CudaLike())
    a.__dlpack__(stream=-1)


def a_stream_that_is_not_known(a: Array[Cuda], b: Array[OneAPI], stream: Stream[Any]) -> None:
    a.__dlpack__(stream=stream)
    b.__dlpack__(stream=stream)


def the_stream_of_an_array(a: Array[Cuda], b: Array) -> None:
    assert_type(a.stream, Stream[Cuda] | None)
    assert_type(b.stream, Stream[Any] | None)
    a.__dlpack__(stream=a.stream)


def memory_of_a_platform_is_memory_of_it(host: Array[CudaHost], pinned: Array[RocmHost]) -> Any:
    a: Array[Cuda] = host
    b: Array[Rocm] = pinned
    return a, b


def made_of_what_a_stream_may_be(stream: Stream[OneAPI], capsule: MetalQueueCapsule) -> None:
    for one in (CudaLike(), Queue(), XpuStream(), CommandQueue(), OnMetal()):
        Stream(one)
    for another in (stream, capsule):
        Stream(another)
    Stream(1, device="cuda:0")
    Stream.from_handle("cuda:0", 4096)
