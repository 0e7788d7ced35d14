# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Data types as values: DLPack's code, bits and lanes, with a name."""

from typing import Any

from anystream import _core


class DType:
    """An element type: ``DType("float32")`` or ``DType(2, 32, 1)``, DLPack's code, bits and lanes.

    ``str()`` gives the name; a value: hashable, and equal to any other with the same three numbers.
    ValueError for a name that is not known.
    """

    __slots__ = ("_bits", "_code", "_lanes")

    def __init__(self, dtype: "str | int | DType", bits: int = 0, lanes: int = 1) -> None:
        """Name an element type; ``bits`` and ``lanes`` go with a code only."""
        if isinstance(dtype, DType):
            self._code, self._bits, self._lanes = dtype.triple
        elif isinstance(dtype, str):
            self._code, self._bits, self._lanes = _core.parse_dtype(dtype)
        else:
            self._code, self._bits, self._lanes = int(dtype), int(bits), int(lanes)

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
        return _core.dtype_name(*self.triple)

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
