# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Reading the dict of an array interface: each key is checked, and named where it is wrong."""

import operator
from collections.abc import Container
from typing import Any

from anystream._arguments import got
from anystream._memory import Triple, in_elements
from anystream._peer import class_names
from anystream._typestr import UnknownTypeError, dtype_of

MOST = 2**63 - 1
_POINTER = "a pair (pointer, flag) of an int from 0 and a bool"


class Fields:
    """The dict of one interface of an object. What is wrong in it is a BufferError."""

    __slots__ = ("_class", "interface", "value")

    def __init__(self, interface: str, value: Any, x: Any) -> None:
        """Take what the attribute gave."""
        kind = type(x)
        self.interface = interface
        self._class = ".".join(class_names(kind)[0])
        if not isinstance(value, dict):  # BufferError, as for all that is wrong in it
            text = f"{interface} is a dict; got {got(value)}.\n  {self._fault}"
            raise BufferError(text)  # noqa: TRY004
        self.value = value

    @property
    def _fault(self) -> str:
        return f"That is a fault of the class of x, {self._class}."

    def refusal(self, key: str, accepted: str, value: object, fix: str = "") -> BufferError:
        """Make the error for a key with a wrong value."""
        text = f'{self.interface}["{key}"] is {accepted}; got {got(value)}.'
        return BufferError(f"{text}\n  {fix or self._fault}")

    def get(self, key: str) -> Any:
        """Give what a key has; None where it is missing."""
        return self.value.get(key)

    def required(self, key: str, accepted: str) -> Any:
        """Give what a key has that must be there."""
        if key in self.value:
            return self.value[key]
        raise BufferError(
            f'{self.interface}["{key}"] is {accepted}; got a dict without it.\n  {self._fault}'
        )

    def whole(self, key: str, value: object, accepted: str, *, least: int = 0) -> int:
        """Read an int of 64 bits that is not too small; a bool is none."""
        number = _whole(value)
        if number is None or not least <= number <= MOST:
            raise self.refusal(key, accepted, value)
        return number

    def version(self, known: Container[int], accepted: str) -> int:
        """Read the version, which says how the rest is meant."""
        value = self.required("version", accepted)
        version = _whole(value)
        if version is None or version not in known:
            raise self.refusal("version", accepted, value)
        return version

    def shape(self) -> tuple[int, ...]:
        """Read the shape."""
        accepted = "a tuple of ints from 0"
        return self._wholes("shape", self.required("shape", accepted), accepted, least=0)

    def strides(self, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...] | None:
        """Read the strides, in units of 1/itemsize elements; None is row-major."""
        value = self.get("strides")
        if value is None:
            return None
        accepted = f"None or a tuple of {len(shape)} ints, one for each extent of the shape"
        strides = self._wholes("strides", value, accepted, least=-MOST)
        if len(strides) != len(shape):
            raise self.refusal("strides", accepted, value)
        counted = in_elements(strides, shape, itemsize)
        if counted is None:
            accepted = f"a tuple of multiples of the {itemsize} bytes of an element"
            fix = "DLPack counts strides in whole elements. Pass a copy, as x.copy() makes it."
            raise self.refusal("strides", accepted, value, fix)
        return counted

    def _wholes(self, key: str, value: Any, accepted: str, *, least: int) -> tuple[int, ...]:
        if not isinstance(value, (tuple, list)):
            raise self.refusal(key, accepted, value)
        numbers = tuple(_whole(one) for one in value)
        if any(number is None or not least <= number <= MOST for number in numbers):
            raise self.refusal(key, accepted, value)
        return tuple(number for number in numbers if number is not None)

    def data(self) -> tuple[int, bool]:
        """Read the pointer, and the flag as it stands."""
        value = self.required("data", _POINTER)
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise self.refusal("data", _POINTER, value)
        pointer, flag = _whole(value[0]), _flag(value[1])
        if pointer is None or not 0 <= pointer <= MOST or flag is None:
            raise self.refusal("data", _POINTER, value)
        return pointer, flag

    def dtype(self, *, bar_is_native: bool = False) -> Triple:
        """Read the type string; fields and masks are refused, since DLPack has none."""
        accepted = 'a type string of DLPack\'s types, like "<f4"'
        value = self.required("typestr", accepted)
        if not isinstance(value, str):
            raise self.refusal("typestr", accepted, value)
        try:
            dtype = dtype_of(value, bar_is_native=bar_is_native)
        except UnknownTypeError as error:
            raise BufferError(f'{self.interface}["typestr"]: {error}') from None
        self._refuse_fields()
        self._refuse_mask()
        return dtype

    def _refuse_fields(self) -> None:
        descr = self.get("descr")
        plain = isinstance(descr, (list, tuple)) and len(descr) == 1 and descr[0][:1] == ("",)
        if descr is not None and not plain:
            fix = "DLPack has no structured elements: hand the fields over one by one."
            raise self.refusal("descr", 'one pair ("", type string)', descr, fix)

    def _refuse_mask(self) -> None:
        """Refuse an array whose elements are not all valid."""
        mask = self.get("mask")
        if mask is not None:
            fix = "DLPack has no mask: hand over the data and the mask, each as an array."
            raise self.refusal("mask", "None", mask, fix)


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:  # a bool of an array library, which has __index__ to refuse
        return None


def _flag(value: object) -> bool | None:
    """Read a bool, also one of an array library; 0 and 1 are in use, too."""
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    number = _whole(value)
    return None if number not in (0, 1) else bool(number)
