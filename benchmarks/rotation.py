# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Times competitors against each other: in rotation within each round, the fastest batch of each.

Absolute times move with the machine; ratios of one run are what is compared.
"""

import os
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds of one batch a competitor, and seconds a batch."""

    rounds: int = 25
    batch_seconds: float = 0.01


SMOKE = Effort(rounds=1, batch_seconds=0.0)


@dataclass(frozen=True)
class Competitor:
    """Something to call with one argument, and what to do between its batches."""

    name: str
    call: Callable[..., object]
    argument: object
    settle: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Timing:
    """What a call of a competitor costs at best; without nanoseconds: why it could not run."""

    name: str
    nanoseconds: float | None
    why: str = ""


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
    while calls < 1_000_000 and timer.timeit(calls) < effort.batch_seconds:
        calls *= 4
    return calls


def _prepared(competitor: Competitor, effort: Effort) -> tuple[timeit.Timer, int]:
    names = {"call": competitor.call, "argument": competitor.argument}
    timer = timeit.Timer("call(argument)", globals=names)
    timer.timeit(1)
    return timer, _calls_a_batch(timer, effort)


def _failure(competitor: Competitor) -> str:
    try:
        competitor.call(competitor.argument)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return ""


def measure(competitors: Sequence[Competitor], effort: Effort) -> list[Timing]:
    """Return what each costs; one that refuses the argument is not timed."""
    failures = {c.name: why for c in competitors if (why := _failure(c))}
    running = [c for c in competitors if c.name not in failures]
    prepared = {c.name: _prepared(c, effort) for c in running}
    best: dict[str, float] = {}
    for turn in range(effort.rounds):
        first = turn % len(running) if running else 0
        for competitor in running[first:] + running[:first]:
            timer, calls = prepared[competitor.name]
            cost = timer.timeit(calls) / calls * 1e9
            competitor.settle()
            best[competitor.name] = min(cost, best.get(competitor.name, cost))
    return [Timing(c.name, best.get(c.name), failures.get(c.name, "")) for c in competitors]


def print_table(title: str, timings: Sequence[Timing]) -> None:
    """Print a table; the ratio is to the first row, which is anystream."""
    print(f"\n{title}")
    own = timings[0].nanoseconds
    for timing in timings:
        if timing.nanoseconds is None:
            print(f"  {timing.name:42} –  {timing.why[:90]}")
        else:
            ratio = f"{timing.nanoseconds / own:8.2f} x" if own else ""
            print(f"  {timing.name:42}{timing.nanoseconds:10.0f} ns{ratio}")
