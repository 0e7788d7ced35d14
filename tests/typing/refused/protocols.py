# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the protocols do not take, and arrays that are not what a function asks for."""

from typing import Any, Literal

from typing_extensions import CapsuleType

from anystream import Array, Stream
from anystream.typing import (
    Cuda,
    CudaStream,
    OneAPI,
    OneAPIStream,
    Rocm,
    SupportsCExchange,
    SupportsCudaStream,
    SupportsDLPack,
    SupportsDLPackDevice,
    SupportsDLPackStream,
    SupportsSyclQueue,
)


class Legacy:
    """An array from before the standard's 2023.12: its method takes a stream and nothing else."""

    def __dlpack__(self, *, stream: int | None = None) -> CapsuleType:
        raise NotImplementedError

    def __dlpack_device__(self) -> tuple[Literal[10], int]:
        return (10, 0)


class OfIntegers:
    """An array that takes only what the standard says of CUDA: a number."""

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        raise NotImplementedError


def of_cuda(x: SupportsDLPack[CudaStream]) -> None: ...
def of_sycl(x: SupportsDLPack[OneAPIStream]) -> None: ...
def of_numbers(x: SupportsDLPack[int]) -> None: ...
def on_cuda(x: SupportsDLPackDevice[Literal[2]]) -> None: ...
def quick(x: SupportsCExchange) -> None: ...
def cuda_like(stream: SupportsCudaStream) -> None: ...
def queue(stream: SupportsSyclQueue) -> None: ...
def told(stream: SupportsDLPackStream[Literal[2]]) -> None: ...


def arrays(a: Array[Cuda], b: Array[OneAPI], c: Array[Rocm]) -> None:
    of_cuda(b)
    # mypy: [arg-type] Argument 1 to "of_cuda" has incompatible type "Array[OneAPI]"; expected
    #   "SupportsDLPack[Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda]]"
    # basedpyright: [reportArgumentType] Argument of type "Array[OneAPI]" cannot be assigned to
    #   parameter "x" of type "SupportsDLPack[CudaStream]" in function "of_cuda"
    of_cuda(c)
    # mypy: [arg-type] Argument 1 to "of_cuda" has incompatible type "Array[Rocm]"; expected
    #   "SupportsDLPack[Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda]]"
    # basedpyright: [reportArgumentType] Argument of type "Array[Rocm]" cannot be assigned to
    #   parameter "x" of type "SupportsDLPack[CudaStream]" in function "of_cuda"
    of_cuda(Legacy())
    # mypy: [arg-type] Argument 1 to "of_cuda" has incompatible type "Legacy"; expected
    #   "SupportsDLPack[Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda]]"
    # basedpyright: [reportArgumentType] Argument of type "Legacy" cannot be assigned to parameter
    #   "x" of type "SupportsDLPack[CudaStream]" in function "of_cuda"
    of_cuda(OfIntegers())
    # mypy: [arg-type] Argument 1 to "of_cuda" has incompatible type "OfIntegers"; expected
    #   "SupportsDLPack[Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda]]"
    # basedpyright: [reportArgumentType] Argument of type "OfIntegers" cannot be assigned to
    #   parameter "x" of type "SupportsDLPack[CudaStream]" in function "of_cuda"
    of_sycl(a)
    # mypy: [arg-type] Argument 1 to "of_sycl" has incompatible type "Array[Cuda]"; expected
    #   "SupportsDLPack[Literal[-1] | SupportsSyclQueue | SupportsXpuStream |
    #   SupportsDLPackStream[Literal[14]] | SyclQueueRefCapsule | Stream[OneAPI]]"
    # basedpyright: [reportArgumentType] Argument of type "Array[Cuda]" cannot be assigned to
    #   parameter "x" of type "SupportsDLPack[OneAPIStream]" in function "of_sycl"
    of_numbers(a)
    # mypy: [arg-type] Argument 1 to "of_numbers" has incompatible type "Array[Cuda]"; expected
    #   "SupportsDLPack[int]"
    # basedpyright: [reportArgumentType] Argument of type "Array[Cuda]" cannot be assigned to
    #   parameter "x" of type "SupportsDLPack[int]" in function "of_numbers"
    on_cuda(a)
    # mypy: [arg-type] Argument 1 to "on_cuda" has incompatible type "Array[Cuda]"; expected
    #   "SupportsDLPackDevice[Literal[2]]"
    # basedpyright: [reportArgumentType] Argument of type "Array[Cuda]" cannot be assigned to
    #   parameter "x" of type "SupportsDLPackDevice[Literal[2]]" in function "on_cuda"
    on_cuda(Legacy())
    # mypy: [arg-type] Argument 1 to "on_cuda" has incompatible type "Legacy"; expected
    #   "SupportsDLPackDevice[Literal[2]]"
    # basedpyright: [reportArgumentType] Argument of type "Legacy" cannot be assigned to parameter
    #   "x" of type "SupportsDLPackDevice[Literal[2]]" in function "on_cuda"
    quick(Legacy())
    # mypy: [arg-type] Argument 1 to "quick" has incompatible type "Legacy"; expected
    #   "SupportsCExchange"
    # basedpyright: [reportArgumentType] Argument of type "Legacy" cannot be assigned to parameter
    #   "x" of type "SupportsCExchange" in function "quick"


def streams(a: Stream[Cuda], b: Stream[OneAPI]) -> None:
    cuda_like(b)
    # mypy: [arg-type] Argument 1 to "cuda_like" has incompatible type "Stream[OneAPI]"; expected
    #   "SupportsCudaStream"
    # basedpyright: [reportArgumentType] Argument of type "Stream[OneAPI]" cannot be assigned to
    #   parameter "stream" of type "SupportsCudaStream" in function "cuda_like"
    queue(a)
    # mypy: [arg-type] Argument 1 to "queue" has incompatible type "Stream[Cuda]"; expected
    #   "SupportsSyclQueue"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "SupportsSyclQueue" in function "queue"
    told(a)
    # mypy: [arg-type] Argument 1 to "told" has incompatible type "Stream[Cuda]"; expected
    #   "SupportsDLPackStream[Literal[2]]"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "SupportsDLPackStream[Literal[2]]" in function "told"


def platforms(a: Array[Cuda], b: Stream[OneAPI]) -> Any:
    c: Array[Rocm] = a
    # mypy: [assignment] Incompatible types in assignment (expression has type "Array[Cuda]",
    #   variable has type "Array[Rocm]")
    # basedpyright: [reportAssignmentType] Type "Array[Cuda]" is not assignable to declared type
    #   "Array[Rocm]"
    d: Stream[Cuda] = b
    # mypy: [assignment] Incompatible types in assignment (expression has type "Stream[OneAPI]",
    #   variable has type "Stream[Cuda]")
    # basedpyright: [reportAssignmentType] Type "Stream[OneAPI]" is not assignable to declared type
    #   "Stream[Cuda]"
    return c, d
