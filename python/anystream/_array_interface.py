# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Import by `__array_interface__`, version 3: memory of the host, by pointer or by buffer."""

from math import prod
from typing import Any

from anystream._core import _exports_buffer, _view_address
from anystream._device import Device, DeviceType
from anystream._fields import Fields
from anystream._memory import Memory, Triple, itemsize_of
from anystream._peer import Producer

_HOST = Device(DeviceType.CPU)
_DATA = (
    "a pair (pointer, read-only), an object with the buffer protocol, or None for the buffer of "
    "the object itself"
)


def read(fields: Fields, x: Any, _: Producer) -> Memory:
    """Read the interface."""
    fields.version((3,), "the int 3")
    return read_as(fields, x, fields.dtype())


def read_as(fields: Fields, x: Any, dtype: Triple) -> Memory:
    """Read all but the type, which is known."""
    shape = fields.shape()
    strides = fields.strides(shape, itemsize_of(dtype))
    if not isinstance(fields.get("data"), (tuple, list)):
        return _in_buffer(fields, x, Memory(0, shape, strides, dtype, _HOST, owner=None))
    pointer, readonly = fields.data()
    small = dtype[1] * dtype[2] % 8 != 0
    owner = (x, fields.value)
    return Memory(pointer, shape, strides, dtype, _HOST, owner, readonly, padded=small)


def _in_buffer(fields: Fields, x: Any, layout: Memory) -> Memory:
    data = fields.get("data")
    holder = x if data is None else data
    if not _exports_buffer(holder):
        raise fields.refusal("data", _DATA, data)
    given = fields.get("offset")
    offset = 0 if given is None else fields.whole("offset", given, "an int from 0")
    view = memoryview(holder)
    try:
        _check_bounds(fields, view, offset, layout)
        address = _view_address(view) + offset
    except BaseException:
        view.release()  # a traceback must not keep the buffer locked
        raise
    owner = (view, x, fields.value)
    shape, strides = layout.shape, layout.strides
    return Memory(address, shape, strides, layout.dtype, _HOST, owner, view.readonly)


def _check_bounds(fields: Fields, view: memoryview, offset: int, layout: Memory) -> None:
    if not view.c_contiguous:
        fix = "Its bytes are not in one piece."
        raise fields.refusal("data", "a contiguous buffer", fields.get("data"), fix)
    first, end = (offset + reach for reach in _extremes(layout))
    if first < 0 or end > view.nbytes:
        raise BufferError(
            f"{fields.interface}: the elements lie within the buffer, which has {view.nbytes} "
            f"bytes; got elements from byte {first} to {end}.\n"
            "  That is a fault of the class of x: its shape, strides and offset go past its data."
        )


def _extremes(layout: Memory) -> tuple[int, int]:
    """Give where the elements begin and end, in bytes from the first one."""
    itemsize = itemsize_of(layout.dtype)
    if 0 in layout.shape:
        return (0, 0)
    if layout.strides is None:
        return (0, prod(layout.shape) * itemsize)
    steps = zip(layout.shape, layout.strides, strict=True)
    reach = [(extent - 1) * stride * itemsize for extent, stride in steps]
    return (sum(min(one, 0) for one in reach), sum(max(one, 0) for one in reach) + itemsize)
