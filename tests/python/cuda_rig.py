# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real CUDA libraries on the software driver: streams of cuda-core, memory of its pool, readers.

Scripts of tests run in processes of their own, where `lab` is a Lab on the software driver.
"""

import ctypes
import importlib
import importlib.util
import struct
from pathlib import Path
from typing import Any

import pytest

from software_driver import SONAMES, SoftwareDriver, child_on, folder_of, handle_of

SIZE = 64  # bytes of each array
UNREAD, POISON = 0xEE, 0xA5  # what readers find before they run; what is in memory that is new

# What changes nothing and enqueues nothing: questions, and what is current in a thread.
STATE = {
    "cuInit",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetId",
    "cuStreamGetCtx",
    "cuStreamGetId",
    "cuStreamIsCapturing",
    "cuStreamGetCaptureInfo",
    "cuGraphGetNodes",
    "cuThreadExchangeStreamCaptureMode",
    "cuStreamQuery",
    "cuEventQuery",
    "cuDevicePrimaryCtxRetain",
    "cuPointerGetAttributes",
    "cuGetErrorName",
    "cuGetErrorString",
    "hipInit",
    "hipGetDevice",
    "hipSetDevice",
    "hipStreamGetDevice",
    "hipStreamIsCapturing",
    "hipStreamGetCaptureInfo_v2",
    "hipGraphGetNodes",
    "hipThreadExchangeStreamCaptureMode",
    "hipStreamQuery",
    "hipEventQuery",
    "hipPointerGetAttributes",
    "hipGetErrorName",
    "hipGetErrorString",
}


def require(*modules: str) -> None:
    """Skip where a library is not installed; it is imported in the test's own process only."""
    for module in modules:
        try:
            found = importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:
            found = False
        if not found:
            pytest.skip(f"{module} is not installed")


def run(*parts: str, needs: tuple[str, ...] = ("cuda.core",), **options: int) -> list[str]:
    """Run a script beside a Lab; give the lines that it wrote."""
    require("numpy", *needs)
    return child_on("cuda", START, *parts, **options).splitlines()


START = """
import ctypes, gc, threading
import numpy as np
from cuda_rig import *
import anystream
lab = Lab(driver)
producer, consumer = lab.producer, lab.consumer
"""


def names_of(calls: list[str]) -> list[str]:
    return [call.partition("(")[0] for call in calls]


class Lab:
    """Two streams of cuda-core on a device, a reader, and what the driver was asked."""

    def __init__(self, driver: SoftwareDriver, device: int = 0) -> None:
        self.core = importlib.import_module("cuda.core")
        self.driver = driver
        self.device = self.core.Device(device)
        self.device.set_current()
        self.producer, self.consumer = self.device.create_stream(), self.device.create_stream()
        self.target = self.core.LegacyPinnedMemoryResource().allocate(SIZE)
        self.seen = importlib.import_module("numpy").from_dlpack(self.target).view("uint8")

    def buffer(self, value: int | None = None, stream: Any = None) -> Any:
        """Allocate memory of cuda-core's pool, which orders nothing by itself."""
        stream = self.producer if stream is None else stream
        made = self.device.allocate(SIZE, stream=stream)
        if value is not None:
            made.fill(value, stream=stream)
        return made

    def view(self, array: Any, stream: Any) -> Any:
        """Have cuda-core take an array by DLPack, for a stream."""
        memory_view = importlib.import_module("cuda.core.utils").StridedMemoryView
        return memory_view.from_dlpack(array, stream_ptr=handle_of(stream))

    def read(self, pointer: int, stream: Any = None) -> None:
        """Enqueue a reader of the first bytes at a pointer."""
        self.seen[:] = UNREAD
        source = self.core.Buffer.from_handle(pointer, SIZE)
        source.copy_to(self.target, stream=self.consumer if stream is None else stream)

    def early(self) -> int:
        """Return what readers have found when all that can run has run."""
        self.driver.settle()
        return self.value()

    def outcome(self) -> int:
        """Return what readers find in the end."""
        self.driver.release_all()
        self.driver.settle()
        return self.value()

    def value(self) -> int:
        """Return the one value that the reader has found everywhere."""
        found = set(self.seen.tolist())
        assert len(found) == 1, found
        return int(found.pop())

    def work(self) -> list[str]:
        """Return the calls since the last clear that are more than questions."""
        return [call for call in self.driver.calls() if names_of([call])[0] not in STATE]

    def current(self) -> int:
        """Return the calling thread's current context."""
        found = ctypes.c_void_p()
        assert self.driver.library.cuCtxGetCurrent(ctypes.byref(found)) == 0
        return found.value or 0


HOST_WAITS = ("cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize")


def _without(image: bytearray, name: str) -> bytearray:
    """Hide a function from whoever looks it up in an ELF library, and not from the library."""
    (table,) = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQII", image, table + at * size) for at in range(count)]
    (symbols,) = (section for section in sections if section[1] == 11)  # SHT_DYNSYM
    names = sections[symbols[6]][4]
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        start = names + struct.unpack_from("<I", image, at)[0]
        if image[start : start + len(name) + 1] == name.encode() + b"\0":
            image[at + 5] = 2  # STV_HIDDEN
            return image
    raise LookupError(name)


def hide_from_clients(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have tests find a copy of the driver that is older: it does not export a function."""
    place = folder_of("cuda")
    (folder / place.name).mkdir()
    image = _without(bytearray((place / SONAMES["cuda"]).read_bytes()), name)
    (folder / place.name / SONAMES["cuda"]).write_bytes(image)
    monkeypatch.setenv("ANYSTREAM_DOUBLES", str(folder))
