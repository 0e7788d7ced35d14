# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of read-only memory that goes to a library whose arrays cannot say so."""

import sys
import warnings
from threading import Lock


class ReadOnlyWarning(UserWarning):
    """Read-only memory went to a library whose arrays cannot be read-only.

    Whoever writes through its array writes to memory that must not be written to. Given once for
    each pair of libraries in a process; where a filter makes it an error, each time.
    """


_warned: set[tuple[str, str]] = set()
_MOST_PAIRS = 1000  # classes that a program makes on and on must not pile up
_one_at_a_time = Lock()


def refuse_readonly(producer: str, consumer: str, *, writable: bool, strict: bool) -> None:
    """Raise BufferError for a view of read-only memory if writing is meant, or strict forbids it.

    strict forbids it to a consumer whose arrays cannot say that they are read-only.
    """
    if writable:
        raise BufferError(
            f"writable=True says that writing is meant, but this memory of {producer} is "
            "read-only.\n  Pass copy=True for a private copy."
        )
    if strict:
        raise BufferError(
            f"strict=True: this memory of {producer} is read-only, and arrays of {consumer} cannot "
            "say so.\n  Pass copy=True for a private copy, or strict=False."
        )


def warn_readonly(producer: str, consumer: str) -> None:
    """Warn, once for each pair, of a view of read-only memory that looks writable."""
    pair = (producer, consumer)
    with _one_at_a_time:
        if pair in _warned:
            return
        if len(_warned) >= _MOST_PAIRS:
            _warned.clear()
        _warned.add(pair)
    try:
        _warn(producer, consumer)
    except BaseException:  # a filter made it an error: the array goes nowhere, and nobody is told
        with _one_at_a_time:
            _warned.discard(pair)
        raise


def _warn(producer: str, consumer: str) -> None:
    frame, level = sys._getframe(), 1  # noqa: SLF001 - the one way to ask in Python 3.11
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"read-only memory of {producer} was handed to {consumer}, whose arrays cannot be "
        "read-only: writing through the result would write to memory that must not be written to."
        "\n  Pass copy=True for a private copy. If writing is meant, pass writable=True: read-only "
        f"memory is then a BufferError. This is said once for {producer} to {consumer}.",
        ReadOnlyWarning,
        stacklevel=level,
    )
