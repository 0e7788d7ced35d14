# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""An array library whose one ``__dlpack__`` serves every device type."""

from collections.abc import Callable
from typing import Any

import anystream


class Array(anystream.DLPackMixin):
    """Memory that some runtime has allocated, and the stream that it is written on."""

    __slots__ = ("_device", "_dtype", "_memory", "_owner", "_shape", "_stream")

    def __init__(
        self, memory: int, shape: tuple[int, ...], dtype: str, device: Any, stream: Any, owner: Any
    ) -> None:
        self._memory = memory
        self._shape = shape
        self._dtype = dtype
        self._device = anystream.Device(device)
        self._stream = stream
        self._owner = owner

    def __anystream__(self) -> anystream.Array:
        """Say where the memory is, and what may be pending: all that the mixin needs."""
        return anystream.from_pointer(
            self._memory,
            self._shape,
            self._dtype,
            self._device,
            stream=self._stream,
            owner=self._owner,
        )

    def launch(self, kernel: Callable[[int, Any], None], *, after: Any = None) -> None:
        """Run something on the array's stream, after the work of another stream."""
        if after is not None:
            anystream.order(producer=after, consumer=self._stream)
        kernel(self._memory, self._stream)


class Plain:
    """The same without the mixin, for a library that makes its capsules itself."""

    def __init__(self, array: Array, export: Callable[..., Any]) -> None:
        self._array = array
        self._export = export

    def __dlpack__(self, *, stream: Any = None, **how: Any) -> Any:
        """Check the stream, have it wait for what is pending, and export."""
        consumer = anystream.resolve_stream(self._array._device, stream)  # noqa: SLF001
        consumer.wait_stream(self._array._stream)  # noqa: SLF001
        return self._export(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()
