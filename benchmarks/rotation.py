# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Times competitors against each other: many short batches, in rotation within each round.

Absolute times move with the machine; ratios of one run are what is compared. The fastest batch is
what a call costs: whatever else the machine does only adds to it, and the shorter a batch, the more
of them nothing disturbs.
"""

import os
import statistics
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds of one batch a competitor, and seconds a batch."""

    rounds: int = 200
    batch_seconds: float = 0.001


SMOKE = Effort(rounds=1, batch_seconds=0.0)


@dataclass(frozen=True)
class Competitor:
    """Something to call with one argument, and what to do between its batches.

    The statement is what is timed: other than a function around it, it adds nothing of its own.
    """

    name: str
    call: Callable[..., object]
    argument: object
    settle: Callable[[], object] = lambda: None
    statement: str = "call(argument)"


@dataclass(frozen=True)
class Timing:
    """Nanoseconds a call of a competitor, a number a round; without any: why it could not run."""

    name: str
    rounds: tuple[float, ...]
    why: str = ""

    @property
    def least(self) -> float | None:
        """What a call costs when nothing disturbs it."""
        return min(self.rounds, default=None)

    @property
    def median(self) -> float | None:
        """What a call costs as a rule."""
        return statistics.median(self.rounds) if self.rounds else None


@dataclass(frozen=True)
class Table:
    """Timings under one title; the first row is anystream."""

    title: str
    timings: tuple[Timing, ...]

    def figures(self, name: str) -> tuple[float | None, float | None, float | None]:
        """Return minimum, median and ratio to the first row, as far as there are any."""
        own = self.timings[0].least if self.timings else None
        for timing in self.timings:
            if timing.name == name:
                ratio = timing.least / own if timing.least and own else None
                return timing.least, timing.median, ratio
        return None, None, None


# What this run has printed: the targets are held against it, and the page is made of it.
PRINTED: list[Table] = []
NOTED: dict[str, list[str]] = {}


@contextmanager
def pinned() -> Iterator[None]:
    """Keep the calling thread on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _calls_a_batch(timer: timeit.Timer, effort: Effort) -> int:
    calls = 1
    while calls < 1_000_000 and (took := timer.timeit(calls)) < effort.batch_seconds:
        share = effort.batch_seconds / took if took > 0 else 4
        calls = max(calls + 1, int(calls * min(share, 4)))
    return calls


def _timer(competitor: Competitor) -> timeit.Timer:
    names = {"call": competitor.call, "argument": competitor.argument}
    return timeit.Timer(competitor.statement, globals=names)


def _failure(competitor: Competitor) -> str:
    try:
        _timer(competitor).timeit(1)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return ""


def measure(competitors: Sequence[Competitor], effort: Effort) -> list[Timing]:
    """Return what each costs; one that refuses the argument is not timed."""
    failures = {c.name: why for c in competitors if (why := _failure(c))}
    running = [c for c in competitors if c.name not in failures]
    timers = {c.name: _timer(c) for c in running}
    calls = {name: _calls_a_batch(timer, effort) for name, timer in timers.items()}
    costs: dict[str, list[float]] = {c.name: [] for c in competitors}
    for turn in range(effort.rounds):
        first = turn % len(running) if running else 0
        for competitor in running[first:] + running[:first]:
            name = competitor.name
            costs[name].append(timers[name].timeit(calls[name]) / calls[name] * 1e9)
            competitor.settle()
    return [Timing(c.name, tuple(costs[c.name]), failures.get(c.name, "")) for c in competitors]


def print_table(title: str, timings: Sequence[Timing]) -> None:
    """Print a table, and keep it for the targets; the ratio is to the first row: anystream."""
    table = Table(title, tuple(timings))
    PRINTED.append(table)
    print(f"\n{title:44}{'minimum':>10}{'median':>10}{'ratio':>10}")
    for timing in timings:
        least, median, ratio = table.figures(timing.name)
        if least is None or median is None:
            print(f"  {timing.name:42} –  {timing.why[:90]}")
            continue
        times = "" if ratio is None else f"{ratio:8.2f} x"
        print(f"  {timing.name:42}{least:7.0f} ns{median:7.0f} ns{times}", flush=True)


def print_note(title: str, lines: Sequence[str]) -> None:
    """Print lines under a title, and keep them for the page."""
    NOTED[title] = list(lines)
    print(f"\n{title}")
    for line in lines:
        print(f"  {line}", flush=True)
