# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what Python says of arrays: the dicts of the interfaces, and DLPack's two methods.

`one` makes an object of an input's bytes and imports it. Whatever the bytes say: no crash, no error
but those that say what was wrong, and nothing kept. `interfaces_fuzz.cpp` runs it under libFuzzer.
"""

import ctypes
import gc
import struct
import weakref
from collections.abc import Callable
from typing import Any

import anystream

REFUSALS = (BufferError, TypeError, ValueError, anystream.DriverError)

_MEMORY = ctypes.create_string_buffer(4096)
_ADDRESS = ctypes.addressof(_MEMORY)
_BORDERS = (
    -(2**63) - 1,
    -(2**63),
    -(2**31),
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    10**30,
)
_TYPES = (
    *("<f4", "<f8", "|i1", "|u1", "<i4", "=u2", "|b1", "<c8", ">f4", ">i2", "|V8", "<M8[ns]", "|O"),
    *("<U3", "<f3", "<f16", "<c4", "|V0", "f4", "", "<", "<f", "<f-4", "<f4 ", "<\u0664f4", "\x00"),
)
_KEYS = {
    "__array_interface__": ("version", "shape", "typestr", "data", "strides", "offset"),
    "__cuda_array_interface__": ("version", "shape", "typestr", "data", "strides", "stream"),
    "__sycl_usm_array_interface__": (
        *("version", "shape", "typestr", "data", "strides", "offset", "syclobj"),
    ),
}
_MORE_KEYS = ("descr", "mask")
_GOOD = {
    "shape": (2, 3),
    "typestr": "<f4",
    "data": (_ADDRESS, False),
    "strides": None,
    "offset": 0,
    "stream": None,
    "syclobj": "cpu:0",
    "descr": [("", "<f4")],
    "mask": None,
}
_VERSIONS = {
    "__array_interface__": 3,
    "__cuda_array_interface__": 3,
    "__sycl_usm_array_interface__": 1,
}


class Reader:
    """The bytes of an input, read as values; past its end there are zeros."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        """Read a byte."""
        at, self._at = self._at, self._at + 1
        return self._data[at] if at < len(self._data) else 0

    def number(self) -> int:
        """Read an int: small, at a border, or any of eight bytes."""
        tag = self.byte()
        if tag < 0xA0:
            return tag
        if tag < 0xC0:
            return tag - 0xC0
        if tag < 0xE0:
            return _BORDERS[tag % len(_BORDERS)]
        return int(struct.unpack("<q", bytes(self.byte() for _ in range(8)))[0])

    def text(self) -> str:
        """Read a type string, known or of any characters."""
        tag = self.byte()
        if tag < 0xC0:
            return _TYPES[tag % len(_TYPES)]
        return "".join(chr(self.byte()) for _ in range(tag & 7))

    def one_of(self, *values: Any) -> Any:
        """Choose one of these."""
        return values[self.byte() % len(values)]

    def some(self, depth: int) -> list[Any]:
        """Read up to three values."""
        return [self.value(depth + 1) for _ in range(self.byte() % 4)]

    def value(self, depth: int = 0) -> Any:
        """Read a value of any type that a producer may have put there."""
        makers = _PLAIN if depth > 3 else _MAKERS
        return makers[self.byte() % len(makers)](self, depth)


_PLAIN: tuple[Callable[[Reader, int], Any], ...] = (
    lambda reader, _: reader.number(),
    lambda reader, _: _ADDRESS + reader.number(),
    lambda reader, _: reader.text(),
    lambda reader, _: reader.one_of(None, True, False, ..., NotImplemented),
    lambda reader, _: reader.one_of(0.0, -1.5, float("nan"), float("inf"), 3.0),
    lambda reader, _: bytes(reader.byte() for _ in range(reader.byte() % 8)),
    lambda reader, _: reader.one_of(_MEMORY, object(), Odd(), range(3), memoryview(b"abc")),
    lambda reader, _: (reader.number(),) * (reader.byte() % 70),
)
_MAKERS: tuple[Callable[[Reader, int], Any], ...] = (
    *_PLAIN,
    *[lambda reader, depth: tuple(reader.some(depth))] * 5,
    *[lambda reader, depth: reader.some(depth)] * 2,
    lambda reader, depth: {reader.text(): value for value in reader.some(depth)},
)


class Odd:
    """An object that answers what it is asked with nonsense."""

    def __index__(self) -> int:
        """Be no number."""
        return "one"  # type: ignore[return-value] # noqa: PLE0305

    def __len__(self) -> int:
        """Have no length."""
        return -1  # noqa: PLE0303

    def __bool__(self) -> bool:
        """Be neither."""
        raise ValueError("neither")


class Interface:
    """An object with one interface, as its bytes say."""

    def __init__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Methods:
    """An object with DLPack's methods, which give what its bytes say."""

    def __init__(self, device: Any, given: Any) -> None:
        self._device, self._given = device, given

    def __dlpack__(self, **_: Any) -> Any:
        """Give no capsule."""
        return self._given

    def __dlpack_device__(self) -> Any:
        """Give perhaps a device."""
        return self._device


def _fields(reader: Reader, name: str) -> Any:
    """Make an interface's value: right, but for what the bytes say of a key."""
    if reader.byte() == 0xFF:
        return reader.value()
    fields = {}
    for key in (*_KEYS[name], *_MORE_KEYS):
        match reader.byte() % 4:
            case 0 | 1:
                fields[key] = _VERSIONS[name] if key == "version" else _GOOD[key]
            case 2:
                fields[key] = reader.value()
    return fields


def made(data: bytes) -> Any:
    """Make an object of an input's bytes."""
    reader = Reader(data)
    kind = reader.byte() % 4
    if kind == 3:
        return Methods(reader.value(), reader.value())
    name = tuple(_KEYS)[kind]
    return Interface(name, _fields(reader, name))


def ask(array: anystream.Array) -> None:
    """Ask an array for all that needs no access to its memory."""
    assert array.size >= 0
    assert len(array.shape) == len(array.strides) == array.ndim
    assert array.dtype.itemsize == array.itemsize
    assert repr(array)
    assert array.nbytes >= 0
    assert array.device.__dlpack_device__() == array.__dlpack_device__()
    assert array.readonly in (True, False)
    again = anystream.from_dlpack(array)
    assert again.data_ptr == array.data_ptr
    assert (again.shape, again.strides) == (array.shape, array.strides)
    anystream.from_dlpack(array.__dlpack__(stream=_quiet(array), max_version=(1, 3)))


def _quiet(array: anystream.Array) -> int | None:
    """Choose the stream that orders nothing."""
    return None if array.__dlpack_device__()[0] == 1 else -1


def one(data: bytes) -> None:
    """Import what an input says; what must hold of it is asserted."""
    x = made(data)
    gone = weakref.ref(x)
    try:
        ask(anystream.from_dlpack(x))
    except REFUSALS as error:
        assert len(str(error)) > 10, repr(error)  # noqa: PT017
    del x
    if gone() is not None:
        gc.collect()
        assert gone() is None, "something still holds the producer"
