# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The exploring device: all its streams run in one thread, in an order drawn from a seed."""

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple

from anystream._arguments import got
from anystream._core import (
    EXPLORER_FAULTS,
    _explorer,
    _explorer_close,
    _explorer_findings,
    _explorer_finish,
    _explorer_steps,
)
from anystream.testing._simulated import SimulatedDevice, SimulatedStream

FAULTS: dict[str, str] = dict(EXPLORER_FAULTS)
"""The faults that an exploring device can be told to have, and what each does."""


class Finding(NamedTuple):
    """Something that an operation of an exploring device did wrong."""

    what: str  # "read bytes that no operation has written"
    stream: str  # the name of the stream; "the host"
    operation: str  # as the schedule has it
    memory: str  # which bytes of what; of a wait: what was awaited
    step: int  # the number of the operation in the schedule, from 0

    def __str__(self) -> str:
        """Say it in a line."""
        who = f"{self.stream}: {self.operation}" if self.operation else self.stream
        return f"{self.what}: {self.memory}\n  by {who} (step {self.step})"


class ExploringStream(SimulatedStream):
    """A stream of an exploring device: what it has queued runs when the scheduler draws it."""

    __slots__ = ("_raised",)

    _raised: list[BaseException]

    def call(self, function: Callable[[], object]) -> None:
        """Queue a call of a function; what it raises is an error of the schedule."""
        super().call(_Call(function, self._raised))


class _Call:
    """A function whose error must not be lost in the middle of another call."""

    __slots__ = ("_function", "_raised")

    def __init__(self, function: Callable[[], object], raised: list[BaseException]) -> None:
        self._function = function
        self._raised = raised

    def __call__(self) -> None:
        try:
            self._function()
        except BaseException as error:  # noqa: BLE001 - raised again when the device is finished
            self._raised.append(error)


class ExploringDevice(SimulatedDevice):
    """A simulated device without threads, for trying schedules; ``explore`` makes one for each.

    What is queued on its streams runs in the thread that made the device, when this thread queues,
    asks or waits: which operations, and how many, is drawn from ``seed``. One program and one seed
    give one order. Every access to its memory is checked: see ``findings``. Where it differs from a
    SimulatedDevice otherwise: memory of an array with a stream is freed on that stream, and its
    streams and memory can be used with each other only. Other threads may use it too, but nothing
    runs at their calls, and they cannot wait for it: that is a ValueError where work is pending.

    A wait that cannot end, as for a stream that is held, is a DriverError that says what is
    pending. As a context manager it is finished and closed on leaving.

    Args:
        seed: Any int.
        fault: One of FAULTS, to see that a test would find it; "" for none.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: there is no such fault; the message lists them.
    """

    __slots__ = ("__weakref__", "_closer", "_raised")

    def __init__(self, seed: int = 0, fault: str = "") -> None:
        """Make a new device, of this thread; its number counts up from 0 with the others."""
        if not isinstance(seed, int):
            raise TypeError(f"ExploringDevice(seed=…) takes an int; got {got(seed)}.")
        if not isinstance(fault, str):
            raise TypeError(f"ExploringDevice(fault=…) takes a str; got {got(fault)}.")
        self._adopt(_explorer(seed & 0xFFFF_FFFF_FFFF_FFFF, fault))
        self._raised: list[BaseException] = []
        self._closer = weakref.finalize(self, _explorer_close, self._id)
        self._closer.atexit = False

    @property
    def schedule(self) -> str:
        """The operations in the order in which they ran, a line each: "stream: operation"."""
        return "\n".join(f"{stream}: {operation}" for stream, operation in self.steps)

    @property
    def steps(self) -> list[tuple[str, str]]:
        """The names of streams and operations, in the order in which they ran."""
        return _explorer_steps(self._id)

    @property
    def findings(self) -> list[Finding]:
        """What was wrong so far.

        Reads of memory that was freed or that no operation has written, writes to memory that was
        freed, waits that could not end, and operations that could never start.
        """
        return [Finding(*found) for found in _explorer_findings(self._id)]

    def finish(self) -> None:
        """Lift all holds and run what is left; raise what a queued function has raised, if any."""
        _explorer_finish(self._id)
        if self._raised:
            raise self._raised.pop(0)

    def close(self) -> None:
        """Give the device up: nothing further runs on it, and it cannot be asked any more."""
        self._closer()

    def _own(self, handle: int) -> ExploringStream:
        stream = ExploringStream(self.device, handle)
        stream._raised = self._raised  # noqa: SLF001 - they are made here only
        self._streams.add(stream)
        return stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish, unless an error is on its way, and close."""
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()

    def __repr__(self) -> str:
        """Say which device it is."""
        return f"<ExploringDevice {self.device}>"
