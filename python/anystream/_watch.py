# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is told of hand-offs to those that watch: a log, a trace."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from threading import RLock, local
from time import monotonic_ns
from typing import Any, NamedTuple, Protocol

from anystream._core import (
    Array,
    Stream,
    _array_on_stream,
    _array_watched,
    _set_watched,
    _write_unraisable,
)
from anystream._plan import Plan
from anystream._streams import row_of


class HandOff(NamedTuple):
    """One hand-off that was made: what `anystream.log` gives to a function.

    ``str()`` is the line of a log. Times are those of ``time.monotonic_ns()``.
    """

    number: int  # counts up in the process
    plan: Plan
    producers: tuple[str, ...]  # the streams that x's pending work was on, as far as is known
    stream: str  # the one that the result's work is on; "" where there is none
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    began: int  # when x had been imported and its order seen to
    ended: int  # when the result was there

    def __str__(self) -> str:
        """Give one line: who to whom, what and where, and how."""
        plan = self.plan
        producers = ", ".join(self.producers) or "none"
        return (
            f"anystream: hand-off {self.number}: {plan.producer.what} -> {plan.consumer.what}; "
            f"device {plan.device.what}; {self.nbytes} bytes, {self.dtype}{list(self.shape)}; "
            f"streams {producers} -> {self.stream or 'none'}; protocol {plan.protocol.what}; "
            f"ordering {plan.ordering.what}; copy {plan.copy.what}; release {plan.release.what}"
        )


class Watcher(Protocol):
    """One that is told. What it raises is an unraisable error, once: a hand-off never fails by it.

    But KeyboardInterrupt and SystemExit end what they meet.
    """

    failed: bool

    def handed(self, made: HandOff, /) -> None:
        """Take note of a hand-off; in the thread that made it."""

    def released(self, made: HandOff, when: int, /) -> None:
        """Take note that its memory was let go; from any thread."""


_numbers = count(1)
_stream_numbers = count(1)
_streams: dict[Stream, str] = {}  # names; two objects of one queue are one
_MOST_STREAMS = 1000
_watchers: tuple[Watcher, ...] = ()
_one_at_a_time = RLock()
_here = local()  # .telling: this thread is in a watcher, whose own hand-offs nobody is told of


def watching() -> bool:
    """Tell whether anybody watches the hand-offs of this thread."""
    return bool(_watchers) and not getattr(_here, "telling", False)


def watch(watcher: Watcher) -> None:
    """Tell one more, from now on."""
    _set((*_watchers, watcher))


def ignore(watcher: Watcher) -> None:
    """Tell it no more."""
    _set(tuple(one for one in _watchers if one is not watcher))


def _set(watchers: tuple[Watcher, ...]) -> None:
    global _watchers  # noqa: PLW0603 - replaced as a whole: who reads it takes no lock
    with _one_at_a_time:
        _watchers = watchers
        _set_watched(bool(watchers))
        if not watchers:
            _streams.clear()


def name_of(stream: Stream) -> str:
    """Name a stream: by its number where that is what it is, else in the order of appearance."""
    if row_of(stream.device).get("integers") in ("cuda", "rocm"):
        return f"{stream.device}@{int(stream.handle):#x}"
    with _one_at_a_time:
        if len(_streams) >= _MOST_STREAMS:  # those that a program makes on and on must not pile up
            _streams.clear()
        if stream not in _streams:
            _streams[stream] = f"{stream.device}#{next(_stream_numbers)}"
        return _streams[stream]


class Note:
    """A hand-off on its way: whom to tell when its memory is let go, once it has been made."""

    def __init__(self) -> None:
        """Begin with nothing made."""
        self._began = monotonic_ns()
        self._watchers = _watchers
        self._made: HandOff | None = None

    def watched(self, array: Array, plan: Plan) -> Array:
        """Give the same array; its end is noted."""
        return _array_on_stream(_array_watched(array, self._let_go), array.stream, plan)

    def made(
        self, plan: Plan, producers: tuple[Stream, ...], stream: Stream | None, array: Array
    ) -> None:
        """Tell that it was made, of the array that was imported."""
        self._made = made = HandOff(
            next(_numbers),
            plan,
            tuple(map(name_of, producers)),
            "" if stream is None else name_of(stream),
            array.shape,
            str(array.dtype),
            array.nbytes,
            self._began,
            monotonic_ns(),
        )
        for watcher in self._watchers:
            _tell(watcher, watcher.handed, made)

    def _let_go(self) -> None:
        if self._made is None:  # it came to nothing: who made it has the error
            return
        when = monotonic_ns()
        for watcher in self._watchers:
            _tell(watcher, watcher.released, self._made, when)


def _tell(watcher: Watcher, function: Callable[..., None], *what: Any) -> None:
    before, _here.telling = getattr(_here, "telling", False), True
    try:
        function(*what)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, the hand-off has been made
        if not watcher.failed:
            watcher.failed = True
            _write_unraisable(error, watcher)
    finally:
        _here.telling = before


def check_path(path: Any, where: str) -> None:
    """Refuse an empty path, which would be taken for the folder that the process is in."""
    if not os.fspath(path):
        raise ValueError(f"{where} takes the path of a file; got {path!r}.\n  Name the file.")


def say(text: str) -> None:
    """Write to stderr as it is now; a process may have none."""
    with suppress(Exception):
        sys.stderr.write(text)
