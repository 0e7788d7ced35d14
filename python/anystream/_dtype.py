# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Data types as values: DLPack's code, bits and lanes, with a name."""

import operator
from functools import lru_cache
from typing import Any

from anystream import _core
from anystream._arguments import got, tells_its_parameters

# Of each number: what it is called, and its smallest and largest value in DLPack.
_NUMBERS = (("code", 0, 2**8 - 1), ("bits", 1, 2**8 - 1), ("lanes", 1, 2**16 - 1))
_FIX = 'Write DType("float32"), or DType(2, 32, 1).'
_TAKES = "DType(…) takes a name, a DType, or three ints: code, bits and lanes; got {}.\n  " + _FIX


class DType:
    """An element type: ``DType("float32")`` or ``DType(2, 32, 1)``, DLPack's code, bits and lanes.

    ``str()`` gives the name; a value: hashable, and equal to any other with the same three numbers.
    Codes that DLPack has not named yet have names, too: ``DType("code40_bits8")``.

    Raises ValueError for a name that is not known and for numbers out of range (code to 255, bits 1
    to 255, lanes 1 to 65535), TypeError for anything else, such as a type of another library.
    """

    __slots__ = ("_bits", "_code", "_lanes")

    @tells_its_parameters
    def __init__(
        self, dtype: "str | int | DType", bits: int | None = None, lanes: int | None = None
    ) -> None:
        """Name an element type; ``bits``, and ``lanes`` (1), go with a code only."""
        if not isinstance(dtype, (DType, str)):
            self._code, self._bits, self._lanes = _numbers(dtype, bits, lanes)
        elif bits is not None or lanes is not None:
            raise TypeError(_TAKES.format(f"{got(dtype)} with bits or lanes of its own"))
        elif isinstance(dtype, DType):
            self._code, self._bits, self._lanes = dtype.triple
        else:
            self._code, self._bits, self._lanes = _core.parse_dtype(dtype)

    @property
    def code(self) -> int:
        """DLDataTypeCode."""
        return self._code

    @property
    def bits(self) -> int:
        """Bits of one lane; both halves of a complex number are counted."""
        return self._bits

    @property
    def lanes(self) -> int:
        """Numbers in one element; 1 but for vector types."""
        return self._lanes

    @property
    def triple(self) -> tuple[int, int, int]:
        """(code, bits, lanes)."""
        return (self._code, self._bits, self._lanes)

    @property
    def name(self) -> str:
        """The name, as ``DType(…)`` takes it."""
        return _name_of(*self.triple)

    @property
    def itemsize(self) -> int:
        """Bytes of one element, rounded up to whole ones."""
        return (self._bits * self._lanes + 7) // 8

    def __str__(self) -> str:
        """Give the name."""
        return self.name

    def __repr__(self) -> str:
        """Show how to make it."""
        return f"DType({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Compare code, bits and lanes."""
        if not isinstance(other, DType):
            return NotImplemented
        return self.triple == other.triple

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self.triple)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value."""
        return (DType, self.triple)


def _numbers(code: Any, bits: Any, lanes: Any) -> tuple[int, int, int]:
    if isinstance(code, bool) or not hasattr(type(code), "__index__"):
        raise TypeError(_TAKES.format(got(code)))
    if bits is None:
        raise TypeError(_TAKES.format(f"{got(code)} without bits"))
    given = (code, bits, 1 if lanes is None else lanes)
    first, second, third = map(_number, given, _NUMBERS)
    return first, second, third


def _number(value: Any, row: tuple[str, int, int]) -> int:
    name, least, most = row
    text = f"DType({name}) takes an int from {least} to {most}; got {got(value)}.\n  {_FIX}"
    if isinstance(value, bool):
        raise TypeError(text)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(text) from None
    if not least <= number <= most:
        raise ValueError(text)
    return number


_name_of = lru_cache(maxsize=256)(_core.dtype_name)  # asked in each hand-off


@lru_cache(maxsize=256)
def dtype_of_numbers(code: int, bits: int, lanes: int) -> DType:
    """Give the type of three numbers; asked at every look at an Array's, so it is remembered."""
    return DType(code, bits, lanes)
