# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The current stream of a library, asked for by name."""

from typing import Any

from anystream._core import Stream
from anystream._device import Device
from anystream._recognise import library, load
from anystream._streams import current_of

_CPU = 1


def current_stream(library_name: Any, device: Any, /) -> Stream | None:
    """Give a library's current stream of a device on this thread; None on the host, which has none.

    ``current_stream("torch", "cuda:0")``; dpctl and dpnp answer with the default queue of the
    device. The library is imported, because it was named. The result keeps the queue alive; where
    the queue is out-of-order, it may still be named as a consumer's (a barrier is used).

    Raises ValueError for a library without a row, or without a current stream on such a device;
    ModuleNotFoundError if it is not installed. Any thread, with the GIL.
    """
    where = "current_stream(library)"
    peer = library(library_name, where=where, taking="modules")
    place = Device(device)
    if place.type == _CPU:
        return None
    load(peer, peer.modules[0], where)
    stream = current_of(peer, place)
    if stream is None:
        raise ValueError(
            f"{peer.name} has no current stream on {place}.\n"
            "  Name the stream itself: stream=, producer_stream=."
        )
    return stream
