# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a CUDA library does for the tests: it has streams, arrays, slow work, or a reason why not.

Arrays are of N elements of one byte each. What a method enqueues is on the stream that it is given;
none but `read` and `finish` waits for it.
"""

import functools
import importlib.metadata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import driver

N = 4096


class Library:
    """One library; a stream of one that has none of its own is None."""

    name: str  # as `to=` takes it
    package: str
    on_software = False  # it has no runtime of NVIDIA's inside, which the software driver is not
    overwrites = True  # its arrays can be written to

    @functools.cached_property
    def why_not(self) -> str:
        """Give the reason why it cannot run here, of the loader or of its own; else ""."""
        if reason := driver.why_no_driver():
            return f"no CUDA driver: {reason}"
        try:
            self.version  # noqa: B018 - asked for its error
            if driver.software() and not self.on_software:
                return f"{self.name} has a CUDA runtime inside, which takes the driver of a GPU"
            self.start()
            if not driver.software():
                self.spin(self.stream())  # what compiles must be able to
        except Exception as error:  # noqa: BLE001 - whatever stops it is the reason
            return f"{self.name}: {type(error).__name__}: {error}".partition("\n")[0]
        return ""

    @functools.cached_property
    def version(self) -> str:
        return importlib.metadata.version(self.package)

    def start(self) -> None:
        """Import it, and make device 0 current; raises what stops that. Once in each thread."""
        raise NotImplementedError

    def stream(self) -> Any:
        raise NotImplementedError

    def current(self, stream: Any) -> AbstractContextManager[Any]:
        """Make a stream the current one inside, without ordering anything by that."""
        return nullcontext()

    def full(self, value: int, stream: Any) -> Any:
        raise NotImplementedError

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        """Write to an array; give it back, or another, where arrays cannot be written to."""
        raise NotImplementedError

    def room(self) -> Any:
        """Make what `copy` copies to, which takes no memory from then on."""
        raise NotImplementedError

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        """Copy an array that was handed over; what `read` reads."""
        raise NotImplementedError

    def finish(self, stream: Any) -> None:
        """Wait on the host."""
        raise NotImplementedError

    def values(self, copied: Any) -> Any:
        """Give what has been copied as a numpy array, or as a list."""
        raise NotImplementedError

    def read(self, copied: Any, stream: Any) -> set[int]:
        self.finish(stream)
        return {int(value) & 0xFF for value in self.values(copied)}

    def spin(self, stream: Any) -> None:
        """Enqueue slow work."""
        raise NotImplementedError

    @contextmanager
    def busy(self, stream: Any) -> Iterator[None]:
        """What is enqueued inside comes after slow work, on software after the block."""
        if (software := driver.software()) is None:
            self.spin(stream)
            yield
        else:
            with software.held(stream):
                yield
                software.settle()  # who does not wait for it has come too early by now

    def pending(self, array: Any, stream: Any) -> bool:
        """Tell whether what was enqueued last, which wrote this array, is not done yet."""
        return driver.pending(stream)
