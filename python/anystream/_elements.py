# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Element types that a library has not, but another package adds to it, class by class.

Its ``__dlpack__`` and ``from_dlpack`` do not know them. They come in by the pointer of their array,
and they go out as unsigned numbers of the same width, which are then viewed as the class.
"""

from importlib import import_module
from typing import Any

from anystream._array_interface import read_as
from anystream._core import Array, _array_from_pointer, _is_padded, parse_dtype
from anystream._device import Device
from anystream._fields import Fields
from anystream._memory import Memory, Triple
from anystream._peer import Consumer, Peer, Producer, follow
from anystream._peers import NDARRAY_DTYPES
from anystream._typestr import DTYPES, why_not

_UNSIGNED = 1
_INTERFACE = "__array_interface__"


def plain(x: Any, row: Producer) -> bool:
    """Tell whether an array's ``__dlpack__`` knows its elements' type, as far as rows tell."""
    if not row.dtype:
        return True
    dtype = follow(x, row.dtype)
    # What it calls them does not tell whose they are: ml_dtypes 0.7 has complex32 as "<c4".
    return dtype.str in DTYPES and dtype.type.__module__ != NDARRAY_DTYPES.name


def described(x: Any, row: Producer, name: str) -> Memory:
    """Read an array of elements that its own ``__dlpack__`` does not know.

    Raises BufferError, naming them, where DLPack has no type for them either.
    """
    dtype = follow(x, row.dtype)
    found = _dtype_of(dtype.type)
    if found is None:
        raise BufferError(f"this {name} array has elements of type {dtype}: {_why_not(dtype.str)}")
    return read_as(Fields(_INTERFACE, getattr(x, _INTERFACE), x), x, found)


def _why_not(typestr: str) -> str:
    # Types that came late to the library have none.
    if typestr[:1] in tuple("<>=|"):
        return why_not(typestr)
    return "DLPack has no type for such elements.\n  Convert x to a numeric type first."


def _dtype_of(kind: type) -> Triple | None:
    """Give DLPack's type of a class of the package: they have one name."""
    if kind.__module__ != NDARRAY_DTYPES.name:
        return None
    try:
        return parse_dtype(kind.__qualname__)
    except ValueError:
        return None


def class_of(peer: Peer, consumer: Consumer, array: Array) -> Any:
    """Give the class that stands for an array's elements where the library has no such type.

    None: it takes them itself. Raises BufferError where there is no class either, or where elements
    share a byte and should not, or the other way round; ModuleNotFoundError, saying what installs
    it, where the package is missing.
    """
    name = array.dtype.name
    if _takes(consumer, name):
        _refuse_padding(peer, array, name)
        return None
    if consumer.classes and not name.startswith("code"):
        kind = getattr(_package(peer, name), name, None)
        if kind is not None and _has_whole_bytes(peer, array):
            return kind
    raise BufferError(
        f"{peer.name} has no elements of type {name}; it takes "
        f"{', '.join(consumer.dtypes) or 'those that DLPack has named'}.\n"
        "  Convert x first, with the library that it is of."
    )


def _takes(consumer: Consumer, name: str) -> bool:
    if consumer.dtypes:
        return name in consumer.dtypes
    return not name.startswith("code")


def _refuse_padding(peer: Peer, array: Array, name: str) -> None:
    # No importer of a library asks for a capsule that could say so.
    if not _is_padded(array):
        return
    wider = "float16" if name.startswith("float") else name.rstrip("0123456789") + "8"
    raise BufferError(
        f"{peer.name} takes elements of type {name} packed, several to a byte; got elements that "
        "have a byte each.\n"
        f'  Convert x first, with the library that it is of: x.astype("{wider}").'
    )


def _package(peer: Peer, name: str) -> Any:
    try:
        return import_module(NDARRAY_DTYPES.name)
    except ModuleNotFoundError as error:
        if error.name != NDARRAY_DTYPES.name:
            raise
        raise ModuleNotFoundError(
            f"{peer.name} has no elements of type {name} but by {NDARRAY_DTYPES.name}, which is "
            f"not installed.\n  {NDARRAY_DTYPES.install}",
            name=error.name,
        ) from error


def _has_whole_bytes(peer: Peer, array: Array) -> bool:
    dtype = array.dtype
    if dtype.bits * dtype.lanes % 8 == 0 or _is_padded(array):
        return True
    raise BufferError(
        f"{peer.name} has a byte for each element of type {dtype.name}; got elements that are "
        f"packed, several to a byte.\n  Unpack them first: {peer.name}.asarray(array) does."
    )


def as_unsigned(array: Array) -> Array:
    """View an array's elements as unsigned numbers of the same width in memory."""
    device = Device(array.device)
    return _array_from_pointer(
        array.data_ptr,
        array.shape,
        array.strides,
        (_UNSIGNED, array.itemsize * 8, 1),
        device.__dlpack_device__(),
        byte_offset=array.byte_offset,
        readonly=array.readonly,
        owner=array,
        stream=array.stream,
        plan=array.plan,
        platform=device.platform,
    )
