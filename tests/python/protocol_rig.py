# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of every element type and layout, and what must be read from them, byte by byte."""

import ctypes
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_pointer

Triple = tuple[int, int, int]

# The types that the older protocols can say: DLPack's numbers, PEP 3118's letters, typestr. Which
# letter a 64-bit integer has is the machine's C compiler's choice; this is Linux's.
SPELT: dict[str, tuple[Triple, str, str]] = {
    "bool": ((6, 8, 1), "?", "|b1"),
    "int8": ((0, 8, 1), "b", "|i1"),
    "int16": ((0, 16, 1), "h", "<i2"),
    "int32": ((0, 32, 1), "i", "<i4"),
    "int64": ((0, 64, 1), "l", "<i8"),
    "uint8": ((1, 8, 1), "B", "|u1"),
    "uint16": ((1, 16, 1), "H", "<u2"),
    "uint32": ((1, 32, 1), "I", "<u4"),
    "uint64": ((1, 64, 1), "L", "<u8"),
    "float16": ((2, 16, 1), "e", "<f2"),
    "float32": ((2, 32, 1), "f", "<f4"),
    "float64": ((2, 64, 1), "d", "<f8"),
    "complex64": ((5, 64, 1), "Zf", "<c8"),
    "complex128": ((5, 128, 1), "Zd", "<c16"),
}
# Whole bytes each, but no letters of their own; those with a class beyond NumPy's come first.
ELSEWHERE: dict[str, Triple] = {
    "bfloat16": (4, 16, 1),
    "float8_e3m4": (7, 8, 1),
    "float8_e4m3": (8, 8, 1),
    "float8_e4m3b11fnuz": (9, 8, 1),
    "float8_e4m3fn": (10, 8, 1),
    "float8_e4m3fnuz": (11, 8, 1),
    "float8_e5m2": (12, 8, 1),
    "float8_e5m2fnuz": (13, 8, 1),
    "float8_e8m0fnu": (14, 8, 1),
}
NOWHERE: dict[str, Triple] = {
    "float32x4": (2, 32, 4),
    "bfloat16x2": (4, 16, 2),
    "float4_e2m1fnx2": (17, 4, 2),
    "opaque64": (3, 64, 1),
    "float128": (2, 128, 1),
    "float8": (2, 8, 1),
    "int24": (0, 24, 1),
    "code40_bits8": (40, 8, 1),
}
# Several to a byte, unless they are padded.
NARROW: dict[str, Triple] = {
    "int4": (0, 4, 1),
    "uint4": (1, 4, 1),
    "int2": (0, 2, 1),
    "uint2": (1, 2, 1),
    "uint1": (1, 1, 1),
    "float4_e2m1fn": (17, 4, 1),
    "float6_e2m3fn": (15, 6, 1),
    "float6_e3m2fn": (16, 6, 1),
}


@dataclass(frozen=True)
class Layout:
    """Shape and strides in elements, and where the first one is; C and F: is it contiguous so."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    first: int = 0
    c: bool = False
    f: bool = False

    @property
    def size(self) -> int:
        return len(list(self.indices()))

    def indices(self) -> Any:
        return product(*map(range, self.shape))

    def places(self) -> list[int]:
        """Which element of the memory each one is, in row-major order."""
        return [
            self.first + sum(i * s for i, s in zip(index, self.strides, strict=True))
            for index in self.indices()
        ]


LAYOUTS = {
    "scalar": Layout((), (), 3, c=True, f=True),
    "line": Layout((6,), (1,), 1, c=True, f=True),
    "rows": Layout((2, 3), (3, 1), 2, c=True),
    "columns": Layout((2, 3), (1, 2), f=True),
    "reversed": Layout((2, 3), (-3, -1), 5),
    "half reversed": Layout((2, 3), (3, -1), 2),
    "repeated": Layout((2, 3), (0, 1)),
    "gaps": Layout((2, 2), (6, 2), 1),
    "turned": Layout((2, 3, 2), (1, 4, 2)),
    # Steps that nobody takes may be anything.
    "one": Layout((1, 1), (2**62, -(2**62)), 4, c=True, f=True),
    "one axis": Layout((1, 3), (-(2**62), 1), c=True, f=True),
    "empty": Layout((0,), (1,), c=True, f=True),
    "empty axis": Layout((3, 0, 2), (2**62, 7, -(2**62)), c=True, f=True),
    "deep": Layout((1,) * 62 + (2, 3), (5,) * 62 + (3, 1), c=True),
}
EVERY_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
ELEMENTS = 16


class Memory:
    """Bytes of all kinds, and arrays of them; an array keeps it alive."""

    def __init__(self, itemsize: int, *, top: int = 256) -> None:
        values = bytes((37 * i + 11) % top for i in range(ELEMENTS * itemsize))
        self.itemsize = itemsize
        self.raw = (ctypes.c_char * len(values)).from_buffer_copy(values)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.raw)

    def array(
        self,
        layout: Layout,
        dtype: Triple,
        *,
        device: tuple[int, int] = (1, 0),
        readonly: bool = False,
        stream: Any = None,
        padded: bool = False,
    ) -> anystream.Array:
        return _array_from_pointer(
            self.address,
            layout.shape,
            layout.strides,
            dtype,
            device,
            byte_offset=layout.first * self.itemsize,
            readonly=readonly,
            owner=self,
            stream=stream,
            plan=None,
            padded=padded,
        )

    def values(self, layout: Layout) -> bytes:
        """What the array's elements are, in row-major order."""
        size, raw = self.itemsize, self.raw.raw
        return b"".join(raw[place * size : (place + 1) * size] for place in layout.places())


def memory_of(dtype: Triple) -> Memory:
    return Memory((dtype[1] * dtype[2] + 7) // 8, top=2 if dtype[0] == 6 else 256)


def steps_taken(layout: Layout, strides: Any) -> list[int]:
    """The steps along axes of more than one element; of an empty array, none."""
    return [s for s, n in zip(strides, layout.shape, strict=True) if n > 1 and layout.size]
