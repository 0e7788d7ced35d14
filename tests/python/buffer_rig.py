# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The buffer protocol by hand: CPython's view of a buffer, field by field."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import anystream
from python_api import of_python


class View(ctypes.Structure):
    """Py_buffer."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_get = of_python(
    "PyObject_GetBuffer", ctypes.c_int, ctypes.py_object, ctypes.POINTER(View), ctypes.c_int
)
_release = of_python("PyBuffer_Release", None, ctypes.POINTER(View))


@contextmanager
def taken(array: anystream.Array, flags: int) -> Iterator[View]:
    """Ask for a buffer with these flags; both ends are checked to keep to the protocol."""
    view = View(obj=1)  # nobody's: it must be overwritten
    try:
        _get(array, view, flags)
    except BufferError:
        assert view.obj is None
        raise
    assert view.obj == id(array)
    yield view
    _release(view)
    assert view.obj is None
