# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""An array library whose one ``__dlpack__`` serves arrays on every device type."""

import math
from typing import Any, TypeVar

import anystream
from anystream.typing import Platform

_SIZES = {"float32": 4, "int32": 4, "uint8": 1}

P = TypeVar("P", bound=Platform[Any])


class Array(anystream.DLPackMixin[P]):
    """Memory that some runtime has allocated, and the stream that it is written on."""

    def __init__(
        self,
        memory: int,
        shape: tuple[int, ...],
        dtype: str,
        device: str | anystream.Device,
        *,
        stream: anystream.Stream[P] | None = None,
        owner: Any = None,
    ) -> None:
        """Take an address, or a buffer's handle, and what keeps it alive."""
        self.memory = memory
        self.shape = shape
        self.dtype = dtype
        self.device = anystream.Device(device)
        self.stream = stream
        self._owner = owner

    def __anystream__(self) -> anystream.Array[P]:
        """Say where the memory is and what may be pending there: all that the mixin asks."""
        return anystream.from_pointer(
            self.memory,
            self.shape,
            self.dtype,
            self.device,
            stream=self.stream,
            owner=self._owner,
        )

    def wait_for(self, stream: Any) -> None:
        """Have what is queued on the array's own stream from now on come after another's work."""
        anystream.order(producer=stream, consumer=self.stream)

    @property
    def nbytes(self) -> int:
        """Count the bytes of the elements."""
        return math.prod(self.shape) * _SIZES[self.dtype]


def from_dlpack(x: object, /, *, stream: Any = None) -> Array[Any]:
    """Take an array of any library; its work so far comes before what is queued on the stream."""
    taken = anystream.from_dlpack(x, stream=stream)
    where = (taken.data_ptr, taken.shape, taken.dtype.name, taken.device)
    return Array(*where, stream=taken.stream, owner=taken)
