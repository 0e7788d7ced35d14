# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The software Metal from Python: processes that run on it, its queues and buffers, its controls.

A test runs its script in a process of its own, where ANYSTREAM_METAL_LIBRARY names the library:

    child_on_metal('''
        first, second = Queue(), Queue()
        x = Tensor(Buffer(16))
        with held(first): …
    ''')

Queues are instances of a class that goes by the name of PyObjC's. tests/doubles/metal_symbols.cpp
says what each control does.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anystream
from anystream import _core
from process_rig import child
from software_driver import folder_of

_IMPORTS = """
import sys
import anystream
from anystream import _core
from metal_rig import *
"""


def child_on_metal(*parts: str, timeout: int = 100) -> str:
    """Run a script on the software Metal; give what it wrote. At its end nothing was misused."""
    library = folder_of("metal") / "libMetal.so.1"
    end = "\nassert taken('misuses') == [], taken\n"
    return child(_IMPORTS, *parts, end, timeout=timeout, ANYSTREAM_METAL_LIBRARY=str(library))


def _functions() -> Any:
    library = ctypes.CDLL(os.environ["ANYSTREAM_METAL_LIBRARY"])
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("queue", pointer, (ctypes.c_int,)),
        ("buffer", pointer, (ctypes.c_int, ctypes.c_size_t, ctypes.c_ulong)),
        ("contents", pointer, (pointer,)),
        ("encode_fill", pointer, (pointer, pointer, ctypes.c_int)),
        ("encode_copy", pointer, (pointer, pointer, pointer)),
        ("commit", None, (pointer,)),
        ("hold", None, (pointer, ctypes.c_int)),
        ("settle", None, (pointer,)),
        ("references", ctypes.c_int, (pointer,)),
        ("take", None, (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)),
    ):
        function = getattr(library, f"metal_double_{name}")
        function.restype, function.argtypes = result, arguments
    return library


_metal: Any = _functions() if "ANYSTREAM_METAL_LIBRARY" in os.environ else None


class Queue:
    """As PyObjC shows a command queue."""

    def __init__(self, device: int = 0) -> None:
        self.device = f"metal:{device}"
        self.address: int = _metal.metal_double_queue(device)

    def __c_void_p__(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.address)

    def commandBufferWithUnretainedReferences(self) -> None:  # noqa: N802 - Metal's name
        raise NotImplementedError

    def encode_fill(self, buffer: "Buffer", value: int) -> int:
        return int(_metal.metal_double_encode_fill(self.address, buffer.address, value))

    def fill(self, buffer: "Buffer", value: int) -> None:
        commit(self.encode_fill(buffer, value))

    def copy(self, target: "Buffer", source: "Buffer") -> None:
        commit(_metal.metal_double_encode_copy(self.address, target.address, source.address))

    def settle(self) -> None:
        """Wait until it has run all, or waits for another queue."""
        _metal.metal_double_settle(self.address)

    @property
    def references(self) -> int:
        return int(_metal.metal_double_references(self.address))


Queue.__module__, Queue.__qualname__ = "objc", "objc_object"


class Buffer:
    """Memory of a device, in bytes; storage 0 is shared, 2 private."""

    def __init__(self, size: int, storage: int = 0, device: int = 0) -> None:
        self.size, self.device = size, device
        self.address: int = _metal.metal_double_buffer(device, size, storage)

    @property
    def bytes(self) -> bytearray:
        place: int = _metal.metal_double_contents(self.address)
        return bytearray((ctypes.c_uint8 * self.size).from_address(place))

    @property
    def references(self) -> int:
        return int(_metal.metal_double_references(self.address))

    def array(self, stream: Any = None) -> anystream.Array:
        """Make an Array of it whose work is on a stream."""
        return _core._array_from_pointer(
            self.address,
            (self.size,),
            None,
            (1, 8, 1),
            (8, self.device),
            readonly=False,
            owner=self,
            stream=None if stream is None else anystream.Stream(stream, device="metal:0"),
            plan=None,
        )


def commit(commands: int) -> None:
    """Hand encoded commands to their queue."""
    _metal.metal_double_commit(commands)


@contextmanager
def held(queue: Queue) -> Iterator[None]:
    """Keep a queue from starting what it has."""
    _metal.metal_double_hold(queue.address, 1)
    try:
        yield
    finally:
        _metal.metal_double_hold(queue.address, 0)


def taken(which: str = "calls") -> list[str]:
    """Give what was done to Metal since the last time, or wrongly done ("misuses")."""
    text = ctypes.create_string_buffer(1 << 16)
    _metal.metal_double_take(which.encode(), text, len(text))
    return text.value.decode().splitlines()
