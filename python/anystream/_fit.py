# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Fitting an array to its consumer: refusing what it would spoil, copying what it would alter."""

from typing import Any

from anystream._consumer import true_of
from anystream._core import (
    Array,
    _array_copy,
    _array_empty,
    _array_from_pointer,
    _is_padded,
    order_streams,
    synchronize_stream,
)
from anystream._device import Device
from anystream._elements import class_of
from anystream._layout import fits
from anystream._peer import Consumer, Peer
from anystream._plan import Plan
from anystream._streams import lenient

_CPU = 1


def elements_for(peer: Peer, consumer: Consumer, array: Array) -> Any:
    """Give the class that stands for the elements; None where the library has their type itself.

    Raises BufferError where it has neither, or would make the values smaller: no copy helps then,
    so this comes before all that a copy would mend.
    """
    if (
        consumer.narrows
        and str(array.dtype) in consumer.narrows
        and not (consumer.unless and true_of(peer, consumer, consumer.unless))
    ):
        raise BufferError(
            f"{peer.name} takes no {array.dtype} as it is set up: it would make the values "
            f"smaller.\n  {consumer.fix}"
        )
    return class_of(peer, consumer, array)


def fitted(peer: Peer, consumer: Consumer, array: Array, copy: bool | None) -> Array:
    """Give the array in a form that the library takes with its right values; nothing is copied.

    Read-only memory goes to a library that cannot say so as if it were writable: some would refuse
    it, though their users may only mean to read. The plan has told them.

    Raises what ``check_fit`` does.
    """
    strides = array.strides
    check_fit(peer, consumer, array, copy)
    if consumer.empty == "addressed" and not array.size and not array.data_ptr:
        array = _addressed(array)
    readonly = array.readonly and consumer.readonly == "kept"
    backwards = consumer.layout != "any" and min(strides, default=0) < 0
    dropped = array.byte_offset if consumer.offset == "dropped" else 0
    if readonly != array.readonly or backwards or dropped:
        pointer = array.data_ptr + dropped
        offset = array.byte_offset - dropped
        array = _wrapped(array, pointer, array, readonly=readonly, byte_offset=offset)
    return array


def check_fit(
    peer: Peer, consumer: Consumer, array: Array, copy: bool | None, *, row_major: bool = False
) -> None:
    """Raise BufferError for a layout that a library does not take, or copies and ``copy=False``.

    ``row_major``: the array will have been copied into that order before.
    """
    if consumer.empty == "refused" and not array.size:
        raise BufferError(f"{peer.name} takes no array without elements; got shape {array.shape}.")
    if row_major:
        return
    if not fits(consumer.layout, array.shape, array.strides):
        _refuse_layout(peer, consumer, array)
    _check_copy(peer, consumer, array, copy)


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


def copied_to_fit(consumer: Consumer, array: Array, plan: Plan) -> Array:
    """Copy an array whose layout its library does not take; another is left to the library."""
    fitting = fits(consumer.layout, array.shape, array.strides)
    return array if fitting else copied_there(array, plan)


def _refuse_layout(peer: Peer, consumer: Consumer, array: Array) -> None:
    # A copy is in row-major order wherever the host takes part; on a device it keeps its strides.
    fix = "Make a contiguous copy first, with the library that x is of."
    if array.__dlpack_device__()[0] == _CPU:
        fix = "Pass copy=True."
    raise BufferError(
        f"{peer.name} takes arrays with {_LAYOUTS[consumer.layout]}; got shape {array.shape} "
        f"with strides {array.strides} (in elements).\n  {fix}"
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
    return _wrapped(
        array, home.data_ptr, home, readonly=array.readonly, byte_offset=array.byte_offset
    )


def _wrapped(
    array: Array, pointer: int, owner: object, *, readonly: bool, byte_offset: int
) -> Array:
    """Describe memory anew; negative strides, if no step is taken along them, become positive."""
    device = Device(array.device)
    strides = (
        abs(stride) if extent == 1 or not array.size else stride
        for extent, stride in zip(array.shape, array.strides, strict=True)
    )
    return _array_from_pointer(
        pointer,
        array.shape,
        tuple(strides),
        array.dtype.triple,
        device.__dlpack_device__(),
        byte_offset=byte_offset,
        readonly=readonly,
        owner=owner,
        stream=array.stream,
        plan=array.plan,
        platform=device.platform,
        padded=_is_padded(array),
    )
