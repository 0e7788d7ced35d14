# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Giving an array to a consumer: finding it, what it takes, and putting the result on a stream."""

from typing import Any

from anystream._core import Array, Carrier, Stream
from anystream._device import Device
from anystream._elements import as_unsigned
from anystream._handles import build
from anystream._peer import ANY_DEVICE, Consumer, Peer, follow, holds
from anystream._place import OnDevice
from anystream._recognise import library, load
from anystream._streams import queue_of

_CPU = 1


def consumer_peer(to: Any) -> tuple[Peer, Consumer]:
    """Find the row of `to=` and import the library, because the user named it."""
    peer = library(to, where="handoff(to=…)", taking="consumer")
    assert peer.consumer is not None  # noqa: S101 - library() looks among those that have it
    load(peer, peer.consumer.module, f"handoff(to={peer.name!r})")
    return peer, peer.consumer


def takes(peer: Peer, consumer: Consumer, device: Device) -> bool:
    """Tell whether the library, as it is installed, takes arrays of a device type."""
    for device_type, predicate in consumer.takes:
        if device_type in (device.type, ANY_DEVICE):
            return not predicate or true_of(peer, consumer, predicate)
    return False


def true_of(peer: Peer, consumer: Consumer, predicate: str) -> bool:
    """Read a predicate of the table on the library's package."""
    package = load(peer, consumer.module.partition(".")[0], f"handoff(to={peer.name!r})")
    return holds(package, predicate)


def give(
    peer: Peer,
    consumer: Consumer,
    array: Array,
    kind: Any,
    stream: Stream | None,
    *,
    asks: bool = False,
) -> Any:
    """Import an ordered array into the library and put the result on the stream that was named.

    ``kind`` is the class that stands for its elements, None where the library has their type. Where
    the library ``asks``, its own stream is to wait for that of the array.
    """
    module = load(peer, consumer.module, "handoff(to=…)")
    if consumer.builds is not None:
        return build(consumer.builds, module, array, stream)
    given = array if kind is None else as_unsigned(array)
    importer, keywords = follow(module, consumer.function), dict(consumer.keywords)
    if array.__dlpack_device__()[0] == _CPU:
        result = importer(Carrier(given), **keywords)
    else:
        with OnDevice(array.device):
            result = importer(given if asks else Carrier(given), **keywords)
    if kind is not None:
        result = result.view(kind)
    if consumer.bind and stream is not None:
        return getattr(result, consumer.bind)(queue_of(stream))
    return result
