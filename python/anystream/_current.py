# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The current stream of a library, asked for by name."""

from types import ModuleType

from anystream._arguments import tells_its_parameters
from anystream._core import DEVICE_TABLE, Stream
from anystream._device import DeviceLike, named_device
from anystream._peer import Peer
from anystream._recognise import library, load
from anystream._streams import current_of

_CPU = 1


@tells_its_parameters
def current_stream(library_name: str | ModuleType, device: DeviceLike, /) -> Stream | None:
    """Give a library's current stream of a device on this thread; None on the host, which has none.

    ``current_stream("torch", "cuda:0")``; dpctl and dpnp answer with the default queue of the
    device. The library is imported, because it was named, for the host too. The result keeps the
    queue alive; where the queue is out-of-order, it may still be named as a consumer's (a barrier
    is used).

    Raises ValueError for a library without a row, or without a current stream on such a device;
    ModuleNotFoundError if it is not installed. Any thread, with the GIL.
    """
    where = "current_stream(library)"
    peer = library(library_name, where=where, taking="modules")
    place = named_device(device, "current_stream(device)")
    load(peer, peer.modules[0], where)
    if place.type == _CPU:
        return None
    stream = current_of(peer, place)
    if stream is None:
        raise ValueError(
            f"{peer.name} has no current stream on {place}; it has {_where(peer)}.\n"
            "  Name the stream itself: stream=, producer_stream=."
        )
    return stream


def _where(peer: Peer) -> str:
    """List the device types on which a library has a current stream."""
    types = {row.device_type for row in peer.current}
    words = [row["name"] for row in DEVICE_TABLE if row["value"] in types]
    return f"one on {', '.join(words)}" if words else "none on any device"
