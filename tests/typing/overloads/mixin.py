# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A library whose arrays have anystream's __dlpack__: what stream they take is in their type."""

from typing import Any, assert_type

import one_dlpack

import anystream
from anystream import Array, Stream
from anystream.typing import (
    Cuda,
    CudaStream,
    OneAPI,
    Simulated,
    SupportsCudaStream,
    SupportsDLPack,
    SupportsDLPackDevice,
    SupportsSyclQueue,
    cuda_handle,
)


class Bare(anystream.DLPackMixin):
    """One that does not say where it is takes any stream."""

    def __anystream__(self) -> Array:
        return anystream.from_pointer(0, (0,), "float32", "cpu")


class OnCuda(anystream.DLPackMixin[Cuda]):
    """One that is on CUDA always."""

    def __anystream__(self) -> Array[Cuda]:
        return anystream.from_pointer(0, (0,), "float32", "cuda:0", stream=cuda_handle(7))


class Wrong(anystream.DLPackMixin[OneAPI]):
    def __anystream__(self) -> Array[Cuda]:  # E: override
        raise NotImplementedError


def bare(x: Bare) -> None:
    x.__dlpack__(stream=object())
    assert_type(anystream.from_dlpack(x), Array[Any])
    any_stream: SupportsDLPack[object] = x
    device: SupportsDLPackDevice[int] = x
    del any_stream, device


def on_cuda(x: OnCuda, theirs: SupportsCudaStream, queue: SupportsSyclQueue) -> None:
    x.__dlpack__(stream=1)
    x.__dlpack__(stream=theirs, copy=False)
    x.__dlpack__(stream=0)  # E: arg-type
    x.__dlpack__(stream=queue)  # E: arg-type
    assert_type(anystream.from_dlpack(x), Array[Cuda])
    takes: SupportsDLPack[CudaStream] = x
    wrong: SupportsDLPack[SupportsSyclQueue] = x  # E: assignment
    with anystream.borrow(x) as a:
        assert_type(a, Array[Cuda])
    del takes, wrong


def generic(
    x: one_dlpack.Array[Cuda], y: one_dlpack.Array[Simulated], stream: Stream[Cuda]
) -> None:
    x.__dlpack__(stream=stream)
    x.__dlpack__(stream=cuda_handle(7), max_version=(1, 1))
    x.__dlpack__(stream=7)  # E: arg-type
    y.__dlpack__(stream=stream)  # E: arg-type
    assert_type(x.__anystream__(), Array[Cuda])
    assert_type(x.stream, Stream[Cuda] | None)
    assert_type(anystream.from_dlpack(y), Array[Simulated])
    made = one_dlpack.Array(0, (0,), "float32", "cuda:0", stream=stream)
    assert_type(made, one_dlpack.Array[Cuda])
    assert_type(one_dlpack.from_dlpack(x), one_dlpack.Array[Any])
    one_dlpack.Array[OneAPI](0, (0,), "float32", "oneapi:0", stream=stream)  # E: arg-type
