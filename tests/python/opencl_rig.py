# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""OpenCL on the CPU, by two drivers: PoCL and Intel's, as their packages install them.

A queue is held by a gate, which is an event that only the test sets. So what is seen depends on no
clock: while the gate is shut, what comes after it has not happened.
"""

import os
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import pytest

LIBRARIES = {
    "pocl": ("pocl-binary-distribution", "libpocl", "Portable Computing Language"),
    "intel": ("intel-opencl-rt", "libintelocl.so", "Intel"),
}
WIDTH = 1 << 12

SLOW = """
kernel void slow(global int* data, int value, int turns) {
  if (get_global_id(0) == 0) {
    volatile int spent = 0;
    for (int i = 0; i < turns; ++i) spent += i;
    for (int i = 0; i < WIDTH; ++i) data[i] = value + (spent == 1 ? 1 : 0);
  }
}
""".replace("WIDTH", str(WIDTH))


def _library(driver: str) -> Path | None:
    package, name, _ = LIBRARIES[driver]
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())).resolve() for file in files if file.name.startswith(name))
    return next((path for path in found if path.suffix not in (".py", ".pyc")), None)


@cache
def cl() -> Any:
    """Import pyopencl with the packages' drivers found.

    The variable is for its own loader, which reads it once, on import: others in the process go on
    without it.
    """
    folder = Path(tempfile.mkdtemp(prefix="opencl-drivers-"))
    for driver in LIBRARIES:
        if (library := _library(driver)) is not None:
            (folder / f"{driver}.icd").write_text(f"{library}\n")
    before = os.environ.get("OCL_ICD_VENDORS")
    os.environ["OCL_ICD_VENDORS"] = str(folder)
    try:
        module = pytest.importorskip("pyopencl")
        module.get_platforms()
    finally:
        del os.environ["OCL_ICD_VENDORS"]
        if before is not None:
            os.environ["OCL_ICD_VENDORS"] = before
    return module


def arrays() -> Any:
    """Import pyopencl's arrays."""
    cl()
    return pytest.importorskip("pyopencl.array")


@cache
def device(driver: str) -> Any:
    """Find the CPU as a driver has it; skip without the driver."""
    for platform in cl().get_platforms():
        if platform.name.startswith(LIBRARIES[driver][2]):
            devices: list[Any] = platform.get_devices()
            return devices[0]
    pytest.skip(f"the OpenCL driver of {LIBRARIES[driver][0]} is not here")


@cache
def context(driver: str, number: int = 0) -> Any:
    """Make a context, one of each number: it is kept, since drivers are slow to make one."""
    return cl().Context([device(driver)])


def queue(driver: str, *, in_order: bool = True, of: int = 0) -> Any:
    """Make a queue in the context of a number."""
    out_of_order = cl().command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    return cl().CommandQueue(context(driver, of), properties=0 if in_order else out_of_order)


class Gate:
    """What holds a queue back until it is opened; opened at the end of a test in any case."""

    def __init__(self, on: Any) -> None:
        self._event = cl().UserEvent(on.context)
        self._shut = True
        cl().enqueue_barrier(on, wait_for=[self._event])
        on.flush()

    def open(self, status: int = 0) -> None:
        if self._shut:
            self._shut = False
            self._event.set_status(status)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.open()


def filled(on: Any, value: int) -> Any:
    """Make an array of one value, with nothing pending."""
    numpy = pytest.importorskip("numpy")
    array = arrays().to_device(on, numpy.full(WIDTH, value, numpy.int32))
    on.finish()
    array.events.clear()
    return array


def write(on: Any, array: Any, value: int) -> Any:
    """Put a write of a value on a queue, and do not wait."""
    numpy = pytest.importorskip("numpy")
    event = cl().enqueue_fill_buffer(on, array.base_data, numpy.int32(value), 0, array.nbytes)
    on.flush()
    return event


def read(on: Any, array: Any) -> tuple[Any, Any]:
    """Put a copy of what an array has on a queue: the copy's buffer, and its event."""
    target = cl().Buffer(on.context, cl().mem_flags.READ_WRITE, array.nbytes)
    event = cl().enqueue_copy(
        on, target, array.base_data, byte_count=array.nbytes, src_offset=array.offset
    )
    on.flush()
    return target, event


def values(on: Any, buffer: Any, count: int = WIDTH) -> Any:
    """Read a buffer that is done."""
    numpy = pytest.importorskip("numpy")
    out = numpy.empty(count, numpy.int32)
    cl().enqueue_copy(on, out, buffer)
    return out


def is_done(event: Any) -> bool:
    return bool(event.command_execution_status == 0)


def comes_true(what: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait for what must happen at some time."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def becomes_done(event: Any) -> bool:
    return comes_true(lambda: is_done(event))


@cache
def slow_kernel(driver: str) -> Any:
    """Build the kernel that writes a value after many turns, by one work item."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what its compiler has to say is no warning
        built = cl().Program(context(driver, 0), SLOW).build()
    return cl().Kernel(built, "slow")


def references(thing: Any) -> int:
    """Count the references to an object of OpenCL's."""
    return int(thing.reference_count)
