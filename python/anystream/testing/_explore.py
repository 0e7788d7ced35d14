# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Trying a hand-off in many schedules, until one of them shows that it is wrong."""

import gc
import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from anystream._arguments import got
from anystream._core import _releases_run, _releases_use_thread
from anystream.testing._exploring import FAULTS, ExploringDevice, Finding

_REPLAY = re.compile(r"seed (-?\d+)(?:, fault (.+))?")
_STEPS_SHOWN = 60


class Explored(NamedTuple):
    """What was tried, where nothing was wrong."""

    schedules: int
    orders: int  # how many of them were different


class ExplorationError(AssertionError):
    """A schedule in which a hand-off goes wrong."""

    def __init__(
        self, wrong: str, findings: list[Finding], schedule: str, replay: str, number: int
    ) -> None:
        """Say what was wrong, and how to see it again."""
        self.findings = findings
        """What the device saw; empty where it was a comparison of the function that failed."""
        self.schedule = schedule
        """The operations in the order in which they ran."""
        self.replay = replay
        """The text that ``explore(fn, replay=…)`` runs the same schedule again by."""
        self.number = number
        """Which of the schedules it was, from 1."""
        super().__init__(
            f"{wrong}\nThe schedule ({number}), in the order in which it ran:\n"
            f"{_shown(schedule)}\nRun it again: explore(fn, replay={replay!r})"
        )


def explore(
    fn: Callable[[ExploringDevice], object],
    *,
    schedules: int = 1000,
    seed: int = 0,
    fault: str = "",
    replay: str | None = None,
) -> Explored:
    """Call a function with a fresh exploring device, once for each of many schedules.

    The function makes streams of the device, queues work, hands arrays over, and may compare values
    by ``peek`` or ``values`` once it has waited. What it leaves queued is run when it has returned.
    It must do the same each time: it may depend on nothing that another thread, a clock or an
    earlier call has done. It is no coroutine or generator function, which would run nothing. The
    garbage collector is off while it runs.

    Args:
        fn: The hand-off to try.
        schedules: How many schedules to try.
        seed: Where to begin: each schedule has the seed of the one before it, and 1.
        fault: A fault that the device shall have, one of FAULTS, to see that it would be found.
        replay: The text that an ExplorationError gave: only that schedule is run, with the fault
            that the text names.

    Returns:
        How many schedules were tried, and how many different orders of operations they had.

    Raises:
        ExplorationError: an operation read memory that was freed or that no operation has written,
            or wrote memory that was freed; a wait could not end; or the function, or one that it
            queued, raised AssertionError.
        TypeError, ValueError: an argument is wrong, as a fault that there is not, a text that no
            ExplorationError gave, or one with another fault.
        Errors of the function itself come through, with a note that tells the schedule.
    """
    _check(fn, schedules, seed)
    if replay is not None:
        seed, fault = _parse(replay, fault)
        schedules = 1
    orders = set()
    for number in range(schedules):
        orders.add(_run(fn, seed + number, fault, number + 1))
    return Explored(schedules, len(orders))


def _check(fn: object, schedules: object, seed: object) -> None:
    if not callable(fn):
        raise TypeError(f"explore(fn) takes a function of an ExploringDevice; got {got(fn)}.")
    if not isinstance(seed, int):
        raise TypeError(f"explore(seed=…) takes an int; got {got(seed)}.")
    if type(schedules) is not int:
        raise TypeError(f"explore(schedules=…) takes an int from 1; got {got(schedules)}.")
    if schedules < 1:
        raise ValueError(f"explore(schedules=…) takes an int from 1; got {got(schedules)}.")


def _called(fn: Callable[[ExploringDevice], object], device: ExploringDevice) -> None:
    """Call the function; what it gives must be nothing that it has put off."""
    result = fn(device)
    if inspect.iscoroutine(result) or inspect.isgenerator(result):
        result.close()
    elif not inspect.isasyncgen(result):
        return
    kind = type(result).__name__
    raise TypeError(
        f"explore(fn) takes a function that does the hand-off when it is called; got one that gives"
        f" a {kind}, which runs nothing by itself.\n"
        "  Make it a usual function without yield or await; one of asyncio is run by asyncio.run()."
    )


def _run(fn: Callable[[ExploringDevice], object], seed: int, fault: str, number: int) -> str:
    """Run one schedule, and give it as text."""
    device = ExploringDevice(seed, fault)
    replay = f"seed {seed}, fault {fault}" if fault else f"seed {seed}"
    try:
        error = _error_of(fn, device)
        findings, schedule = device.findings, device.schedule
    finally:
        device.close()
    if findings or isinstance(error, AssertionError):
        wrong = _told(findings, error)
        raise ExplorationError(wrong, findings, schedule, replay, number) from error
    if error is not None:
        error.add_note(f"In a schedule of explore(fn, replay={replay!r}).")
        raise error
    return schedule


def _error_of(fn: Callable[[ExploringDevice], object], device: ExploringDevice) -> Exception | None:
    """Run the function, and what it has left; what it raises ends it, not the schedule."""
    raised: list[Exception] = []
    with _no_garbage_collection(), _no_release_thread():
        for part in (partial(_called, fn, device), device.finish, _releases_run):
            try:
                part()
            except Exception as error:  # noqa: BLE001 - it is raised again, with its schedule
                raised.append(error)
    return raised[0] if raised else None


def _told(findings: list[Finding], error: Exception | None) -> str:
    lines = [str(finding) for finding in findings]
    if error is not None:
        lines.append(f"{type(error).__name__}: {str(error) or _where(error)}")
    return "\n".join(lines)


def _where(error: Exception) -> str:
    """Give the line that raised, for a bare assert."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.line}  ({last.name}, line {last.lineno})"


def _shown(schedule: str) -> str:
    lines = schedule.splitlines()
    left_out = len(lines) - _STEPS_SHOWN
    shown = [f"  {number:3} {line}" for number, line in enumerate(lines)][:_STEPS_SHOWN]
    if left_out > 0:
        shown.append(f"  … and {left_out} more: the error has them all as its schedule")
    return "\n".join(shown) or "  nothing"


def _parse(replay: str, fault: str) -> tuple[int, str]:
    if not isinstance(replay, str):
        raise TypeError(
            f"explore(replay=…) takes the text of an ExplorationError's replay; got {got(replay)}."
        )
    found = _REPLAY.fullmatch(replay)
    if found is None or (found[2] or "") not in {"", *FAULTS}:
        raise ValueError(
            f"explore(replay=…) takes the text of an ExplorationError's replay; got {replay!r}.\n"
            '  It reads like "seed 17", or "seed 17, fault wait left out".'
        )
    named = found[2] or ""
    if fault not in {"", named}:
        raise ValueError(
            f"explore(replay=…) has the fault that its text names, here {named or 'none'}; got "
            f"fault={fault!r}.\n  Leave fault= out, or seed the search with it: seed={found[1]}."
        )
    return int(found[1]), named


@contextmanager
def _no_release_thread() -> Iterator[None]:
    """Have releases that were put off be done at calls only, at points that the seed knows."""
    _releases_use_thread(False)
    try:
        yield
    finally:
        _releases_use_thread(True)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Leave the collector out: what it ends would be freed at a point that no seed knows."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
