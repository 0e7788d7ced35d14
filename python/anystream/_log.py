# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A log of hand-offs, a line each."""

import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from io import BufferedIOBase, RawIOBase
from pathlib import Path
from typing import Self, TextIO

from anystream._arguments import got
from anystream._environment import switched_on
from anystream._watch import HandOff, check_path, ignore, say, watch

Take = Callable[[HandOff], object]


class Log:
    """A log that is being kept; ends by ``close()``, or with the block that it is used in."""

    failed = False

    def __init__(self, to: object, take: Take, end: Callable[[], object]) -> None:
        """Begin it; ``end`` is called once."""
        self._to, self._take, self._end = to, take, end
        watch(self)

    def handed(self, made: HandOff, /) -> None:
        """Take one hand-off down."""
        self._take(made)

    def released(self, made: HandOff, when: int, /) -> None:
        """Nothing: how an array is released is in the line of its hand-off."""

    def close(self) -> None:
        """End the log; again, it does nothing."""
        ignore(self)
        end, self._end = self._end, _nothing
        # A file that could not be written to has been told of, and cannot be closed better.
        with suppress(OSError) if self.failed else nullcontext():
            end()

    def __repr__(self) -> str:
        """Say what it is, and where it goes."""
        return f"<anystream.log of hand-offs to {self._to!r}>"

    def __enter__(self) -> Self:
        """Keep it for a block."""
        return self

    def __exit__(self, *error: object) -> None:
        """End it."""
        self.close()


def log(to: str | os.PathLike[str] | TextIO | Take | None = None) -> Log:
    """Keep a log of hand-offs: one line for each ``handoff`` and ``from_dlpack`` from now on.

    A line has the producer, the consumer, the device, the bytes, the streams (device@handle),
    protocol, ordering, copy and release, in the words of the plan. Hand-offs that fail have none.

    Args:
        to: Where the lines go: None for stderr; the path of a file, to which they are added; an
            object with ``write``, for text; or a function, which is called with each ``HandOff``
            in the thread that made it. What it hands over itself is not in a log or a trace.

    Returns the log, which ends by ``close()`` or as a context manager; else with the process. The
    environment's ``ANYSTREAM_LOG=1`` has one on stderr from the beginning.

    Raises TypeError and ValueError for anything else, OSError where the file cannot be written.
    While a log is kept, a hand-off takes some 10 to 50 µs more; without one it costs a branch. What
    the log itself raises later goes to ``sys.unraisablehook``, once, and no hand-off fails by it,
    but for KeyboardInterrupt and SystemExit. Any thread, for all threads.
    """
    if to is None:
        return Log("stderr", lambda made: say(f"{made}\n"), _nothing)
    if isinstance(to, (str, os.PathLike)):
        check_path(to, "anystream.log(to)")
        file = Path(to).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 - close() closes it
        return Log(to, lambda made: file.write(f"{made}\n"), file.close)
    if isinstance(to, (RawIOBase, BufferedIOBase)):
        raise TypeError(
            f"anystream.log(to) writes text; got {got(to)}, which takes bytes.\n"
            "  Pass io.TextIOWrapper(to, write_through=True)."
        )
    write = getattr(to, "write", None)
    if callable(write) and not isinstance(to, type):
        return Log(to, lambda made: write(f"{made}\n"), _nothing)
    if callable(to) and not isinstance(to, type):
        return Log(to, to, _nothing)
    raise TypeError(
        f"anystream.log(to) takes None, a path, an object with write, or a function; got {got(to)}."
        "\n  None writes to stderr."
    )


def _nothing() -> None: ...


def log_as_the_environment_says() -> None:
    """Keep a log from the beginning if ANYSTREAM_LOG=1."""
    if switched_on("ANYSTREAM_LOG", "has a line on stderr for each hand-off"):
        log()
