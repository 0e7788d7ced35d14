# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Python numbers as the bytes of an array's element, and back."""

import math
import struct
from typing import Protocol


class ElementType(Protocol):
    """What is read of an ``anystream.DType``."""

    @property
    def code(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def lanes(self) -> int: ...


Number = int | float | complex | bool

_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6  # DLDataTypeCode

# (code, bits) -> the format of struct, how many of them make an element.
_FORMATS: dict[tuple[int, int], tuple[str, int]] = {
    (_BOOL, 8): ("?", 1),
    (_INT, 8): ("b", 1),
    (_INT, 16): ("h", 1),
    (_INT, 32): ("i", 1),
    (_INT, 64): ("q", 1),
    (_UINT, 8): ("B", 1),
    (_UINT, 16): ("H", 1),
    (_UINT, 32): ("I", 1),
    (_UINT, 64): ("Q", 1),
    (_FLOAT, 16): ("e", 1),
    (_FLOAT, 32): ("f", 1),
    (_FLOAT, 64): ("d", 1),
    (_BFLOAT, 16): ("H", 1),
    (_COMPLEX, 64): ("f", 2),
    (_COMPLEX, 128): ("d", 2),
}


def pack(value: Number | bytes, dtype: ElementType) -> bytes:
    """Give the bytes of one element; bytes are taken as they are, for any type."""
    if isinstance(value, bytes):
        return _whole_element(value, dtype)
    form, parts = _format_of(dtype)
    if dtype.code == _COMPLEX:
        whole = complex(value)
        packed = struct.pack(f"={parts}{form}", whole.real, whole.imag)
    else:
        packed = _pack_real(value, form, dtype)
    return packed * dtype.lanes


def unpack(data: bytes, dtype: ElementType) -> list[Number]:
    """Give the elements that the bytes hold, one number a lane."""
    form, parts = _format_of(dtype)
    numbers = [number for (number,) in struct.iter_unpack(f"={form}", data)]
    if dtype.code == _BFLOAT:
        return [_from_bfloat(bits) for bits in numbers]
    if parts == 2:
        return [complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    return numbers


def _pack_real(value: Number, form: str, dtype: ElementType) -> bytes:
    if isinstance(value, complex):
        raise TypeError(f"a {_name(dtype)} array takes a real number; got {value!r}.")
    if dtype.code == _BFLOAT:
        return struct.pack("=H", _to_bfloat(float(value)))
    if dtype.code in (_INT, _UINT) and not isinstance(value, int):
        raise TypeError(
            f"a {_name(dtype)} array takes an int; got {value!r}.\n  Convert it: int(value)."
        )
    try:
        return struct.pack(f"={form}", value)
    except (struct.error, OverflowError) as error:
        raise ValueError(f"{value!r} does not fit in a {_name(dtype)}: {error}.") from None


def _whole_element(value: bytes, dtype: ElementType) -> bytes:
    if len(value) * 8 == dtype.bits * dtype.lanes:
        return value
    raise ValueError(
        f"an element of {_name(dtype)} has {dtype.bits * dtype.lanes} bits; got {len(value)} bytes."
    )


def _format_of(dtype: ElementType) -> tuple[str, int]:
    known = _FORMATS.get((dtype.code, dtype.bits))
    if known is not None:
        return known
    raise ValueError(
        f"the elements of {_name(dtype)} have no Python number; known are bool, int and uint of 8 "
        "to 64 bits, float16, float32, float64, bfloat16, complex64 and complex128.\n"
        "  Fill it with the bytes of one element, and look at it with peek()."
    )


def _name(dtype: ElementType) -> str:
    return str(dtype)


def _to_bfloat(value: float) -> int:
    """Round to the nearest, ties to even."""
    if math.isnan(value):
        return 0x7FC0
    try:
        packed = struct.pack("=f", value)
    except OverflowError:
        packed = struct.pack("=f", float("inf") if value > 0 else float("-inf"))
    (bits,) = struct.unpack("=I", packed)
    return int((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


def _from_bfloat(bits: int) -> float:
    (value,) = struct.unpack("=f", struct.pack("=I", bits << 16))
    return float(value)
