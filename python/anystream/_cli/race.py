# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The race: one array, work pending on it, handed over in three ways and read in one."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anystream._cli.findings import Race, RaceRow


@dataclass(frozen=True)
class Way:
    """One way to hand the array over. The first one, unordered, is allowed to lose."""

    name: str
    code: str
    hand_over: Callable[[], object]
    must_be_right: bool


class Scene(Protocol):
    """A device with a producer and a consumer stream, on which the race is run."""

    platform: str
    device: str
    pending: str
    reader: str
    why_here: str
    ways: Sequence[Way]

    def start(self, value: int) -> None:
        """Clear the array, then leave work pending on the producer's stream that writes value."""

    def running(self) -> bool:
        """Tell, without waiting, whether that work has yet to finish."""

    def read(self, handed: Any) -> Sequence[int]:
        """Read what was handed over, on the consumer's stream; the same for every way."""

    def finish(self) -> None:
        """Let all work end."""


@dataclass(frozen=True)
class _Trial:
    elements: int
    wrong: int
    host_us: float
    running: bool


def run_race(scene: Scene, trials: int, tick: Callable[[], None]) -> Race:
    """Run every way the given number of times; tick() is called after each trial."""
    rows = tuple(_row(way, _trials(scene, way, trials, tick)) for way in scene.ways)
    return Race(scene.platform, scene.device, scene.pending, scene.reader, scene.why_here, rows)


def _trials(scene: Scene, way: Way, count: int, tick: Callable[[], None]) -> list[_Trial]:
    _trial(scene, way, count + 1)  # what is done once only (opening, compiling) is not timed
    return [_ticked(_trial(scene, way, number), tick) for number in range(1, count + 1)]


def _ticked(trial: _Trial, tick: Callable[[], None]) -> _Trial:
    tick()
    return trial


def _trial(scene: Scene, way: Way, value: int) -> _Trial:
    scene.start(value)
    begin = time.perf_counter()
    handed = way.hand_over()
    host = time.perf_counter() - begin
    running = scene.running()
    seen = scene.read(handed)
    scene.finish()
    return _Trial(len(seen), sum(element != value for element in seen), host * 1e6, running)


def _row(way: Way, trials: Iterable[_Trial]) -> RaceRow:
    done = list(trials)
    host = [trial.host_us for trial in done]
    return RaceRow(
        name=way.name,
        code=way.code,
        must_be_right=way.must_be_right,
        trials=len(done),
        wrong_trials=sum(trial.wrong > 0 for trial in done),
        wrong_elements=sum(trial.wrong for trial in done),
        elements=sum(trial.elements for trial in done),
        host_us_median=statistics.median(host),
        host_us_max=max(host),
        still_running=sum(trial.running for trial in done),
    )
