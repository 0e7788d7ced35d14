# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The software drivers from Python: where they are built, processes that run on one, its controls.

A test runs its script in a process of its own, where the library path makes one of them the driver
that every library finds:

    out = child_on("cuda", '''
        from cuda.core import Device
        Device(0).set_current()
        stream = Device(0).create_stream()
        with driver.held(stream):
            …
    ''')

There `driver` is a SoftwareDriver.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, SupportsInt

import pytest

from process_rig import child

SONAMES = {
    "cuda": "libcuda.so.1",
    "hip": "libamdhip64.so.6",
    "metal": "libMetal.so.1",
    "conformance": "libconformance.so",  # no driver: the suite of backends, for other languages
}
KINDS = ("streams", "events", "contexts", "allocations", "pools", "graphs", "executables")

_ROOT = Path(__file__).resolve().parent.parent.parent


def _plain_builds() -> list[Path]:
    """Return the builds without a sanitizer, whose runtime an interpreter does not have."""
    found = _ROOT.glob("build/*/tests/doubles")
    return [place for place in found if not place.parts[-3].startswith(("asan", "tsan"))]


def folder_of(platform: str) -> Path:
    """Return where the newest build has a driver, or skip the test."""
    named = os.environ.get("ANYSTREAM_DOUBLES")  # a build's tests/doubles
    places = [Path(named)] if named else _plain_builds()
    found = [place / f"software_{platform}" / SONAMES[platform] for place in places]
    found = sorted((path for path in found if path.exists()), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip("the software drivers are not built: make test-python builds them")
    return found[-1].parent


def child_on(platform: str, *parts: str, devices: int = 2, timeout: int = 200) -> str:
    """Run a script on a software driver, known as `driver` there; give what it wrote."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the software drivers are built on Linux only")
    paths = [str(folder_of(platform)), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    start = f"from software_driver import SoftwareDriver\ndriver = SoftwareDriver({platform!r})\n"
    return child(
        start,
        *parts,
        timeout=timeout,
        LD_LIBRARY_PATH=os.pathsep.join(paths),
        ANYSTREAM_DOUBLE_DEVICES=str(devices),
    )


def handle_of(stream: Any) -> int:
    """Return the handle of any library's stream."""
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        value: SupportsInt = stream.__cuda_stream__()[1]
        return int(value)
    return int(stream)


class SoftwareDriver:
    """The controls of a driver; tests/doubles/control.h says what each of them does."""

    def __init__(self, platform: str = "cuda") -> None:
        self._library = ctypes.CDLL(SONAMES[platform])
        library = self._library
        for name in ("hold", "release"):
            getattr(library, f"double_{name}").argtypes = [ctypes.c_void_p]
        library.double_step.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.double_pending.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        library.double_log_read.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        library.double_entries.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        for name in ("log_read", "entries"):
            getattr(library, f"double_{name}").restype = ctypes.c_size_t
        for name in ("calls", "failed", "written_after_free"):
            getattr(library, f"double_{name}").restype = ctypes.c_ulonglong
        library.double_calls.argtypes = [ctypes.c_char_p]
        library.double_fail.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int]
        library.double_live.argtypes = [ctypes.c_char_p]
        library.double_live.restype = ctypes.c_longlong

    @property
    def library(self) -> ctypes.CDLL:
        """The driver itself."""
        return self._library

    # ---- Gates

    def hold(self, stream: Any) -> None:
        assert self._library.double_hold(handle_of(stream)), f"no stream {stream!r}"

    def release(self, stream: Any) -> None:
        assert self._library.double_release(handle_of(stream)), f"no stream {stream!r}"

    def step(self, stream: Any, operations: int = 1) -> None:
        assert self._library.double_step(handle_of(stream), operations), f"no stream {stream!r}"

    @contextmanager
    def held(self, *streams: Any) -> Iterator[None]:
        """Hold streams inside, and release them after."""
        for stream in streams:
            self.hold(stream)
        try:
            yield
        finally:
            for stream in streams:
                self.release(stream)

    def hold_new_streams(self, on: bool = True) -> None:
        self._library.double_hold_new_streams(int(on))

    def release_all(self) -> None:
        self._library.double_release_all()

    def release_on_wait(self, on: bool = True) -> None:
        self._library.double_release_on_wait(int(on))

    def require_context(self, on: bool = True) -> None:
        self._library.double_require_context(int(on))

    def settle(self, timeout: float = 20.0) -> None:
        """Return when all that can run has run."""
        if not self._library.double_settle(int(timeout * 1000)):
            raise TimeoutError(f"streams still run after {timeout} s")

    def pending(self, stream: Any) -> list[str]:
        """Return the calls whose operations the stream has not done."""
        count = self._library.double_pending(handle_of(stream), None, 0)
        assert count >= 0, f"no stream {stream!r}"
        room = ctypes.create_string_buffer(1000 * (count + 1))
        self._library.double_pending(handle_of(stream), room, len(room))
        return room.value.decode().splitlines()

    def delay(self, seconds: float, operations: int = 1) -> None:
        self._library.double_delay(int(seconds * 1000), operations)

    # ---- Calls

    def calls(self, *names: str) -> list[str]:
        """Return the lines of the log, all or those of these entry points."""
        chosen = ",".join(names).encode()
        size = self._library.double_log_read(chosen, None, 0) + 4096
        room = ctypes.create_string_buffer(size)
        self._library.double_log_read(chosen, room, size)
        return room.value.decode().splitlines()

    def clear(self) -> None:
        """Forget the log and the counts."""
        self._library.double_log_clear()
        self._library.double_calls_clear()

    def log(self, on: bool) -> None:
        self._library.double_log(int(on))

    def count(self, name: str | None = None) -> int:
        return int(self._library.double_calls(name.encode() if name else None))

    def entries(self) -> list[str]:
        size = self._library.double_entries(None, 0)
        room = ctypes.create_string_buffer(size)
        self._library.double_entries(room, size)
        return room.value.decode().splitlines()

    # ---- Errors

    def fail(self, name: str, code: int, after: int = 0, times: int = 1) -> None:
        known = self._library.double_fail(name.encode(), code, after, times)
        assert known, f"no entry point {name}"

    def fail_clear(self) -> None:
        self._library.double_fail_clear()

    @property
    def failed(self) -> int:
        return int(self._library.double_failed())

    # ---- What lives

    def live(self) -> dict[str, int]:
        """Return how many of each kind of object are alive."""
        return {kind: int(self._library.double_live(kind.encode())) for kind in KINDS}

    @property
    def written_after_free(self) -> int:
        return int(self._library.double_written_after_free())

    def reset(self, devices: int | None = None) -> None:
        """Make the driver new; whoever has used it in this process has stale handles."""
        if devices is not None:
            self._library.double_set_devices(devices)
        self._library.double_reset()
