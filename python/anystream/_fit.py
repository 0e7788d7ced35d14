# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Fitting an array to its consumer: refusing what it would spoil, copying what it would alter."""

from anystream._consumer import true_of
from anystream._core import (
    Array,
    _array_copy,
    _array_empty,
    _array_from_pointer,
    order_streams,
    synchronize_stream,
)
from anystream._device import Device
from anystream._layout import fits
from anystream._peer import Consumer, Peer
from anystream._plan import Plan
from anystream._streams import lenient


def fitted(peer: Peer, consumer: Consumer, array: Array, copy: bool | None) -> Array:
    """Give the array in a form that the library takes with its right values; nothing is copied.

    Read-only memory goes to a library that cannot say so as if it were writable: some would refuse
    it, though their users may only mean to read. The plan has told them.

    Raises BufferError where there is no such form, or where the library would copy and
    ``copy=False``.
    """
    strides = array.strides
    _check_values(peer, consumer, array)
    if not fits(consumer.layout, array.shape, strides):
        _refuse_layout(peer, consumer, array)
    _check_copy(peer, consumer, array, copy)
    if consumer.empty == "addressed" and not array.size and not array.data_ptr:
        array = _addressed(array)
    readonly = array.readonly and consumer.readonly == "kept"
    backwards = consumer.layout != "any" and min(strides, default=0) < 0
    if readonly != array.readonly or backwards:
        array = _wrapped(array, array.data_ptr, array, readonly=readonly)
    return array


def copied_there(array: Array, plan: Plan) -> Array:
    """Copy an array on its own device and stream, in order before what reads the copy."""
    copy = _array_copy(array, Device(array.device).__dlpack_device__(), array.stream, plan)
    if array.stream is None:
        return copy
    if plan.actions.orders == "host":  # the reader has no stream that could wait
        synchronize_stream(array.stream)
    elif not array.stream.in_order:  # nothing but a barrier holds later work back
        order_streams(array.stream, lenient(array.stream))
    return copy


def _check_values(peer: Peer, consumer: Consumer, array: Array) -> None:
    if (
        consumer.narrows
        and str(array.dtype) in consumer.narrows
        and not (consumer.unless and true_of(peer, consumer, consumer.unless))
    ):
        raise BufferError(
            f"{peer.name} takes no {array.dtype} as it is set up: it would make the values "
            f"smaller.\n  {consumer.fix}"
        )
    if consumer.empty == "refused" and not array.size:
        raise BufferError(f"{peer.name} takes no array without elements; got shape {array.shape}.")


def _refuse_layout(peer: Peer, consumer: Consumer, array: Array) -> None:
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
    if copy is False and (array.data_ptr + array.byte_offset) % consumer.alignment:
        raise BufferError(
            f"copy=False, but {peer.name} copies host memory that is not "
            f"{consumer.alignment}-byte aligned.\n  Pass copy=None or copy=True."
        )


def _addressed(array: Array) -> Array:
    """Give an array of no elements an address, for a library that cannot do without."""
    device = Device(array.device)
    home = _array_empty(
        (1,),
        array.dtype.triple,
        device.__dlpack_device__(),
        platform=device.platform,
        stream=array.stream,
    )
    return _wrapped(array, home.data_ptr, home, readonly=array.readonly)


def _wrapped(array: Array, pointer: int, owner: object, *, readonly: bool) -> Array:
    """Describe memory anew; negative strides, which no step is taken along, become positive."""
    device = Device(array.device)
    return _array_from_pointer(
        pointer,
        array.shape,
        tuple(abs(stride) for stride in array.strides),
        array.dtype.triple,
        device.__dlpack_device__(),
        byte_offset=array.byte_offset,
        readonly=readonly,
        owner=owner,
        stream=array.stream,
        plan=array.plan,
        platform=device.platform,
    )
