# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""``Array.__array__``: host memory as an array of the library whose protocol that is.

Most element types get there by the buffer protocol, as a view. Those that it cannot say come from
the package that defines them: their bytes are viewed as unsigned numbers of that width, and these
as the type. Elements that are packed, several to a byte, are copied to one a byte.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

from anystream._arguments import tells_its_parameters
from anystream._core import Array, _is_padded
from anystream._peers import NDARRAY_DTYPES, NDARRAYS
from anystream._recognise import load

_Function = TypeVar("_Function", bound=Callable[..., Any])

_CPU = 1
_BY_THE_HOST = "__array_interface__"  # what only host arrays of types that it can say have


def _known_as(name: str) -> Callable[[_Function], _Function]:
    """Give a function the name by which its users call it: errors about its arguments say that."""

    def named(function: _Function) -> _Function:
        function.__qualname__ = name
        return function

    return named


@tells_its_parameters
@_known_as("Array.__array__")
def as_ndarray(self: Array, /, dtype: Any = None, copy: bool | None = None) -> Any:
    """Give the elements as an array of the library whose protocol this is.

    TypeError for memory that is not the host's own, or elements that nobody has a type for;
    ValueError if ``copy`` is False and one is needed.
    """
    if self.device.type != _CPU:
        raise TypeError(_elsewhere(self))
    numpy = load(NDARRAYS, NDARRAYS.name, "Array.__array__()")
    if hasattr(self, _BY_THE_HOST):
        return numpy.array(numpy.asarray(self), dtype=dtype, copy=copy)
    kind = _dtype(numpy, self)
    if _is_padded(self) or self.dtype.bits * self.dtype.lanes % 8 == 0:
        return numpy.array(_view(numpy, self).view(kind), dtype=dtype, copy=copy)
    if copy is False:
        raise ValueError(
            f"Array.__array__(copy=False): elements of type {self.dtype} are packed, several to a "
            "byte, and an ndarray has one a byte.\n  Leave copy out: they are copied then."
        )
    return _unpacked(numpy, self).view(kind).astype(kind if dtype is None else dtype, copy=False)


def _elsewhere(array: Array) -> str:
    return (
        f"Array.__array__(), which {NDARRAYS.name}.asarray calls, takes memory of the host, where "
        f"nothing is pending; this array is on {array.device}.\n"
        f"  anystream.handoff(a, to={NDARRAYS.name!r}) waits for its work, and copies it where the "
        "host cannot read it."
    )


def _dtype(numpy: Any, array: Array) -> Any:
    where = f"Array.__array__() of {array.dtype} elements"
    package = load(NDARRAY_DTYPES, NDARRAY_DTYPES.name, where)
    kind = getattr(package, str(array.dtype), None)
    if kind is None or numpy.dtype(kind).itemsize != array.itemsize:
        raise TypeError(
            f"neither {NDARRAYS.name} nor {NDARRAY_DTYPES.name} has a type for {array.dtype} "
            "elements.\n  Take the array by __dlpack__, which carries every type."
        )
    return numpy.dtype(kind)


def _memory(numpy: Any, array: Array, **layout: Any) -> Any:
    """View memory of the array, which lives as long as the view."""
    start = layout.pop("start", 0)
    address = array.data_ptr + array.byte_offset + start if array.size else 0
    interface = {"version": 3, "data": (address, array.readonly), **layout}
    return numpy.asarray(SimpleNamespace(array=array, **{_BY_THE_HOST: interface}))


def _view(numpy: Any, array: Array) -> Any:
    """View the array as unsigned numbers that are as wide as its elements."""
    width = array.itemsize
    steps = zip(array.shape, array.strides, strict=True)
    # Where no step is taken, any number may stand.
    strides = tuple(step * width if extent > 1 and array.size else width for extent, step in steps)
    typestr = numpy.dtype(f"u{width}").str
    return _memory(numpy, array, shape=array.shape, strides=strides, typestr=typestr)


def _unpacked(numpy: Any, array: Array) -> Any:
    """Copy packed elements, the first in the lowest bits, to a byte each: bits above are 0."""
    if not array.size:
        return numpy.empty(array.shape, numpy.uint8)
    bits = array.dtype.bits
    steps = [s if n > 1 else 0 for n, s in zip(array.shape, array.strides, strict=True)]
    reach = [(n - 1) * s for n, s in zip(array.shape, steps, strict=True)]
    lowest = sum(min(r, 0) for r in reach)
    count = sum(max(r, 0) for r in reach) - lowest + 1
    start, skipped = divmod(lowest * bits, 8)
    needed = (skipped + count * bits + 7) // 8
    packed = _memory(numpy, array, start=start, shape=(needed,), typestr="|u1")
    each = numpy.unpackbits(packed, bitorder="little")[skipped : skipped + count * bits]
    bytes_each = numpy.packbits(each.reshape(count, bits), axis=1, bitorder="little")[:, 0]
    first = numpy.ascontiguousarray(bytes_each)[-lowest:]
    return numpy.lib.stride_tricks.as_strided(first, array.shape, steps).copy()
