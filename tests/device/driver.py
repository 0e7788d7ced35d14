# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA driver that this process has: a GPU's, or the software one, whose streams have gates.

What the tests need of it beyond the libraries: whether a stream is idle, captures, events that tell
times. Nothing of it is anystream's, which is what is tested.
"""

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from software_driver import SoftwareDriver, handle_of

NOT_READY, RELAXED = 600, 2


@functools.cache
def _facts() -> dict[str, Any]:
    from anystream import _core

    return next(row for row in _core.drivers() if row["name"] == "cuda")


def why_no_driver() -> str:
    """Give the loader's reason, or that of the driver, why there is no device; else ""."""
    if not _facts()["available"]:
        return str(_facts()["reason"])
    count = ctypes.c_int()
    status = _opened().cuInit(0) or _opened().cuDeviceGetCount(ctypes.byref(count))
    if status:
        return f"{_facts()['library']}: {_error(status)}"
    return "" if count.value else f"{_facts()['library']}: no device"


@functools.cache
def _opened() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _error(status: int) -> str:
    name = ctypes.c_char_p()
    _opened().cuGetErrorName(status, ctypes.byref(name))
    return (name.value or b"error").decode() + f" ({status})"


@functools.cache
def software() -> SoftwareDriver | None:
    """Give the controls of the software driver, if that is what was opened."""
    if not hasattr(_opened(), "double_hold"):
        return None
    controls = SoftwareDriver("cuda")
    controls.release_on_wait()  # who waits on the host for a stream that is held lets it go
    return controls


def title() -> str:
    """Say what the libraries run on."""
    if software():
        return "the software CUDA driver, which is no GPU"
    device, name, version = ctypes.c_int(), ctypes.create_string_buffer(200), ctypes.c_int()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDeviceGetName", name, 200, device)
    call("cuDriverGetVersion", ctypes.byref(version))
    major, minor = version.value // 1000, version.value % 1000 // 10
    return f"{name.value.decode()}, the CUDA {major}.{minor} driver"


def call(entry: str, *arguments: Any) -> None:
    """Call the driver; an error is an error of the test."""
    status = getattr(_opened(), entry)(*arguments)
    assert status == 0, f"{entry}: {_error(status)}"


def _stream(stream: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(handle_of(stream))


def pending(stream: Any) -> bool:
    """Tell whether the stream has work that is not done."""
    status = _opened().cuStreamQuery(_stream(stream))
    assert status in (0, NOT_READY), _error(status)
    return bool(status == NOT_READY)


class Graph:
    """What was captured, to be launched."""

    def __init__(self) -> None:
        self._graph, self._executable = ctypes.c_void_p(), ctypes.c_void_p()

    def end(self, stream: Any) -> None:
        call("cuStreamEndCapture", _stream(stream), ctypes.byref(self._graph))
        if self._graph.value:
            made = ctypes.byref(self._executable)
            call("cuGraphInstantiateWithFlags", made, self._graph, ctypes.c_ulonglong(0))

    def launch(self, stream: Any) -> None:
        assert self._executable.value, "nothing was captured"
        call("cuGraphLaunch", self._executable, _stream(stream))

    def destroy(self) -> None:
        call("cuGraphExecDestroy", self._executable)
        call("cuGraphDestroy", self._graph)


@contextmanager
def capture(stream: Any) -> Iterator[Graph]:
    """Capture what is enqueued on a stream inside; the graph may be launched after."""
    graph = Graph()
    call("cuStreamBeginCapture_v2", _stream(stream), RELAXED)
    try:
        yield graph
    except BaseException:
        _opened().cuStreamEndCapture(_stream(stream), ctypes.byref(ctypes.c_void_p()))
        raise
    graph.end(stream)


def capturing(stream: Any) -> bool:
    """Tell whether a stream is being captured, by a capture that nothing has broken."""
    status = ctypes.c_int()
    call("cuStreamIsCapturing", _stream(stream), ctypes.byref(status))
    return status.value == 1


class Clock:
    """Two events of a stream, and the time that the device has spent between them."""

    def __init__(self) -> None:
        self._events = (ctypes.c_void_p(), ctypes.c_void_p())
        for event in self._events:
            call("cuEventCreate", ctypes.byref(event), 0)

    @contextmanager
    def around(self, stream: Any) -> Iterator[None]:
        call("cuEventRecord", self._events[0], _stream(stream))
        yield
        call("cuEventRecord", self._events[1], _stream(stream))

    def microseconds(self) -> float:
        passed = ctypes.c_float()
        call("cuEventSynchronize", self._events[1])
        call("cuEventElapsedTime", ctypes.byref(passed), *self._events)
        return passed.value * 1000

    def destroy(self) -> None:
        for event in self._events:
            call("cuEventDestroy_v2", event)
