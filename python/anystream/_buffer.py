# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Import by the buffer protocol: bytes, bytearray, memoryview, array, mmap and their like."""

import math
import re
import sys
from typing import Any

from anystream._core import _view_address, parse_dtype
from anystream._device import Device, DeviceType
from anystream._memory import Memory, Triple, in_elements

_HOST = Device(DeviceType.CPU)
_FOREIGN = ">!" if sys.byteorder == "little" else "<"
_FORM = re.compile(r"([@=<>!]?)(Z?[A-Za-z?])")
# The letters of the struct module, and "Z", which makes a float complex (PEP 3118), with the bytes
# that an element has. "l" and "n" have 4 or 8: which, the buffer says.
_ELEMENTS: dict[str, tuple[str, tuple[int, ...]]] = {
    **{letter: ("int", (size,)) for letter, size in zip("bhiq", (1, 2, 4, 8), strict=True)},
    **{letter: ("uint", (size,)) for letter, size in zip("BcHIQ", (1, 1, 2, 4, 8), strict=True)},
    **{letter: ("float", (size,)) for letter, size in zip("efd", (2, 4, 8), strict=True)},
    **dict.fromkeys("ln", ("int", (4, 8))),
    **dict.fromkeys("LN", ("uint", (4, 8))),
    **dict.fromkeys(("Zf", "F"), ("complex", (8,))),
    **dict.fromkeys(("Zd", "D"), ("complex", (16,))),
    "?": ("bool", (1,)),
}


def read(x: Any) -> Memory:
    """Read a buffer; the view of it is held for as long as the array lives."""
    view = memoryview(x)
    try:
        return _described(view)
    except BaseException:
        view.release()  # a traceback must not keep the buffer locked
        raise


def _described(view: memoryview) -> Memory:
    if view.suboffsets and max(view.suboffsets) >= 0:
        raise BufferError(
            "a buffer is one piece of memory with strides; got one with suboffsets, which is "
            "reached by pointers.\n  Copy it first: bytes(memoryview(x))."
        )
    dtype = _dtype(view)
    shape, steps = view.shape or (), view.strides or ()
    if math.prod(shape) * view.itemsize != view.nbytes:
        raise BufferError(
            f"a buffer has as many bytes as its elements; got {view.nbytes} bytes for the shape "
            f"{shape} of {view.itemsize} bytes an element.\n  That is a fault of the class of x."
        )
    strides = in_elements(steps, shape, view.itemsize)
    if strides is None:
        raise BufferError(
            f"the strides of a buffer are multiples of the {view.itemsize} bytes of an element; "
            f"got {steps}.\n"
            "  DLPack counts strides in whole elements: copy x first."
        )
    address = _view_address(view)
    return Memory(address, shape, strides, dtype, _HOST, view, view.readonly)


def _dtype(view: memoryview) -> Triple:
    parts = _FORM.fullmatch(view.format)
    order, letter = parts.groups() if parts else ("", "")
    if letter in _ELEMENTS and order and order in _FOREIGN and view.itemsize > 1:
        raise BufferError(
            f"the elements of a buffer are of this machine's byte order; got the format "
            f"{view.format!r}.\n  Convert x to the native byte order first."
        )
    word, widths = _ELEMENTS.get(letter, ("", ()))
    if view.itemsize not in widths:
        raise BufferError(
            "a buffer has numbers or bools as elements, such as the formats 'B', 'i', 'd', '?' "
            f"and 'Zf'; got the format {view.format!r} with {view.itemsize} bytes an element.\n"
            "  Convert x to a numeric type first, or hand over its bytes: "
            "memoryview(x).cast('B')."
        )
    return parse_dtype(word if word == "bool" else f"{word}{view.itemsize * 8}")
