# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Vulkan queues as a platform of anystream: floats, one kernel, and streams to run it on.

    device = Device()
    queue = Queue(device)
    x = Array(queue, [1.0, 2.0])
    x.add(1.0)  # on the queue; the host goes on
    print(anystream.handoff(x, to="numpy"))  # waits for the queue, and views the memory

A ``Queue`` is in-order, and a stream wherever anystream takes one. Two queues of one ``Device``
wait for each other by their timeline semaphores; those of two devices by a thread that waits for
the one and signals the other, so that no caller waits.
"""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import anystream
from anystream_vulkan._core import (
    Device,
    Memory,
    Queue,
    VulkanError,
    add,
    peek,
    register_platform,
)

__all__ = ["Array", "Device", "Queue", "VulkanError", "from_dlpack", "locked"]

PLATFORM = "vulkan_example"
_FLOAT = 4


@contextmanager
def locked(queue: Queue) -> Iterator[int]:
    """Give the VkQueue behind a queue, which nobody else uses during the block.

    Vulkan wants a VkQueue used by one thread at a time, so that whoever submits to it by other
    means does it here. What is submitted counts as the queue's own work where anystream orders.
    """
    queue._lock()  # noqa: SLF001 - the package's own
    try:
        yield queue.vk_queue
    finally:
        queue._unlock()  # noqa: SLF001


class Array(anystream.DLPackMixin):
    """Floats in memory that the device and the host see, and the queue that they are written on."""

    def __init__(self, queue: Queue, values: Sequence[float], shape: tuple[int, ...] = ()) -> None:
        """Take numbers; they are there at once. ``shape``: as they are, in one dimension."""
        self.shape = shape or (len(values),)
        if prod(self.shape) != len(values):
            raise ValueError(f"Array(shape) takes {len(values)} elements; got {self.shape}")
        memory = Memory(queue.device, array("f", values).tobytes())
        self._set(queue, queue.device.number, memory.handle, 0, memory)

    def _set(self, queue: Queue, device: int, handle: int, offset: int, owner: Any) -> None:
        self.queue = queue
        self.device = f"vulkan:{device}"  # of the memory, which the other devices see as well
        self._handle = handle
        self._offset = offset
        self._owner = owner

    def __anystream__(self) -> anystream.Array:
        """Say where the memory is and what may be pending there: all that the mixin asks."""
        return anystream.from_pointer(
            self._handle,
            self.shape,
            "float32",
            self.device,
            byte_offset=self._offset,
            stream=self.queue,
            owner=self._owner,
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """Give DLPack's pair. The mixin would make an array to know it."""
        return anystream.Device(self.device).__dlpack_device__()

    def add(self, amount: float, *, to: "Array | None" = None, rounds: int = 0) -> None:
        """Put a kernel into the queue: it adds a number to each element, here or in another array.

        ``rounds`` makes it slow: so much work is done for each element before.
        """
        target = self if to is None else to
        if prod(target.shape) != prod(self.shape):
            raise ValueError(f"add(to) takes an array of {self.shape}; got {target.shape}")
        where = (target._handle, target._offset, self._handle, self._offset)  # noqa: SLF001
        add(self.queue, *where, prod(self.shape), rounds, amount)

    def tolist(self) -> list[float]:
        """Wait for the queue, and give the elements in a flat list."""
        self.queue.wait()
        return self.peek()

    def peek(self) -> list[float]:
        """Give the elements as they are now, in a flat list, without waiting for anything."""
        start = self._offset
        bytes_now = peek(self._handle)[start : start + prod(self.shape) * _FLOAT]
        return array("f", bytes_now).tolist()


def from_dlpack(x: Any, queue: Queue) -> Array:
    """Take an array of floats of any library; its work so far comes before the queue's next."""
    here = x.__dlpack_device__()[0] == anystream.DeviceType.VULKAN
    device = None if here else f"vulkan:{queue.device.number}"
    taken = anystream.from_dlpack(x, stream=queue, device=device)
    if taken.dtype.name != "float32" or taken.nbytes != _span(taken):
        raise ValueError(f"from_dlpack takes float32, row-major; got {taken!r}")
    made = Array.__new__(Array)
    made.shape = taken.shape
    made._set(queue, taken.device.id, taken.data_ptr, taken.byte_offset, taken)  # noqa: SLF001
    return made


def _span(taken: anystream.Array) -> int:
    """Count the bytes of a row-major array of this shape; 0 where the strides are others."""
    expected = tuple(prod(taken.shape[i + 1 :]) for i in range(taken.ndim))
    return taken.size * _FLOAT if taken.strides == expected else 0


def register() -> None:
    """Make the queues a platform: anystream calls this when it meets what it does not know."""
    register_platform()
    anystream.register_stream_type(Queue, PLATFORM, handle="attr:handle")


def register_arrays() -> None:
    """Let anystream know the arrays by their class."""
    anystream.register_library(
        "anystream_vulkan",
        arrays=Array,
        stream="queue",
        orders="orders",
        quiet=-1,
    )
