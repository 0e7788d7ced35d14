# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What an array library needs for a ``__dlpack__`` of its own: one for all device types."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from anystream import _core
from anystream._arguments import got, tells_its_parameters
from anystream._core import (
    Array,
    DriverUnavailable,
    Stream,
    _array_from_pointer,
    _array_on_stream,
)
from anystream._device import Device, DeviceLike, named_device
from anystream._dtype import DType
from anystream._generic import PlatformT_co
from anystream._release import Release, release_here
from anystream._streams import as_stream, named, row_of

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

    from anystream._core import Ordered
    from anystream._markers import Platform

_StreamT = TypeVar("_StreamT")
_STREAM = "__dlpack__(stream=…)"


@dataclass(frozen=True, slots=True)
class ConsumerStream:
    """What a consumer's ``stream`` argument means on a device, checked.

    ``form`` is ``"stream"`` where it names one (``stream`` is it), ``"default"`` for None,
    ``"unordered"`` for -1, and ``"foreign"`` for an object that nobody here knows, on a device type
    that has no platform: it is left to the library that made it. ``argument`` is what was given.
    """

    device: Device
    form: Literal["stream", "default", "unordered", "foreign"]
    stream: Stream | None
    argument: Any

    def wait_stream(self, producer: Any) -> "Ordered":
        """Order what the consumer will do after the producer's work so far; tell how.

        ``producer`` is the stream that the array was written on: anything that ``Stream(…)`` takes,
        or None where nothing is pending. A named stream waits on the device (``"event"``,
        ``"barrier"``, or ``"nothing"`` where it is the same one). For None it is what the device
        type's row promises: CUDA's and ROCm's default streams wait; elsewhere the host waits,
        without the GIL (``"host_wait"``, ``"idle"`` where nothing was pending). -1: nothing.

        Raises ValueError for a consumer's stream that is out-of-order, DriverUnavailable for a
        foreign one and where no backend can order, DriverError if the driver fails. Any thread.
        """
        if producer is None or self.form == "unordered":
            return "nothing"
        if self.form == "foreign":
            raise DriverUnavailable(
                f"{_STREAM}: nobody here can order {got(self.argument)} after anything, since "
                f"{self.device} has no platform.\n  Order it with the library that made it, or "
                "register the platform: anystream.register_platform(…)."
            )
        return self._wait_stream(_producer_of(producer, self.device))

    def _wait_stream(self, producer: Stream) -> "Ordered":
        consumer = self.stream if self.form == "stream" else self._default()
        if consumer is None:
            return _core.synchronize_stream(producer)
        _core.check_consumer(consumer, _STREAM)
        return _core.order_streams(producer, consumer)

    def _default(self) -> Stream | None:
        """Give the stream that None stands for; None where the host has to wait."""
        numbers = {"legacy_default": 1, "default_stream": 0}
        rule = row_of(self.device).get("on_none")
        return as_stream(numbers[rule], self.device) if rule in numbers else None


def _producer_of(producer: Any, device: Device) -> Stream:
    found = named(producer, device, "wait_stream(producer)").stream
    if found is None:
        raise TypeError(
            f"wait_stream(producer) takes a stream of {device}, or None where nothing is pending; "
            f"got {got(producer)}."
        )
    return found


@tells_its_parameters
def resolve_stream(device: DeviceLike, stream: Any, *, where: str = _STREAM) -> ConsumerStream:
    """Check what a consumer passed as ``stream`` for an array on ``device``, and resolve it.

    For array libraries: ``resolve_stream(self.device, stream).wait_stream(self.stream)`` is the
    stream part of a ``__dlpack__`` for all device types. ``device`` is anything that ``Device(…)``
    takes; ``where`` is how messages call the parameter. Nothing is ordered yet.

    Raises, by the rules of the device type, TypeError for what is no stream there and ValueError
    for a wrong value (bare 0 on CUDA, 1 and 2 on ROCm, numbers below -1, a capsule that was used
    up); DriverUnavailable where a handle must be copied and its driver is not there. What a foreign
    object raises while it is asked for its handle is left as it is. Any thread.
    """
    place = named_device(device, "resolve_stream(device)")
    found = named(stream, place, where)
    return ConsumerStream(place, found.form, found.stream, stream)


@tells_its_parameters
def from_pointer(
    pointer: int,
    shape: tuple[int, ...],
    dtype: Any,
    device: DeviceLike,
    *,
    strides: tuple[int, ...] | None = None,
    byte_offset: int = 0,
    readonly: bool = False,
    owner: object = None,
    stream: Any = None,
    release: Release | None = None,
    frees_in_order: bool = False,
) -> Array:
    """Make an Array of memory that the caller has, and vouches for; nothing is copied.

    ``pointer`` is what DLPack calls data: an address, or the handle of a buffer on device types
    where memory has one (OpenCL, Metal, Vulkan, WebGPU), to which nothing is added; ``byte_offset``
    is told apart. ``shape`` and ``strides`` (None: row-major) are in elements, ``dtype`` is
    anything that ``DType(…)`` takes. ``stream`` is the one that it was written on: consumers'
    streams wait for it. ``owner`` is let go when no consumer uses the memory any more, by the
    policy ``release``, as of a hand-off; ``frees_in_order`` says that letting it go while work is
    pending on ``stream`` is right, since it frees in the order of that stream.

    Raises TypeError and ValueError for arguments of a wrong kind, BufferError for a layout that
    cannot be, as ``from_dlpack`` does. Any thread.
    """
    place = named_device(device, "from_pointer(device)")
    kind = DType(dtype)
    made_on = None if stream is None else named(stream, place, "from_pointer(stream)").stream
    if stream is not None and made_on is None:
        raise TypeError(
            f"from_pointer(stream=…) takes a stream of {place}, or None; got {got(stream)}."
        )
    array = _array_from_pointer(
        pointer,
        shape,
        strides,
        kind.triple,
        place.__dlpack_device__(),
        byte_offset=byte_offset,
        readonly=readonly,
        owner=owner,
        stream=made_on,
        plan=None,
        platform=place.platform,
    )
    if made_on is None:
        return array
    return _array_on_stream(
        array,
        made_on,
        None,
        homes=(made_on,),
        release=release_here(release, "from_pointer"),
        frees_in_order=frees_in_order,
        fresh=True,
    )


class DLPackMixin(Generic[PlatformT_co]):
    """``__dlpack__`` and ``__dlpack_device__`` for an array class that can say where its memory is.

    A subclass defines ``__anystream__``, which gives an Array of its memory on the stream that it
    was written on (``from_pointer`` makes one). What ``stream``, ``max_version``, ``dl_device`` and
    ``copy`` may be is then what anystream does: every value of every device type is taken or
    refused by its rules, the consumer's stream waits, and the memory is not given back before its
    consumers are done.

    For type checkers the class is generic over the platform: a ``class Tensor(DLPackMixin[P])``
    takes as ``stream``, where it is a ``Tensor[Cuda]``, what an ``Array[Cuda]`` takes.
    """

    __slots__ = ()

    def __anystream__(self) -> "Array[PlatformT_co]":
        """Give the array's memory, of this moment."""
        raise NotImplementedError(
            f"{type(self).__qualname__} is a DLPackMixin without __anystream__(): define it to "
            "give anystream.from_pointer(…) of the array's memory."
        )

    def __dlpack__(
        self: "DLPackMixin[Platform[_StreamT]]",
        *,
        stream: _StreamT | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> "CapsuleType":
        """Export the array, ordered after its pending work, as ``Array.__dlpack__`` does."""
        return self.__anystream__().__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """Give DLPack's pair: (device type, id)."""
        return self.__anystream__().__dlpack_device__()
