# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated accelerator: devices and streams of threads, which a test holds and releases."""

import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from anystream._arguments import got
from anystream._core import (
    Array,
    DriverUnavailable,
    Stream,
    _array_empty,
    _simulated_call,
    _simulated_capsule,
    _simulated_copy,
    _simulated_device,
    _simulated_fill,
    _simulated_find_stream,
    _simulated_hold,
    _simulated_peek,
    _simulated_pending,
    _simulated_resume,
    _simulated_stream,
    _simulated_stream_name,
    _simulated_stream_release,
)
from anystream._device import Device
from anystream._dtype import DType
from anystream.testing._elements import Number, pack, unpack

if TYPE_CHECKING:
    from anystream._markers import Simulated

_EXT_DEV = 12  # kDLExtDev
_PLATFORM = "simulated"
_LONGEST_DELAY = 4294  # seconds; the core takes microseconds of 32 bits


class SimulatedStream:
    """A stream of a simulated device: a thread that runs what is queued.

    In order, operations run first in, first out. Out of order, the newest that may start is started
    first, which is the order that is hardest on a missing barrier. Get one from
    ``SimulatedDevice.stream()``; when the last of these objects goes, a hold is lifted, and what is
    queued still runs.
    """

    __slots__ = ("__weakref__", "_device", "_finalizer", "_handle")

    def __init__(self, device: Device, handle: int) -> None:
        """Wrap an owned handle; ``SimulatedDevice.stream()`` makes them."""
        takes = "SimulatedStream(device, handle) takes what SimulatedDevice.stream() gives it"
        _check(handle, int, takes)
        if not 0 <= handle < 2**64:
            raise ValueError(f"{takes}; got {got(handle)}.")
        self._device = device
        self._handle = handle
        _count(handle, 1)
        self._finalizer = weakref.finalize(self, _let_go, handle)
        self._finalizer.atexit = False  # the process ends without waiting for any stream

    @property
    def name(self) -> str:
        """Its name, unique among the live streams of the device."""
        return _simulated_stream_name(self._handle)

    @property
    def device(self) -> Device:
        """The device that it belongs to."""
        return self._device

    @property
    def in_order(self) -> bool:
        """Whether operations run in the order in which they were queued."""
        return Stream(self).in_order

    @property
    def handle(self) -> int:
        """The number that names it; checked wherever it is used, never followed."""
        return self._handle

    @property
    def pending(self) -> int:
        """How many operations are queued or running, records and waits included."""
        return _simulated_pending(self._handle)

    def hold(self) -> None:
        """Start nothing further until ``release()``; what is running ends."""
        _simulated_hold(self._handle)

    def release(self) -> None:
        """Go on after ``hold()``."""
        _simulated_resume(self._handle)

    def fill(self, array: Array, value: Number | bytes) -> None:
        """Queue the writing of one value (or of one element's bytes) to all of a dense array."""
        _check_array(array, "array")
        _simulated_fill(self._handle, array, pack(value, array.dtype))

    def copy(self, target: Array, source: Array) -> None:
        """Queue a copy of a dense array to one of the same size; either may be the host's."""
        _check_array(target, "target")
        _check_array(source, "source")
        _simulated_copy(self._handle, target, source)

    def call(self, function: Callable[[], object]) -> None:
        """Queue a call of a function, on the stream's thread."""
        if not callable(function):
            raise TypeError(
                f"SimulatedStream.call(…) takes a function without parameters; got {got(function)}."
            )
        _simulated_call(self._handle, function)

    def synchronize(self) -> None:
        """Wait until what is queued now has run; on a held stream, until it is released."""
        Stream(self).synchronize()

    def _get_capsule(self) -> object:
        return _simulated_capsule(self._handle)

    def __repr__(self) -> str:
        """Say which stream it is, and how much is pending."""
        order = "in order" if self.in_order else "out of order"
        return f"<SimulatedStream {self.name!r} on {self.device}, {order}, {self.pending} pending>"


# How many objects there are of a stream. What is put off until the stream is done keeps the stream,
# too, so that its own references do not tell whether anybody could still lift a hold.
_objects: Counter[int] = Counter()
_counting = RLock()


def _count(handle: int, change: int) -> int:
    with _counting:
        _objects[handle] += change
        left = _objects[handle]
        if not left:
            del _objects[handle]
        return left


def _let_go(handle: int) -> None:
    if not _count(handle, -1):
        with suppress(DriverUnavailable):  # a forked child has no streams that could be held
            _simulated_resume(handle)
    _simulated_stream_release(handle)


class SimulatedDevice:
    """A software accelerator, of device type kDLExtDev and platform "simulated".

    New memory reads 0xA5 until an operation wrote it, and 0xDD after it was freed. ``max_delay``
    (seconds) puts a delay, drawn from ``seed``, before each operation. As a context manager it
    releases the streams that were made through it on leaving, so that nothing stays held.
    """

    __slots__ = ("_default", "_id", "_streams")

    def __init__(self, seed: int = 0, max_delay: float = 0.0) -> None:
        """Make a new device; its number counts up from 0."""
        _check(seed, int, "SimulatedDevice(seed=…) takes an int")
        self._adopt(_simulated_device(seed & 0xFFFF_FFFF_FFFF_FFFF, _microseconds(max_delay)))

    def _adopt(self, device_id: int) -> None:
        self._id = device_id
        self._streams: weakref.WeakSet[SimulatedStream] = weakref.WeakSet()
        self._default: SimulatedStream | None = None

    @property
    def device(self) -> Device:
        """The device as the rest of anystream names it."""
        return Device(_EXT_DEV, self._id, _PLATFORM)

    @property
    def default_stream(self) -> SimulatedStream:
        """The in-order stream that ``full()`` uses where none is named."""
        if self._default is None:
            self._default = self.stream("default")
        return self._default

    def stream(self, name: str | None = None, in_order: bool = True) -> SimulatedStream:
        """Make a stream; without a name it is called "stream N"."""
        _check(in_order, bool, "SimulatedDevice.stream(in_order=…) takes True or False")
        named = "" if name is None else _name(name, "SimulatedDevice.stream(name)")
        return self._own(_simulated_stream(self._id, named, in_order))

    def find_stream(self, name: str) -> SimulatedStream:
        """Give a further reference to a live stream; ValueError lists the names."""
        named = _name(name, "SimulatedDevice.find_stream(name)")
        return self._own(_simulated_find_stream(self._id, named))

    def hold(self, name: str) -> None:
        """Hold a stream by its name."""
        self._by_name(name, _simulated_hold)

    def release(self, name: str) -> None:
        """Release a stream by its name."""
        self._by_name(name, _simulated_resume)

    def _by_name(self, name: str, function: Callable[[int], None]) -> None:
        """Call a function with a stream's handle: an object of it would lift a hold as it goes."""
        handle = _simulated_find_stream(self._id, _name(name, "SimulatedDevice.find_stream(name)"))
        try:
            function(handle)
        finally:
            _simulated_stream_release(handle)

    def empty(
        self,
        shape: int | tuple[int, ...],
        dtype: str | DType = "float32",
        stream: SimulatedStream | Stream | None = None,
    ) -> "Array[Simulated]":
        """Make a poisoned array, whose producer's stream is ``stream``."""
        _check(shape, (int, tuple, list), "a shape is an int, or a tuple or list of ints")
        return _array_empty(
            (shape,) if isinstance(shape, int) else tuple(shape),
            DType(dtype).triple,
            (_EXT_DEV, self._id),
            platform=_PLATFORM,
            stream=None if stream is None else Stream(stream, self.device),
        )

    def full(
        self,
        shape: int | tuple[int, ...],
        value: Number | bytes,
        dtype: str | DType = "float32",
        stream: SimulatedStream | None = None,
    ) -> "Array[Simulated]":
        """Make an array and queue its filling on ``stream``, its producer's stream."""
        producer = self.default_stream if stream is None else stream
        _check(producer, SimulatedStream, "SimulatedDevice.full(stream=…) takes a SimulatedStream")
        array = self.empty(shape, dtype, producer)
        producer.fill(array, value)
        return array

    def _own(self, handle: int) -> SimulatedStream:
        stream = SimulatedStream(self.device, handle)
        self._streams.add(stream)
        return stream

    def __enter__(self) -> Self:
        """Nothing is done on entering."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the streams that are still held."""
        for stream in list(self._streams):
            stream.release()

    def __repr__(self) -> str:
        """Say which device it is."""
        return f"<SimulatedDevice {self.device}>"


def peek(array: Array) -> bytes:
    """Give the bytes that simulated memory holds at this moment, in order with nothing."""
    _check_array(array, "array")
    return _simulated_peek(array)


def values(array: Array) -> list[Number]:
    """Give the numbers that simulated memory holds at this moment, in order with nothing."""
    return unpack(peek(array), array.dtype)


def _check_array(array: object, name: str) -> None:
    fix = "Make one with SimulatedDevice.empty(), or with anystream.from_dlpack()."
    _check(array, Array, f"{name} is an anystream.Array", fix)


def _check(value: object, kinds: Any, takes: str, fix: str = "") -> None:
    if isinstance(value, kinds) and (kinds is bool or not isinstance(value, bool)):
        return
    raise TypeError(f"{takes}; got {got(value)}." + (f"\n  {fix}" if fix else ""))


def _name(name: str, where: str) -> str:
    """Check what is to be a C string."""
    _check(name, str, f"{where} takes a str")
    if "\0" in name or not name.isprintable():
        raise ValueError(f"{where} takes a str that can be printed; got {got(name)}.")
    return name


def _microseconds(seconds: float) -> int:
    _check(seconds, (int, float), "SimulatedDevice(max_delay=…) takes a number of seconds")
    if 0 <= seconds <= _LONGEST_DELAY:
        return round(seconds * 1e6)
    raise ValueError(
        f"max_delay is a number of seconds from 0 to {_LONGEST_DELAY}; got {seconds!r}."
    )
