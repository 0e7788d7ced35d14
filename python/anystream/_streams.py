# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Streams: naming them, finding a library's current one, and ordering two of them."""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, NamedTuple

from anystream import _core, _platforms
from anystream._arguments import got, tells_its_parameters
from anystream._core import Stream
from anystream._device import Device
from anystream._peer import CurrentStream, Peer, follow, holds
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


def named_producers(
    argument: Any, device: Device, where: str, *, ordered: bool
) -> tuple[Stream, ...]:
    """Resolve `producer_stream=`: one stream or a list or tuple of them; -1 and None name none.

    Raises ValueError for a list that both names streams and says that there are none, and
    DriverUnavailable for a stream that nobody here can order, where it is to be ``ordered``.
    """
    several = argument if isinstance(argument, (list, tuple)) else (argument,)
    resolved = [named(one, device, where) for one in several]
    streams = [one for one in resolved if one.form in ("stream", "foreign")]
    if streams and len(streams) < len(resolved):
        raise ValueError(
            f"{where} takes a stream, or a list of streams; got a list that has None or -1 among "
            "its streams.\n  Leave those out, or pass producer_stream=-1 if nothing is pending."
        )
    if ordered and any(one.stream is None for one in streams):
        _refuse_foreign(next(one.argument for one in streams if one.stream is None), device, where)
    return tuple(one.stream for one in streams if one.stream is not None)


def check_unplaced(stream: Any, producers: Any, where: str) -> None:
    """Refuse what is no stream on any device, where there is no array to tell the device."""
    _core.check_stream(stream, f"{where}(stream=…)")
    for one in producers if isinstance(producers, (list, tuple)) else (producers,):
        _core.check_stream(one, f"{where}(producer_stream=…)")


def _refuse_foreign(stream: Any, device: Device, where: str) -> None:
    raise _core.DriverUnavailable(
        f"{where}: nobody here can order anything after {got(stream)}: anystream takes streams of "
        f"platforms that it has a backend for, and has none for {device}.\n"
        "  Order it with the library that owns it, then pass ordering='none'."
    )


def row_of(device: Device) -> dict[str, Any]:
    """Give the table's row of a device, or that of its platform; {} for unknown device types."""
    if device.platform in _PLATFORM_ROWS:
        return _PLATFORM_ROWS[device.platform]
    row = _ROWS.get(device.type, {})
    if row.get("backend"):
        return row
    return _platforms.find(device.type, device.platform) or row


def can_order(device: Device) -> bool:
    """Tell whether a backend of this version orders on the device; opens its driver to know."""
    row = row_of(device)
    return _platforms.can_order(row) if "callbacks" in row else _can_order(row.get("backend", ""))


@cache
def _can_order(backend: str) -> bool:
    # A backend without a driver is always there. The core remembers what became of each driver.
    for driver in _core.drivers():
        if driver["name"] == backend:
            return bool(driver["orders"])
    return bool(backend)


def as_stream(value: Any, device: Device, null_means: int = 1) -> Stream:
    """Wrap what a library calls its stream: an object, or an int that the library vouches for."""
    if isinstance(value, int) and not isinstance(value, bool):
        handle = value or (null_means if row_of(device)["integers"] == "cuda" else 0)
        return Stream.from_handle(device, handle)
    found = named(value, device, "stream").stream
    if found is None:
        raise TypeError(
            f"a stream of {device} is an object of a library, or its number; got {got(value)}.\n"
            "  That is a fault of its library."
        )
    return found


def lenient(stream: Stream) -> Stream:
    """Give the same stream with the policy "barrier", for queues that the user did not name."""
    return stream if stream.in_order else Stream(stream, out_of_order="barrier")


def may_overtake(stream: Stream) -> bool:
    """Tell whether work that is put on a stream later may overtake a barrier.

    On SYCL it may, in an out-of-order queue whose barrier the runtime keeps back.
    """
    return not stream.in_order and row_of(stream.device).get("objects") == "sycl"


def current_of(peer: Peer, device: Device) -> Stream | None:
    """Find a library's current stream of a device by its row; None where it has none there."""
    for row in peer.current:
        if row.device_type == device.type and not _is_absent(row):
            return lenient(as_stream(_read_current(peer, row, device), device))
    return None


def _is_absent(row: CurrentStream) -> bool:
    return row.optional and not holds(import_module(row.module), row.available)


def what_is_current(peer: Peer, device: Device) -> str:
    """Name, for a plan, what ``current_of`` finds; "" where there is none."""
    return next((row.what for row in peer.current if row.device_type == device.type), "")


def _read_current(peer: Peer, row: CurrentStream, device: Device) -> Any:
    if row.handle:
        return row.handle
    module = import_module(row.module)
    try:
        return _ask_for_current(module, row, device)
    except Exception:
        if row.available and not holds(module, row.available):
            raise ValueError(
                f"{peer.name}, as it is installed here, has no streams of {device}: "
                f"{row.module}.{row.available} is False.\n"
                "  Install a build of it for that device, or name the stream itself: stream=, "
                "producer_stream=."
            ) from None
        check_device(device)
        raise


def check_device(device: Device) -> None:
    """Raise what there is to say of a device of a backend that is not there; opens its driver."""
    if can_order(device) and "callbacks" not in row_of(device):
        _core.device_info(device.type, device.id, device.platform)


def _ask_for_current(module: ModuleType, row: CurrentStream, device: Device) -> Any:
    if not row.argument:
        return follow(module, row.function)()
    argument: Any = row.argument.format(id=device.id)
    builtin: dict[str, Callable[[str], Any]] = {"int": int, "str": str}
    convert = builtin.get(row.convert) or follow(module, row.convert)
    return follow(module, row.function)(convert(argument))


def queue_of(stream: Stream) -> Any:
    """Make the object that SYCL libraries take for a stream: the same queue, in their class."""
    module, name, _ = SYCL_QUEUE
    # The name is how dpctl spells the export of its queues; Stream has it for that reason.
    shared: Any = stream
    return getattr(import_module(module), name)(shared._get_capsule())  # noqa: SLF001


def can_choose(device: Device) -> bool:
    """Tell whether ``own_queue`` can choose a stream of a device."""
    row = row_of(device)
    return row.get("objects") == "sycl" or row.get("integers") in ("cuda", "rocm")


def can_make(device: Device) -> bool:
    """Tell whether ``own_queue`` can make one to copy on; nobody else may know what it is."""
    return can_choose(device) or row_of(device).get("objects") == "metal"


def own_queue(device: Device) -> Stream:
    """Choose a stream that nobody named: a new in-order queue, or the default stream.

    Of a Metal device handle 0 is a new queue.
    """
    row = row_of(device)
    if row["objects"] != "sycl":
        return Stream.from_handle(device, 1 if row["integers"] == "cuda" else 0)
    module, name, in_order = SYCL_QUEUE
    try:
        queue = getattr(import_module(module), name)
        return as_stream(queue(str(device.id), property=in_order), device)
    except ModuleNotFoundError:
        _core.device_info(device.type, device.id, device.platform)  # says what is missing
        raise
    except Exception:
        check_device(device)
        raise


def copying_queue(device: Device) -> Stream | None:
    """Choose a stream for a copy of an array that has none; None where only the caller could."""
    return own_queue(device) if can_make(device) else None


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


@tells_its_parameters
def order(*, producer: Any, consumer: Any) -> None:
    """Make a consumer's stream wait for the earlier work of a producer's, on the device.

    Both are stream objects of any library, or anystream.Streams. Keywords only, because the two are
    easily swapped. The host does not wait, but where the two belong to platforms that share no
    event: then it waits for the producer's, without the GIL.

    Raises TypeError for what is no stream, ValueError for an out-of-order consumer (the message
    names the way round) and for one that does not tell its device, DriverUnavailable where the
    platform's driver is not there. Any thread, with the GIL.
    """
    _core.order(producer, consumer)
