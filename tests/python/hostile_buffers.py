# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Buffers whose exporters lie: classes made through CPython's own functions, field by field.

What CPython's own memoryview cannot bear is left out: a negative ndim, no shape for several axes.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

from buffer_rig import View
from hostile import Case
from python_api import of_python

_GET_BUFFER, _RELEASE_BUFFER = 1, 2  # Py_bf_getbuffer, Py_bf_releasebuffer
_TYPE_FLAGS = (1 << 9) | (1 << 10)  # Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_BASETYPE


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


_GET = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(View), ctypes.c_int)
_RELEASE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(View))
_new_type = of_python(
    "PyType_FromSpecWithBases", ctypes.py_object, ctypes.POINTER(_Spec), ctypes.py_object
)
_retain = of_python("Py_IncRef", None, ctypes.c_void_p)
_TYPES: dict[str, Any] = dict(View._fields_)


def _sizes(values: tuple[int, ...] | None) -> Any:
    return None if values is None else (ctypes.c_ssize_t * max(len(values), 1))(*values)


class Exporter:
    """The base of a class whose buffer is 2 x 3 floats, but for the fields that it is given."""

    memory: Any
    views: int
    released: int


# The interpreter keeps pointers into what a class was made of.
_kept: list[Any] = []


def exporter(**changed: Any) -> Any:
    """Make an object whose buffer has these fields; it counts its views."""
    memory = ctypes.create_string_buffer(64)
    shape = _sizes(changed.pop("shape", (2, 3)))
    strides = _sizes(changed.pop("strides", (12, 4)))
    suboffsets = _sizes(changed.pop("suboffsets", None))
    _kept.append((memory, shape, strides, suboffsets))
    fields = {"len": 24, "itemsize": 4, "ndim": 2, "format": b"f", "readonly": 0}
    fields |= {"buf": ctypes.addressof(memory)} | changed

    def get(self: int, out: Any, _: int) -> int:
        view = out[0]
        for name, value in fields.items():
            setattr(view, name, value)
        for name, value in (("shape", shape), ("strides", strides), ("suboffsets", suboffsets)):
            setattr(view, name, ctypes.cast(value, _TYPES[name]))
        view.obj = self
        _retain(self)
        kind.views += 1
        return 0

    def release(_: int, __: Any) -> None:
        kind.released += 1

    functions = (_GET(get), _RELEASE(release))
    slots = (_Slot * 3)(
        _Slot(_GET_BUFFER, ctypes.cast(functions[0], ctypes.c_void_p)),
        _Slot(_RELEASE_BUFFER, ctypes.cast(functions[1], ctypes.c_void_p)),
    )
    spec = _Spec(b"hostile_buffers.Lying", 0, 0, _TYPE_FLAGS, slots)
    _kept.append((functions, slots, spec))
    kind: Any = _new_type(ctypes.byref(spec), (Exporter,))
    kind.memory, kind.views, kind.released = memory, 0, 0
    return kind()


def _cases() -> Iterator[Case]:
    far, lowest = 2**62, -(2**63)
    rows: list[tuple[str, str, dict[str, Any]]] = [
        ("len that is less than the shape has", "as many bytes as its elements; got", {"len": 4}),
        (
            "len that is more than the shape has",
            "as many bytes as its elements; got",
            {"len": 4096},
        ),
        ("a negative len", "got -24 bytes", {"len": -24}),
        ("itemsize 0", "format 'f' with 0 bytes", {"itemsize": 0}),
        ("a negative itemsize", "format 'f' with -4 bytes", {"itemsize": -4}),
        ("itemsize 3", "format 'f' with 3 bytes", {"itemsize": 3}),
        ("a negative extent", r"an extent is 0 or more", {"shape": (2, -3), "len": -24}),
        ("a size that overflows", "as many bytes", {"shape": (far, far), "len": 0}),
        ("strides that overflow", "63 bits", {"strides": (far, 4)}),
        ("the lowest stride", "63 bits", {"strides": (lowest, 4)}),
        ("strides of no whole element", "strides", {"strides": (13, 4)}),
        ("strides below address 0", "addresses", {"strides": (-(2**56), 4)}),
        ("NULL with elements", "NULL", {"buf": None}),
        ("suboffsets", "suboffsets", {"suboffsets": (0, -1)}),
        ("a format of another width", "format 'd' with 4 bytes", {"format": b"d"}),
        ("no format, and wide elements", "format 'B' with 4 bytes", {"format": None}),
        ("an empty format", "format ''", {"format": b""}),
        ("a format of several", "format 'ff'", {"format": b"ff"}),
        ("a format of many letters", "format", {"format": b"f" * 4000}),
        ("a format of a structure", "format", {"format": b"T{f:a:}"}),
        ("a format of objects", "format 'O'", {"format": b"O"}),
        ("a format that nobody knows", "format '%s'", {"format": b"%s"}),
        ("the other byte order", "byte order", {"format": b">f"}),
    ]
    for what, says, fields in rows:
        build = lambda fields=fields: exporter(**fields)  # noqa: E731
        yield Case("Py_buffer", what, build, (BufferError, ValueError, TypeError), says)


BUFFERS = list(_cases())
