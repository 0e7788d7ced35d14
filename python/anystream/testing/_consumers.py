# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Consumers for tests: one that names its stream, one that does not, and one that records."""

from typing import Any, NamedTuple

from anystream._core import Array, from_dlpack
from anystream.testing._simulated import SimulatedDevice, SimulatedStream

_MAX_VERSION = (1, 3)


class ReadingConsumer:
    """A library that names its stream to producers, and reads there, into memory of its own.

    It orders nothing by itself: it trusts the producer, as the standard has it. It lets go of the
    array as soon as the reading is queued, as libraries do.

    Any thread, on an exploring device its own. The producer's errors come through.

    Args:
        device: Where its own memory is.
        stream: The stream that it works on.
    """

    def __init__(self, device: SimulatedDevice, stream: SimulatedStream) -> None:
        """Work on a stream."""
        self._device = device
        self._stream = stream

    @property
    def stream(self) -> SimulatedStream:
        """The stream that it works on."""
        return self._stream

    def from_dlpack(self, x: Any) -> Array:
        """Import an array of any library on the simulated device, by one call of ``__dlpack__``."""
        array: Array = from_dlpack(self._export(x))
        return array

    def read(self, x: Any) -> Array:
        """Import an array, and queue the reading of all of it; give what it is read into.

        An ``anystream.Array`` is read as it is: whoever made it has ordered it. The result has the
        shape and dtype of x, and is there when the stream has come so far. ValueError: x is not
        dense.
        """
        array = x if isinstance(x, Array) else self.from_dlpack(x)
        result = self._device.empty(array.shape, array.dtype, self._stream)
        self._stream.copy(result, array)
        return result

    def _export(self, x: Any) -> Any:
        return x.__dlpack__(stream=self._stream, max_version=_MAX_VERSION)


class IgnoringConsumer(ReadingConsumer):
    """A library that knows of no streams: it calls ``__dlpack__`` with nothing, and reads."""

    def _export(self, x: Any) -> Any:
        return x.__dlpack__()


class Taken(NamedTuple):
    """What a RecordingConsumer was given."""

    kind: type  # the class of the producer
    device: tuple[int, int]
    versioned: bool  # whether the capsule is of DLPack 1 or later
    shape: tuple[int, ...]
    readonly: bool


class RecordingConsumer(ReadingConsumer):
    """A ReadingConsumer that records what it was given."""

    def __init__(self, device: SimulatedDevice, stream: SimulatedStream) -> None:
        """Work on a stream."""
        super().__init__(device, stream)
        self.taken: list[Taken] = []
        """What was imported, in that order."""

    def from_dlpack(self, x: Any) -> Array:
        """Import an array, and record what it was."""
        capsule = self._export(x)
        versioned = '"dltensor_versioned"' in repr(capsule)
        array: Array = from_dlpack(capsule)
        device = array.__dlpack_device__()
        self.taken.append(Taken(type(x), device, versioned, array.shape, array.readonly))
        return array
