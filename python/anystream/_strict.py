# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Strict mode: what a hand-off's `strict` is where the call does not say."""

from contextvars import ContextVar

from anystream._arguments import got
from anystream._blocks import Block, Stack, value_here
from anystream._environment import switched_on

# Read once: a process does not become strict half way.
_EVERYWHERE: bool = switched_on(
    "ANYSTREAM_STRICT", "refuses every hand-off whose order is not proved on the device"
)
_FIX = "Write anystream.strict() to be strict in a block, anystream.strict(False) to lift it there."
_strict: ContextVar[Stack[bool]] = ContextVar("anystream.strict", default=())


class strict(Block[bool]):  # noqa: N801 - it is called like a function
    """Make hand-offs strict within a block: those that do not say ``strict=`` themselves.

        with anystream.strict(): ...

    A hand-off is then refused with ``OrderingError`` wherever its order cannot be proved on the
    device: the producer is known to ignore the stream that it is given, and its own stream cannot
    be had; a raw capsule on a device with streams, which says nothing of its producer; a host
    wait; a stream, or a producer, that nobody vouches for. The message has the plan, the reason and
    what to pass instead. Views of read-only memory in a library that cannot say so are refused, too
    (``BufferError``).

    ``strict(False)`` lifts it within a block. The environment's ``ANYSTREAM_STRICT=1`` has the
    whole process strict. It holds for this thread, or this asyncio task, and those tasks that it
    starts; other threads have the environment's. Blocks may be left in any order, and a call alone,
    without ``with``, does nothing. In a generator it holds for whoever runs that, too, until the
    generator leaves it, as all context variables do.

    Raises TypeError for what is no bool.
    """

    __slots__ = ()

    def __init__(self, on: bool = True) -> None:
        """Take note; nothing is strict before the block is entered."""
        if not (on is True or on is False):
            raise TypeError(f"anystream.strict() takes True or False; got {got(on)}.\n  {_FIX}")
        super().__init__(_strict, on)


def strict_here(given: bool | None) -> bool:
    """Give what a call says, else what holds where it is made."""
    return value_here(_strict, _EVERYWHERE) if given is None else given
