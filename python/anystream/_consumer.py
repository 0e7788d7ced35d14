# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Giving an array to a consumer: what it takes, what must be changed for it, on which stream."""

from math import prod
from typing import Any

from anystream._core import Array, Carrier, Stream, _array_copy, _array_from_pointer
from anystream._device import Device
from anystream._layout import fits
from anystream._peer import ANY_DEVICE, Consumer, Peer, follow
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
            return not predicate or _holds(peer, consumer, predicate)
    return False


def _holds(peer: Peer, consumer: Consumer, predicate: str) -> bool:
    package = load(peer, consumer.module.partition(".")[0], f"handoff(to={peer.name!r})")
    return bool(follow(package, predicate))


def fitted(
    peer: Peer, consumer: Consumer, array: Array, copy: bool | None, stream: Stream | None
) -> Array:
    """Give the array in a form that the library takes with its right values; a copy if need be.

    Raises BufferError where there is no such form, or where it is a copy and ``copy=False``.
    """
    _check_values(peer, consumer, array)
    _check_copy(peer, consumer, array, copy)
    if array.readonly and consumer.readonly == "safe":
        return _unflagged(array)
    if array.readonly and consumer.readonly == "lost":
        _refuse_copy(copy, f"{peer.name} would write to memory that is read-only")
        return _array_copy(array, Device(array.device).__dlpack_device__(), stream, array.plan)
    return array


def _check_values(peer: Peer, consumer: Consumer, array: Array) -> None:
    if str(array.dtype) in consumer.narrows and not (
        consumer.unless and _holds(peer, consumer, consumer.unless)
    ):
        raise BufferError(
            f"{peer.name} takes no {array.dtype} as it is set up: it would make the values "
            f"smaller.\n  {consumer.fix}"
        )
    if not consumer.empty and not prod(array.shape):
        raise BufferError(f"{peer.name} takes no array without elements; got shape {array.shape}.")
    if not fits(consumer.layout, array.shape, array.strides):
        raise BufferError(
            f"{peer.name} takes arrays with {_LAYOUTS[consumer.layout]}; got shape {array.shape} "
            f"with strides {array.strides} (in elements).\n"
            "  Make a contiguous copy first, with the library that x is of."
        )


_LAYOUTS = {
    "no negative strides": "no negative strides",
    "dense": "elements that fill their memory without gaps or repeats",
    "row-major": "elements in row-major order without gaps",
}


def _check_copy(peer: Peer, consumer: Consumer, array: Array, copy: bool | None) -> None:
    if consumer.copies:
        _refuse_copy(copy, f"{peer.name} copies whatever it imports from the host")
    if (array.data_ptr + array.byte_offset) % consumer.alignment:
        _refuse_copy(
            copy, f"{peer.name} copies host memory that is not {consumer.alignment}-byte aligned"
        )


def _refuse_copy(copy: bool | None, why: str) -> None:
    if copy is False:
        raise BufferError(f"copy=False, but {why}.\n  Pass copy=None or copy=True.")


def _unflagged(array: Array) -> Array:
    """Wrap the same memory without the read-only flag, for a library that keeps it unwritten."""
    return _array_from_pointer(
        array.data_ptr,
        array.shape,
        array.strides,
        array.dtype.triple,
        Device(array.device).__dlpack_device__(),
        byte_offset=array.byte_offset,
        readonly=False,
        owner=array,
        stream=array.stream,
        plan=array.plan,
        platform=array.device.platform,
    )


def give(peer: Peer, consumer: Consumer, array: Array, stream: Stream | None) -> Any:
    """Import an ordered array into the library and put the result on the stream that was named."""
    module = load(peer, consumer.module, f"handoff(to={peer.name!r})")
    result = getattr(module, consumer.function)(Carrier(array))
    if consumer.bind and stream is not None:
        return getattr(result, consumer.bind)(queue_of(stream))
    return result
