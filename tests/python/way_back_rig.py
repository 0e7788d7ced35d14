# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers that reuse memory at once, and consumers that are held with their work pending."""

from collections.abc import Callable
from typing import Any

import anystream
from anystream import _core
from anystream.testing import SimulatedDevice, SimulatedStream, values

ELEMENTS = 8
POLICIES = ("ordered", "deferred", "host", "none")


class _Token:
    """What a lent block's memory is kept by; the block is free again when it goes."""

    def __init__(self, freed: Callable[[], object]) -> None:
        self.freed = freed

    def __del__(self) -> None:
        self.freed()


class Lent:
    """An array of nobody's library, whose memory goes back to a pool with the last reference."""

    def __init__(self, block: anystream.Array, freed: Callable[[], object]) -> None:
        self.block, self._token = block, _Token(freed)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.block.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, **_: Any) -> Any:
        dtype = self.block.dtype
        array = _core._array_from_pointer(
            self.block.data_ptr,
            self.block.shape,
            None,
            (dtype.code, dtype.bits, dtype.lanes),
            self.__dlpack_device__(),
            readonly=False,
            owner=self._token,
            stream=None,
            plan=None,
            platform="simulated",
        )
        return _core.Carrier(array).__dlpack__(max_version=max_version)


class Pool:
    """A library that recycles memory: what is free is given out again first, and written to."""

    def __init__(self, device: SimulatedDevice, stream: SimulatedStream) -> None:
        self.device, self.stream = device, stream
        self.free: list[anystream.Array] = []

    def array(self, value: int) -> Lent:
        """Give an array that will hold a value."""
        block = (
            self.free.pop() if self.free else self.device.empty((ELEMENTS,), "int32", self.stream)
        )
        self.stream.fill(block, value)
        return Lent(block, lambda: self.free.append(block))


class Story:
    """A pool on one stream, a consumer on another, which is held."""

    def __init__(self) -> None:
        self.device = SimulatedDevice()
        self.producer = self.device.stream("producer")
        self.consumer = self.device.stream("consumer")
        self.pool = Pool(self.device, self.producer)

    def handed(self, value: int = 7, **policies: Any) -> anystream.Array:
        """Hand an array of the pool to the consumer; the pool's own reference has gone."""
        return anystream.from_dlpack(
            self.pool.array(value),
            stream=self.consumer,
            producer_stream=self.producer,
            **policies,
        )

    def read_late(self, array: anystream.Array) -> anystream.Array:
        """Queue a reader on the consumer, which is held from now on."""
        self.producer.synchronize()
        self.consumer.hold()
        target = self.device.empty((ELEMENTS,), "int32", self.consumer)
        self.consumer.copy(target, array)
        return target

    def reuse(self, value: int = 9) -> Lent:
        """Have the pool give out memory again and write to it, as far as it can without waiting."""
        return self.pool.array(value)

    def outcome(self, target: anystream.Array) -> list[Any]:
        """Let the consumer go; what its reader read."""
        self.consumer.release()
        self.consumer.synchronize()
        return values(target)


def all_equal(value: int) -> list[int]:
    return [value] * ELEMENTS
