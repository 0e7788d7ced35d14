# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Markers: what a type checker knows once it has been asked where an array or a stream is."""

from typing import Any, assert_type

import anystream
from anystream import Array, Stream, is_on
from anystream.typing import Cuda, CudaHost, OneAPI, Platform, Rocm, SupportsDLPack


class MyQueue:
    """A stream of a platform that this program registers."""


class MyChip(Platform["MyQueue | Stream[MyChip]"]):
    """Its marker."""

    device_types = (16,)


class OfAnotherChip(Platform["MyQueue"]):
    """The marker of one that shares its device type with others, which its name tells apart."""

    device_types = (12,)
    platform = "another"


def an_array_is_asked(a: Array[Any]) -> None:
    if is_on(a, Cuda):
        assert_type(a, Array[Cuda])
        a.__dlpack__(stream=1)
    if is_on(a, OneAPI):
        assert_type(a, Array[OneAPI])
    if anystream.is_on(a, CudaHost):
        assert_type(a, Array[CudaHost])


def a_stream_is_asked(a: Array[Any], stream: Stream[Any]) -> None:
    if is_on(stream, OneAPI) and is_on(a, OneAPI):
        assert_type(stream, Stream[OneAPI])
        a.__dlpack__(stream=stream)


def one_of_two_is_asked(a: Array[Cuda] | Array[Rocm]) -> None:
    if is_on(a, Rocm):
        assert_type(a, Array[Rocm])
        a.__dlpack__(stream=0)


def what_an_array_gives(a: Array[Cuda]) -> None:
    assert_type(a.shape, tuple[int, ...])
    assert_type(a.readonly, bool)
    assert_type(a.__dlpack_device__(), tuple[int, int])
    assert_type(a.stream, Stream[Cuda] | None)


def a_platform_that_was_registered(
    a: Array[MyChip], stream: Stream[MyChip], b: Array[OfAnotherChip], c: Array[Any]
) -> Any:
    a.__dlpack__(stream=MyQueue())
    a.__dlpack__(stream=stream)
    b.__dlpack__(stream=MyQueue())
    theirs: SupportsDLPack[MyQueue] = a
    if is_on(c, MyChip):
        assert_type(c, Array[MyChip])
    assert_type(a.stream, Stream[MyChip] | None)
    return theirs


def of_every_platform(a: Array, b: Array[Any], c: Array[Cuda]) -> None:
    assert_type(a, Array[Any])
    for each in (a, b, c):
        assert each.ndim
