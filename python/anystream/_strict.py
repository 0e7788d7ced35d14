# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Strict mode: what a hand-off's `strict` is where the call does not say."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from anystream._arguments import got
from anystream._environment import switched_on

# Read once: a process does not become strict half way.
_EVERYWHERE: bool = switched_on(
    "ANYSTREAM_STRICT", "refuses every hand-off whose order is not proved on the device"
)
_FIX = "Write anystream.strict() to be strict in a block, anystream.strict(False) to lift it there."
_strict = ContextVar("anystream.strict", default=_EVERYWHERE)


@contextmanager
def strict(on: bool = True) -> Iterator[None]:
    """Make hand-offs strict within a block: those that do not say ``strict=`` themselves.

    A hand-off is then refused with ``OrderingError`` wherever its order cannot be proved on the
    device: the producer is known to ignore the stream that it is given, and its own stream cannot
    be had; a raw capsule on a device with streams, which says nothing of its producer; a host
    wait; a stream, or a producer, that nobody vouches for. The message has the plan, the reason and
    what to pass instead. Views of read-only memory in a library that cannot say so are refused, too
    (``BufferError``).

    ``strict(False)`` lifts it within a block. The environment's ``ANYSTREAM_STRICT=1`` has the
    whole process strict. It holds for this thread, or this asyncio task, and those tasks that it
    starts; other threads have the environment's.

    Raises TypeError for what is no bool.
    """
    if not (on is True or on is False):
        raise TypeError(f"anystream.strict() takes True or False; got {got(on)}.\n  {_FIX}")
    token = _strict.set(on)
    try:
        yield
    finally:
        _strict.reset(token)


def strict_here(given: bool | None) -> bool:
    """Give what a call says, else what holds where it is made."""
    return _strict.get() if given is None else given
