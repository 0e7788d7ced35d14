# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What platform from_dlpack infers from the type of its argument."""

from typing import Any, Literal, assert_type

import anystream
from anystream import Array
from anystream.typing import (
    Cpu,
    Cuda,
    CudaHost,
    CudaManaged,
    Metal,
    OneAPI,
    OpenCL,
    Platform,
    Rocm,
    RocmHost,
    SupportsDLPack,
    SupportsDLPackDevice,
    SupportsSyclUsmArrayInterface,
    cuda_handle,
)


class Untyped:
    def __dlpack_device__(self) -> Any: ...


class AnyPair:
    def __dlpack_device__(self) -> tuple[Any, ...]: ...


class Mine:
    """An array class that is on CUDA, and says so in its type."""

    def __dlpack__(self, *, stream: int | None = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[Literal[2], int]: ...


class Of:
    """One that gives an Array of its memory."""

    def __anystream__(self) -> Array[Rocm]: ...


def literals(
    *,
    cpu: SupportsDLPackDevice[Literal[1]],
    cuda: SupportsDLPackDevice[Literal[2]],
    cuda_host: SupportsDLPackDevice[Literal[3]],
    opencl: SupportsDLPackDevice[Literal[4]],
    metal: SupportsDLPackDevice[Literal[8]],
    rocm: SupportsDLPackDevice[Literal[10]],
    rocm_host: SupportsDLPackDevice[Literal[11]],
    managed: SupportsDLPackDevice[Literal[13]],
    oneapi: SupportsDLPackDevice[Literal[14]],
) -> None:
    assert_type(anystream.from_dlpack(cpu), Array[Cpu])
    assert_type(anystream.from_dlpack(cuda), Array[Cuda])
    assert_type(anystream.from_dlpack(cuda_host), Array[CudaHost])
    assert_type(anystream.from_dlpack(opencl), Array[OpenCL])
    assert_type(anystream.from_dlpack(metal), Array[Metal])
    assert_type(anystream.from_dlpack(rocm), Array[Rocm])
    assert_type(anystream.from_dlpack(rocm_host), Array[RocmHost])
    assert_type(anystream.from_dlpack(managed), Array[CudaManaged])
    assert_type(anystream.from_dlpack(oneapi), Array[OneAPI])


def others(
    *,
    some: Array,
    cuda: Array[Cuda],
    pinned: Array[CudaHost],
    usm: SupportsSyclUsmArrayInterface,
    unknown: SupportsDLPackDevice[int],
    exports: SupportsDLPack[Any],
    thing: object,
) -> None:
    assert_type(anystream.from_dlpack(some), Array[Any])
    assert_type(anystream.from_dlpack(cuda), Array[Cuda])
    assert_type(anystream.from_dlpack(pinned, copy=True, strict=True), Array[CudaHost])
    assert_type(anystream.from_dlpack(Mine()), Array[Cuda])
    assert_type(anystream.from_dlpack(Of()), Array[Rocm])
    assert_type(anystream.from_dlpack(usm), Array[OneAPI])
    # What the type does not tell, an Array[Any] takes any stream for.
    assert_type(anystream.from_dlpack(unknown), Array[Any])
    assert_type(anystream.from_dlpack(exports), Array[Any])
    assert_type(anystream.from_dlpack(thing), Array[Any])
    assert_type(anystream.from_dlpack(b"bytes"), Array[Any])
    assert_type(anystream.from_dlpack(Untyped()), Array[Any])
    assert_type(anystream.from_dlpack(AnyPair()), Array[Any])
    anystream.from_dlpack(thing).__dlpack__(stream=object())


def of_a_device(thing: object, cuda: Array[Cuda], pinned: SupportsDLPackDevice[Literal[3]]) -> None:
    assert_type(anystream.from_dlpack(thing, device="cpu"), Array[Cpu])
    assert_type(anystream.from_dlpack(cuda, device="cpu"), Array[Cpu])
    assert_type(anystream.from_dlpack(cuda, device=anystream.DeviceType.CPU), Array[Cpu])
    assert_type(anystream.from_dlpack(cuda, device="oneapi:0"), Array[Any])
    assert_type(anystream.from_dlpack(pinned, device=(2, 0)), Array[Any])
    assert_type(anystream.from_dlpack(pinned, device=anystream.Device("cuda:0")), Array[Any])
    assert_type(anystream.from_dlpack(pinned, device=None), Array[CudaHost])
    assert_type(cuda.to_device("cpu"), Array[Cpu])
    assert_type(cuda.to_device("cuda:1"), Array[Any])


def many(things: list[object], pair: tuple[Mine, Mine], named: dict[str, Mine]) -> None:
    assert_type(anystream.from_dlpack(things), list[Array[Any]])
    assert_type(anystream.from_dlpack(pair), tuple[Array[Any], ...])
    assert_type(anystream.from_dlpack(named, device="cpu"), dict[str, Array[Any]])


def borrowed(thing: object, cuda: Array[Cuda]) -> None:
    with anystream.borrow(Mine()) as a:
        assert_type(a, Array[Cuda])
        a.__dlpack__(stream=cuda_handle(7))
        a.__dlpack__(stream=7)  # E: arg-type
    with anystream.borrow(cuda, stream=cuda_handle(7)) as b:
        assert_type(b, Array[Cuda])
    with anystream.borrow(thing) as c:
        assert_type(c, Array[Any])


def anything(x: Any) -> None:
    """Of Any, the answer might be a list: it is Any, which takes any stream too."""
    anystream.from_dlpack(x).__dlpack__(stream=object())
    with anystream.borrow(x) as a:
        a.__dlpack__(stream=object())


def properties(cuda: Array[Cuda], some: Array) -> None:
    assert_type(cuda.stream, anystream.Stream[Cuda] | None)
    assert_type(cuda.device, anystream.Device)
    assert_type(cuda.dtype, anystream.DType)
    marked: Array[Platform[Any]] = cuda
    cuda.record_stream(cuda_handle(7))
    cuda.record_stream(7)  # E: arg-type
    some.record_stream(object())
    del marked


def wrong(thing: object, cuda: Array[Cuda], mine: Mine) -> None:
    anystream.from_dlpack(mine).__dlpack__(stream=0)  # E: arg-type
    anystream.from_dlpack(thing, device="cpu").__dlpack__(stream=1)  # E: arg-type
    cuda.to_device("cpu").__dlpack__(stream=1)  # E: arg-type
    anystream.from_dlpack(thing, device=1.5)  # E: call-overload
    anystream.from_dlpack(thing, copy="yes")  # E: call-overload
    anystream.from_dlpack(cuda, ordering="never")  # E: call-overload
    wrong: Array[Rocm] = anystream.from_dlpack(cuda)  # E: assignment
    cuda.to_device(3)  # E: call-overload
    del wrong
