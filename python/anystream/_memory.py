# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Memory as an interface other than DLPack's describes it, and the Array that is made of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from anystream._core import Array, Stream, _array_from_pointer
from anystream._device import Device

Triple = tuple[int, int, int]  # DLPack's code, bits and lanes


@dataclass(frozen=True, slots=True)
class Memory:
    """What an interface says: all that a DLPack tensor has, and what keeps the memory alive."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None  # in elements; None: row-major
    dtype: Triple
    device: Device
    owner: Any
    readonly: bool = False
    byte_offset: int = 0
    padded: bool = False  # elements of less than a byte have one each
    stream: Stream | None = None  # what is pending on it
    stream_is: str = ""  # where it was found, in words
    idle: bool = False  # the interface says that nothing is pending
    # Done when it is handed over: the handle of memory that has none yet, and what owns it; and
    # having a stream wait for what is pending beside the one above.
    make: Callable[[], tuple[int, Any]] | None = None
    join: Callable[[Stream], None] | None = None

    def taken(self, stream: Stream | None) -> "Memory":
        """Give the memory for a hand-off whose order begins with a stream; None: with none."""
        if self.join is not None and stream is not None:
            self.join(stream)
        if self.make is None:
            return self
        pointer, owner = self.make()
        return replace(self, pointer=pointer, owner=owner, make=None)


def wrapped(memory: Memory, stream: Stream | None, plan: Any) -> Array:
    """Make an Array of it, on a stream; the owner lives as long."""
    return _array_from_pointer(
        memory.pointer,
        memory.shape,
        memory.strides,
        memory.dtype,
        memory.device.__dlpack_device__(),
        byte_offset=memory.byte_offset,
        readonly=memory.readonly,
        owner=memory.owner,
        stream=stream,
        plan=plan,
        padded=memory.padded,
    )


def itemsize_of(dtype: Triple) -> int:
    """Count the bytes of one element, rounded up to whole ones."""
    return (dtype[1] * dtype[2] + 7) // 8


def in_elements(
    strides: tuple[int, ...], shape: tuple[int, ...], itemsize: int
) -> tuple[int, ...] | None:
    """Count strides in elements that were in bytes; None where that is no whole number.

    A stride that no step is taken along says nothing, so it may be any.
    """
    steps = 0 not in shape
    for stride, extent in zip(strides, shape, strict=True):
        if stride % itemsize and extent > 1 and steps:
            return None
    return tuple(stride // itemsize for stride in strides)
