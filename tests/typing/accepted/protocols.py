# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The protocols: which of anystream's classes, and of others', have them to type checkers."""

from typing import Any, ClassVar, Literal, assert_type

from typing_extensions import CapsuleType

from anystream import Array, Stream
from anystream.testing import SimulatedStream
from anystream.typing import (
    CpuStream,
    Cuda,
    CudaStream,
    MetalStream,
    OneAPI,
    OneAPIStream,
    OpenCLStream,
    Rocm,
    RocmStream,
    SimulatedStreams,
    StreamLike,
    SupportsCExchange,
    SupportsCudaArrayInterface,
    SupportsCudaStream,
    SupportsDLPack,
    SupportsDLPackDevice,
    SupportsDLPackStream,
    SupportsOpenCLQueue,
    SupportsSyclQueue,
    SupportsSyclUsmArrayInterface,
    SupportsXpuStream,
)


class CudaLike:
    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 4096)


class Pinned:
    """An array of another library on CUDA, with all that the array API standard asks for."""

    __dlpack_c_exchange_api__: ClassVar[CapsuleType]

    def __dlpack__(
        self,
        *,
        stream: CudaStream | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        raise NotImplementedError

    def __dlpack_device__(self) -> tuple[Literal[2], int]:
        return (2, 0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        return {}


class AnyStream:
    """An array that looks at streams itself, whatever they are."""

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        raise NotImplementedError


def takes_streams_of_cuda(x: SupportsDLPack[CudaStream], stream: CudaStream) -> None:
    assert_type(x.__dlpack__(stream=stream), CapsuleType)


def takes_every_stream(x: SupportsDLPack[Any]) -> None:
    x.__dlpack__(stream=7)


def an_array_of_cuda(a: Array[Cuda], stream: Stream[Cuda]) -> Any:
    takes_streams_of_cuda(a, stream)
    takes_every_stream(a)
    of_less: SupportsDLPack[Stream[Cuda]] = a  # who takes more takes less
    of_one: SupportsDLPack[CudaLike] = a
    takes_streams_of_cuda(Pinned(), cuda_like())
    takes_streams_of_cuda(AnyStream(), 1)
    takes_every_stream(AnyStream())
    return of_less, of_one


def cuda_like() -> SupportsCudaStream:
    return CudaLike()


def an_array_of_a_platform_that_is_not_known(a: Array) -> None:
    takes_streams_of_cuda(a, 1)
    takes_every_stream(a)


def of_each_platform(a: Array[Rocm], b: Array[OneAPI]) -> Any:
    rocm: SupportsDLPack[RocmStream] = a
    one_api: SupportsDLPack[OneAPIStream] = b
    return rocm, one_api


def interfaces_of_an_array(a: Array[Any]) -> None:
    device: SupportsDLPackDevice[int] = a
    exchange: SupportsCExchange = a
    cuda: SupportsCudaArrayInterface = a
    sycl: SupportsSyclUsmArrayInterface = a
    assert_type(device.__dlpack_device__(), tuple[int, int])
    assert_type(cuda.__cuda_array_interface__, dict[str, Any])
    assert_type(sycl.__sycl_usm_array_interface__, dict[str, Any])
    assert_type(exchange.__dlpack_c_exchange_api__, CapsuleType)


def interfaces_of_another(a: Pinned) -> Any:
    device: SupportsDLPackDevice[Literal[2]] = a
    whichever: SupportsDLPackDevice[int] = a
    exchange: SupportsCExchange = a
    cuda: SupportsCudaArrayInterface = a
    sycl: SupportsSyclUsmArrayInterface = a
    assert_type(device.__dlpack_device__(), tuple[Literal[2], int])
    return whichever, exchange, cuda, sycl


def a_stream_says_what_it_is(a: Stream[Any], b: SimulatedStream) -> Any:
    told: SupportsDLPackStream[int] = a
    assert_type(told.__dlpack_stream__(), tuple[int, int, CapsuleType | None])
    stream: StreamLike = b
    return stream


def what_a_stream_is_made_of(
    a: SupportsCudaStream,
    b: SupportsSyclQueue,
    c: SupportsXpuStream,
    d: SupportsOpenCLQueue,
    e: SupportsDLPackStream[Literal[8]],
    f: CapsuleType,
    g: Stream[Rocm],
) -> list[StreamLike]:
    assert_type(a.__cuda_stream__(), tuple[int, int])
    assert_type(c.sycl_queue, int)
    assert_type(c.stream_id, int)
    assert_type(d.int_ptr, int)
    return [a, b, c, d, e, f, g, 1]


def what_is_taken_where(
    cpu: CpuStream,
    cuda: CudaStream,
    rocm: RocmStream,
    one_api: OneAPIStream,
    opencl: OpenCLStream,
    metal: MetalStream,
    simulated: SimulatedStreams,
) -> list[StreamLike]:
    """Make a Stream of it, then: all of it is StreamLike."""
    return [cpu, cuda, rocm, one_api, opencl, metal, simulated]
