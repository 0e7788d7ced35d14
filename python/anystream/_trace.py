# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A trace of hand-offs in the Trace Event Format, which Chrome and Perfetto show.

A device is a process there, a stream a thread of it. A hand-off is a slice on the producer's
stream, one on the consumer's, and one on the producer's again when the memory was let go; a flow
goes through the three. Times are the host's: of the calls, not of the work on the device.
"""

import atexit
import json
import os
from contextlib import nullcontext, suppress
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, Self

from anystream._arguments import got
from anystream._watch import HandOff, check_path, ignore, watch

_NONE = "no stream"
_FIX = 'Write anystream.trace("hand-offs.json"): the file is replaced.'
_SHORTEST = 1.0  # microseconds: a slice of no length would not be seen


class Trace:
    """A trace that is being written; ends by ``close()``, or with the block that it is used in."""

    failed = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Begin it. The file is whole after close(), and can be read before, without its end."""
        self._path = path
        self._file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - close() closes it
        self._file.write("[")
        self._writing = RLock()
        self._first, self._open = True, True
        self._process = os.getpid()
        self._places: dict[str, tuple[int, int]] = {}
        self._numbers = count(1)
        watch(self)
        atexit.register(self.close)

    def handed(self, made: HandOff, /) -> None:
        """Write a hand-off: what the producer's side is done with, and where it goes on."""
        began, ended = made.began / 1000, max(made.ended / 1000, made.began / 1000 + 2 * _SHORTEST)
        middle = (began + ended) / 2
        title = f"{made.plan.producer.what} -> {made.plan.consumer.what}"
        facts = _facts(made)
        producer, consumer = self._sides(made)
        self._write(
            _slice(title, producer, began, middle - began, facts),
            _flow("s", made, producer, began),
            _slice(title, consumer, middle, ended - middle, facts),
            _flow("t", made, consumer, middle),
        )

    def released(self, made: HandOff, when: int, /) -> None:
        """Write that the memory was let go."""
        place, time = self._sides(made)[0], when / 1000
        title = f"release of {made.number}"
        self._write(
            _slice(title, place, time, _SHORTEST, {"release": made.plan.release.what}),
            _flow("f", made, place, time),
        )

    def close(self) -> None:
        """End the file; again, it does nothing."""
        ignore(self)
        atexit.unregister(self.close)
        with self._writing:
            if self._open and self._process == os.getpid():
                self._open = False
                # A file that could not be written to has been told of.
                with suppress(OSError) if self.failed else nullcontext():
                    self._file.write("\n]\n")
                    self._file.close()

    def __repr__(self) -> str:
        """Say what it is, and where."""
        return f"<anystream.trace of hand-offs to {os.fspath(self._path)!r}>"

    def __enter__(self) -> Self:
        """Trace a block."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the trace."""
        self.close()

    def _sides(self, made: HandOff) -> tuple[tuple[int, int], tuple[int, int]]:
        source, _, target = made.plan.device.what.partition(" to ")
        producer = made.producers[0] if made.producers else f"{source} {_NONE}"
        consumer = made.stream or f"{target or source} {_NONE}"
        return self._place(producer), self._place(consumer)

    def _place(self, stream: str) -> tuple[int, int]:
        """Give the process and the thread that stand for a stream, and name them the first time."""
        with self._writing:
            if stream in self._places:
                return self._places[stream]
            device = _device(stream)
            known = [place for name, place in self._places.items() if _device(name) == device]
            process = known[0][0] if known else next(self._numbers)
            self._places[stream] = place = (process, next(self._numbers))
            self._write(_name("process_name", place, device), _name("thread_name", place, stream))
            return place

    def _write(self, *events: dict[str, Any]) -> None:
        lines = [json.dumps(event) for event in events]
        with self._writing:
            if not self._open or self._process != os.getpid():
                return  # a forked child has the file, and what its parent has not written yet
            for line in lines:
                self._file.write(("\n" if self._first else ",\n") + line)
                self._first = False
            self._file.flush()  # a child that is forked must not write it again


def _device(stream: str) -> str:
    return stream.partition("#")[0].partition("@")[0].partition(" ")[0]


def _name(kind: str, place: tuple[int, int], name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": place[0], "tid": place[1], "args": {"name": name}}


def _slice(
    title: str, place: tuple[int, int], time: float, length: float, facts: dict[str, Any]
) -> dict[str, Any]:
    where = {"pid": place[0], "tid": place[1], "ts": time, "dur": max(length, _SHORTEST)}
    return {"ph": "X", "cat": "hand-off", "name": title, **where, "args": facts}


def _flow(phase: str, made: HandOff, place: tuple[int, int], time: float) -> dict[str, Any]:
    # Bound to the slice that it begins with, also at the end.
    end = {"bp": "e"} if phase == "f" else {}
    where = {"pid": place[0], "tid": place[1], "ts": time}
    return {"ph": phase, "cat": "hand-off", "name": "memory", "id": made.number, **where, **end}


def _facts(made: HandOff) -> dict[str, Any]:
    said = {name: step.what for name, step in made.plan.steps().items()}
    streams = {"producer's streams": list(made.producers), "consumer's stream": made.stream}
    size = {"bytes": made.nbytes, "shape": list(made.shape), "dtype": made.dtype}
    return {"number": made.number, **size, **streams, **said}


def trace(path: str | os.PathLike[str]) -> Trace:
    """Write a trace of hand-offs to a file, which chrome://tracing and ui.perfetto.dev show.

    Each ``handoff`` and ``from_dlpack`` from now on has arrows from the producer's stream to the
    consumer's, and from there to the release of the memory. Hand-offs that fail are not in it.

    Args:
        path: The file, in JSON; it is replaced.

    Returns the trace, which ends by ``close()`` or as a context manager; else with the process.
    Releases after its end are not in it.

    Raises TypeError and ValueError for what is no path, OSError where the file cannot be written.
    While a trace is written, a hand-off takes some 60 to 100 µs more. Any thread, for all threads.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"anystream.trace(path) takes the path of a file; got {got(path)}.\n  {_FIX}"
        )
    check_path(path, "anystream.trace(path)")
    return Trace(path)
