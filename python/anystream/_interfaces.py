# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Imports of objects without `__dlpack__`: which interface an object has, and reading it, once.

Where an object has several, the first of the list counts: the more an interface tells of the device
and of pending work, the earlier it stands. The buffer protocol, which tells of neither, is last.
"""

from collections.abc import Callable
from typing import Any

from anystream import _array_interface, _buffer, _cuda_interface, _handles, _usm
from anystream._core import _exports_buffer
from anystream._fields import Fields
from anystream._memory import Memory
from anystream._peer import Producer
from anystream._plan import Route

_Reader = Callable[[Fields, Any, Producer], Memory]
INTERFACES: tuple[tuple[str, Route, _Reader], ...] = (
    ("__cuda_array_interface__", "cuda interface", _cuda_interface.read),
    ("__sycl_usm_array_interface__", "usm", _usm.read),
    ("__array_interface__", "array interface", _array_interface.read),
)


def described(x: Any, row: Producer) -> tuple[Route, Memory] | None:
    """Read the interface that an object has; None if it has none. A class is no array.

    An attribute that raises AttributeError, or is None, says that this object has it not. What else
    it raises goes through. BufferError for an interface that says what cannot be.
    """
    if (handle := _handles.row_of(x, row)) is not None:
        return "handle", _handles.read(x, handle)
    for name, route, read in INTERFACES:
        value = getattr(x, name, None)
        if value is not None:
            return route, read(Fields(name, value, x), x, row)
    if _exports_buffer(x):
        return "buffer", _buffer.read(x)
    return None
