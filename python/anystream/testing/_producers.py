# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers for tests: one that does what it should, and others that do what libraries do."""

import math
from typing import Any

from anystream._arguments import got
from anystream._core import Array, Carrier, Stream, _array_from_pointer, parse_dtype
from anystream.testing._elements import Number
from anystream.testing._simulated import SimulatedDevice, SimulatedStream

_PLATFORM = "simulated"


class OrderingProducer:
    """An array of a library that keeps to the standard: the stream that it is given waits for it.

    For -1 it does nothing, and for None it waits on the host. Any stream of the simulation will do,
    in any form. What tests of consumers want, and what the other producers are made of.

    Any thread, on an exploring device its own. Raises what ``anystream.Stream`` raises for what is
    no stream of the simulation.

    Args:
        array: Dense memory of a simulated device.
        stream: The stream that its pending work is on.
    """

    def __init__(self, array: Array, stream: SimulatedStream) -> None:
        """Stand for an array whose writing may be pending."""
        self._array = array
        self._stream = stream

    @property
    def array(self) -> Array:
        """The memory, for looking at it."""
        return self._array

    @property
    def stream(self) -> SimulatedStream:
        """The stream that its pending work is on."""
        return self._stream

    def __dlpack_device__(self) -> tuple[int, int]:
        """Give the device."""
        return self._array.__dlpack_device__()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Order the stream as this producer does, and export; never a copy, on no other device."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError(
                "a producer of anystream.testing gives views on its own device only; got "
                f"dl_device={dl_device!r}, copy={copy!r}."
            )
        self._order(stream)
        return Carrier(self._array).__dlpack__(max_version=max_version)

    def _order(self, stream: Any) -> None:
        if stream is None:
            self._stream.synchronize()
        elif isinstance(stream, Stream):
            stream.wait_stream(self._stream)
        elif type(stream) is not int or stream != -1:
            Stream(stream).wait_stream(self._stream)


class IgnoringProducer(OrderingProducer):
    """An array of a library that has the keyword ``stream``, and does nothing with it."""

    def _order(self, stream: Any) -> None:
        pass


class PickyProducer(OrderingProducer):
    """An array of a library that takes only its own stream class, here SimulatedStream.

    None and -1 are taken as OrderingProducer takes them; TypeError for anything else, an
    ``anystream.Stream`` or a capsule included. A hand-off gives it the object that it was itself
    given as ``stream``.
    """

    def _order(self, stream: Any) -> None:
        ours = stream is None or isinstance(stream, SimulatedStream)
        if not ours and (type(stream) is not int or stream != -1):
            raise TypeError(
                "PickyProducer.__dlpack__(stream=…) takes None, -1 or a SimulatedStream; got "
                f"{got(stream)}.\n  Pass it an object of that class."
            )
        super()._order(stream)


class RecordingProducer(OrderingProducer):
    """An array that records what it is asked, and otherwise is an OrderingProducer."""

    def __init__(self, array: Array, stream: SimulatedStream) -> None:
        """Stand for an array whose writing may be pending."""
        super().__init__(array, stream)
        self.calls: list[dict[str, Any]] = []
        """The keywords of each call of ``__dlpack__``, as they came."""

    def __dlpack__(self, **keywords: Any) -> Any:
        """Record, order, and export."""
        self.calls.append(keywords)
        return super().__dlpack__(**keywords)


class RecyclingProducer:
    """A library that recycles the memory of its arrays at once, whatever is pending on them.

    When the last reference to an array goes, consumers' included, its memory is the next that is
    given out for an array of the same size; or it is freed, where ``frees`` is True. So a consumer
    whose reading is pending then reads the values of the next array, or freed memory.

    Any thread, on an exploring device its own.

    Args:
        device: Where the memory is.
        stream: The stream that all arrays are written on.
        frees: Free the memory instead of giving it out again.
    """

    def __init__(
        self, device: SimulatedDevice, stream: SimulatedStream, *, frees: bool = False
    ) -> None:
        """Begin with no memory."""
        self._device = device
        self._stream = stream
        self._frees = frees
        self._free: dict[int, list[Array]] = {}

    def full(
        self, shape: int | tuple[int, ...], value: Number | bytes, dtype: str = "float32"
    ) -> OrderingProducer:
        """Make an array, of recycled memory where there is some, and queue its filling."""
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        array = self._wrapped(self._memory(extents, dtype), extents, dtype)
        self._stream.fill(array, value)
        return OrderingProducer(array, self._stream)

    def _memory(self, shape: tuple[int, ...], dtype: str) -> Array:
        _, bits, lanes = parse_dtype(dtype)
        recycled = self._free.get((math.prod(shape) * bits * lanes + 7) // 8)
        if recycled:
            return recycled.pop()
        # Without a stream of its own: freeing it is for this class to order, which does not.
        return self._device.empty(shape, dtype)

    def _wrapped(self, memory: Array, shape: tuple[int, ...], dtype: str) -> Array:
        return _array_from_pointer(
            memory.data_ptr,
            shape,
            None,
            parse_dtype(dtype),
            self._device.device.__dlpack_device__(),
            readonly=False,
            owner=_Lease(memory, None if self._frees else self._free),
            stream=None,  # an Array that knew it would keep the memory until that is done with it
            plan=None,
            platform=_PLATFORM,
        )


class _Lease:
    """Keeps memory for as long as an array uses it."""

    __slots__ = ("_memory", "_pool")

    def __init__(self, memory: Array, pool: dict[int, list[Array]] | None) -> None:
        self._memory = memory
        self._pool = pool

    def __del__(self) -> None:
        if self._pool is not None:
            self._pool.setdefault(self._memory.nbytes, []).append(self._memory)
