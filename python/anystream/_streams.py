# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Streams: naming them, finding a library's current one, and ordering two of them."""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

from anystream import _core
from anystream._core import Stream
from anystream._device import Device
from anystream._peer import CurrentStream, Peer, follow
from anystream._peers import SYCL_QUEUE, VOUCHES_FOR_QUEUES

_ROWS = {row["value"]: row for row in _core.DEVICE_TABLE}
_PLATFORM_ROWS = {row["id"]: row for row in _core.PLATFORM_TABLE}


class Named(NamedTuple):
    """What a `stream` argument came to on a device."""

    form: Literal["default", "unordered", "stream", "foreign"]
    stream: Stream | None
    argument: Any


def named(stream: Any, device: Device, where: str) -> Named:
    """Check an argument against the rules of a device and resolve it; nothing is ordered."""
    form: Any
    form, result = _core.resolve_stream(
        stream, device.type, device.id, platform=device.platform, where=where
    )
    return Named(form, result if form == "stream" else None, stream)


def named_producers(argument: Any, device: Device, where: str) -> tuple[Stream, ...]:
    """Resolve `producer_stream=`: one stream or a list or tuple of them; -1 and None name none."""
    several = argument if isinstance(argument, (list, tuple)) else (argument,)
    resolved = (named(one, device, where) for one in several)
    return tuple(one.stream for one in resolved if one.stream is not None)


def row_of(device: Device) -> dict[str, Any]:
    """Give the table's row of a device, or that of its platform; {} for unknown device types."""
    if device.platform:
        return _PLATFORM_ROWS[device.platform]
    return _ROWS.get(device.type, {})


def can_order(device: Device) -> bool:
    """Tell whether a backend of this version orders on the device; opens its driver to know."""
    return _can_order(row_of(device).get("backend", ""))


@cache
def _can_order(backend: str) -> bool:
    # A backend without a driver is always there. The core remembers what became of each driver.
    for driver in _core.drivers():
        if driver["name"] == backend:
            return bool(driver["available"] and driver["has_backend"])
    return bool(backend)


def as_stream(value: Any, device: Device, null_means: int = 1) -> Stream:
    """Wrap what a library calls its stream: an object, or an int that the library vouches for."""
    if isinstance(value, int) and not isinstance(value, bool):
        handle = value or (null_means if row_of(device)["integers"] == "cuda" else 0)
        return Stream.from_handle(device, handle)
    found = named(value, device, "stream").stream
    if found is None:
        raise TypeError(f"{value!r} is no stream of {device}.")
    return found


def lenient(stream: Stream) -> Stream:
    """Give the same stream with the policy "barrier", for queues that the user did not name."""
    return stream if stream.in_order else Stream(stream, out_of_order="barrier")


def current_of(peer: Peer, device: Device) -> Stream | None:
    """Find a library's current stream of a device by its row; None where it has none there."""
    for row in peer.current:
        if row.device_type == device.type:
            return lenient(as_stream(_read_current(row, device), device))
    return None


def what_is_current(peer: Peer, device: Device) -> str:
    """Name, for a plan, what ``current_of`` finds; "" where there is none."""
    return next((row.what for row in peer.current if row.device_type == device.type), "")


def _read_current(row: CurrentStream, device: Device) -> Any:
    module = import_module(row.module)
    argument: Any = row.argument.format(id=device.id)
    builtin: dict[str, Callable[[str], Any]] = {"int": int, "str": str}
    convert = builtin.get(row.convert) or follow(module, row.convert)
    return follow(module, row.function)(convert(argument))


def queue_of(stream: Stream) -> Any:
    """Make the object that SYCL libraries take for a stream: the same queue, in their class."""
    module, name, _ = SYCL_QUEUE
    # The name is how dpctl spells the export of its queues; Stream has it for that reason.
    return getattr(import_module(module), name)(stream._get_capsule())  # noqa: SLF001


def can_choose(device: Device) -> bool:
    """Tell whether ``own_queue`` can choose a stream of a device."""
    row = row_of(device)
    return row.get("objects") == "sycl" or row.get("integers") in ("cuda", "rocm")


def own_queue(device: Device) -> Stream:
    """Choose a stream that nobody named: a new in-order queue, or the default stream."""
    row = row_of(device)
    if row["objects"] != "sycl":
        return Stream.from_handle(device, 1 if row["integers"] == "cuda" else 0)
    module, name, in_order = SYCL_QUEUE
    return as_stream(
        getattr(import_module(module), name)(str(device.id), property=in_order), device
    )


def copying_queue(device: Device) -> Stream | None:
    """Choose a stream for a copy of an array that has none; None where only the caller could."""
    return own_queue(device) if row_of(device).get("objects") == "sycl" else None


def known_sycl_queues() -> frozenset[int]:
    """Ints that a library says are the addresses of its current queues; imports nothing."""
    return frozenset(
        queue
        for module, *paths in VOUCHES_FOR_QUEUES
        if module in sys.modules
        for queue in _vouched(sys.modules[module], *paths)
    )


def _vouched(
    module: ModuleType, available: str, count: str, current: str, queue: str
) -> Iterable[int]:
    if not follow(module, available)():
        return ()
    read = follow(module, current)
    return (int(follow(read(index), queue)) for index in range(follow(module, count)()))


def order(*, producer: Any, consumer: Any) -> None:
    """Make a consumer's stream wait for the earlier work of a producer's, on the device.

    Both are stream objects of any library, or anystream.Streams. Keywords only, because the two are
    easily swapped. The host does not wait, but where the two belong to platforms that share no
    event: then it waits for the producer's, without the GIL.

    Raises TypeError for what is no stream, ValueError for an out-of-order consumer (the message
    names the way round) and for one that does not tell its device, DriverUnavailable where the
    platform's driver is not there. Any thread, with the GIL.
    """
    stream = consumer if isinstance(consumer, Stream) else Stream(consumer)
    stream.wait_stream(producer)
