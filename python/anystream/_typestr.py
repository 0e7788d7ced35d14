# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Type strings of array interfaces ("<f4"), and the types that DLPack has for them."""

import re
import sys

from anystream._core import parse_dtype
from anystream._memory import Triple

_NATIVE, _FOREIGN = "<>" if sys.byteorder == "little" else "><"
_KINDS = {
    "b": ("bool", (1,)),
    "i": ("int", (1, 2, 4, 8)),
    "u": ("uint", (1, 2, 4, 8)),
    "f": ("float", (2, 4, 8)),
    "c": ("complex", (4, 8, 16)),
}


def _orders(size: int) -> str:
    return f"{_NATIVE}=" if size > 1 else f"|={_NATIVE}{_FOREIGN}"


# Every type string that has a type of DLPack.
DTYPES: dict[str, Triple] = {
    f"{order}{kind}{size}": parse_dtype(word if kind == "b" else f"{word}{size * 8}")
    for kind, (word, sizes) in _KINDS.items()
    for size in sizes
    for order in _orders(size)
}

_FORM = re.compile(r"([<>=|])([A-Za-z])(\d*)(\[\w+\])?")
_CONVERT = "Convert x to a numeric type first."
_NATIVE_FIRST = 'Convert x first, as NumPy does: x.astype(x.dtype.newbyteorder("="))'
_AS_NUMBERS = 'Hand over x.view("int64").'
# What the letters mean for which DLPack has no type, and what to do.
_OTHERS = {
    "V": ("structured or untyped elements", "Hand over its fields, or its bytes as uint8."),
    "O": ("elements that are Python objects", _CONVERT),
    "S": ("text", _CONVERT),
    "a": ("text", _CONVERT),
    "U": ("text", _CONVERT),
    "M": ("dates and times", _AS_NUMBERS),
    "m": ("time differences", _AS_NUMBERS),
    "t": ("bit fields", _CONVERT),
    "f": ("floats of this width", 'Convert x to "float64" first.'),
    "c": ("complex numbers of this width", 'Convert x to "complex128" first.'),
}


class UnknownTypeError(ValueError):
    """A type string that DLPack has no type for: says why, and what to do."""


def dtype_of(typestr: str, *, bar_is_native: bool = False) -> Triple:
    """Give DLPack's type of a type string. Raises UnknownTypeError.

    ``bar_is_native``: elements of several bytes, too, may say "|", and are of this machine's order.
    """
    native = bar_is_native and typestr.startswith("|")
    found = DTYPES.get(f"={typestr[1:]}" if native else typestr)
    if found is None:
        raise UnknownTypeError(why_not(typestr))
    return found


def why_not(typestr: str) -> str:
    """Say why DLPack has no type for a type string, and what to do."""
    parts = _FORM.fullmatch(typestr)
    if parts is None:
        return (
            f"{typestr!r} is no type string.\n"
            '  One is a byte order, a letter and a number of bytes, like "<f4".'
        )
    order, letter, size, _ = parts.groups()
    known = f"{_NATIVE}{letter}{size}" in DTYPES
    what, fix = _OTHERS.get(letter, ("such elements", _CONVERT))
    # First of all the order: what may be advised for the type would read the bytes the wrong way.
    if order == _FOREIGN and (known or fix == _AS_NUMBERS):
        then = "" if known else f', then its view("int64"): DLPack has no type for {what}'
        return (
            f"{typestr!r} is of the other byte order than this machine's, and DLPack's types are "
            f"native.\n  {_NATIVE_FIRST}{then}."
        )
    if order == "|" and known:
        return (
            f"{typestr!r} names no byte order, which elements of several bytes have.\n"
            "  That is a fault of the class of x."
        )
    return f"{typestr!r}: DLPack has no type for {what}.\n  {fix}"
