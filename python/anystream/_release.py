# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back: what happens to an array's memory once its consumer is done with it."""

import atexit
import operator
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

from anystream._arguments import got
from anystream._blocks import Block, Stack, value_here
from anystream._core import (
    _count_releasing,
    _releases_flush,
    _releases_pending,
    _releases_set_limit,
    _releases_stop,
)

Release = Literal["ordered", "deferred", "host", "none"]
POLICIES: tuple[Release, ...] = ("ordered", "deferred", "host", "none")

_AT_EXIT = 5.0  # seconds that an exit waits for pending releases
_NO_LIMIT = -1.0

_policy: ContextVar[Stack[Release]] = ContextVar("anystream.release", default=())


class _Counted:
    """Keeps the extension from ways that know the usual policy only, while it lives."""

    __slots__ = ()

    def __init__(self) -> None:
        _count_releasing(1)

    def __del__(self, count: Callable[[int], None] = _count_releasing) -> None:
        count(-1)


class releasing(Block[Release]):  # noqa: N801 - it is called like a function
    """Have the hand-offs of a block release their memory by a policy, where they name none.

        with anystream.releasing("deferred"): ...

    policy is one of those of ``handoff(release=…)``. It holds for this thread, or this asyncio task
    and those that it starts, and for arrays that are handed over within the block, whenever they
    go. Blocks may be left in any order, and a call alone, without ``with``, does nothing. In a
    generator it holds for whoever runs that, too, until the generator leaves it, as all context
    variables do. Raises TypeError and ValueError for what is no policy.
    """

    __slots__ = ()

    def __init__(self, policy: Release) -> None:
        """Take note; it holds once the block is entered."""
        check_release(policy, "anystream.releasing(policy)")
        super().__init__(_policy, policy)

    def _keep(self) -> object:
        return _Counted()


def check_release(release: object, where: str) -> None:
    """Refuse what is no policy."""
    if isinstance(release, str) and release in POLICIES:
        return
    kind = ValueError if isinstance(release, str) else TypeError
    raise kind(
        f'{where} takes "ordered", "deferred", "host" or "none"; got {got(release)}.\n'
        "  \"ordered\" has the producer's stream wait for the consumer's before memory goes back."
    )


def release_here(given: Release | None, where: str) -> Release:
    """Give what a call says, else what holds where it is made."""
    if given is None:
        return value_here(_policy, "ordered")
    check_release(given, f"{where}(release=…)")
    return given


class PendingReleases(NamedTuple):
    """Releases that wait for the device: how many, and of how much memory."""

    number: int
    bytes: int


def pending_releases() -> PendingReleases:
    """Tell how many releases wait for the device, in the whole process. Any thread."""
    return PendingReleases(*_releases_pending())


def set_pending_limit(number: int | None = None, bytes: int | None = None) -> None:  # noqa: A002
    """Bound the releases that wait for the device; None is no limit.

    Over it, the next ``handoff`` or ``from_dlpack`` of an array on a device waits for the oldest of
    them, with the GIL dropped; no destructor does. At first the limits are 1024 releases and 256
    MiB. Raises TypeError and ValueError. Any thread, for all threads.
    """
    _releases_set_limit(_limit(number, "number"), _limit(bytes, "bytes"))


def _limit(value: Any, name: str) -> int:
    if value is None:
        return 0
    where = f"set_pending_limit({name}=…) takes None or an int from 1 to 2**63 - 1"
    try:
        limit = operator.index(value)
    except TypeError:
        raise TypeError(f"{where}; got {got(value)}.\n  None is no limit.") from None
    if isinstance(value, bool):
        raise TypeError(f"{where}; got {got(value)}.\n  None is no limit.")
    if not 0 < limit < 2**63:
        raise ValueError(f"{where}; got {got(value)}.\n  None is no limit.")
    return limit


def synchronize() -> None:
    """Wait until no release is pending, and do them all; the GIL is dropped meanwhile.

    Everything that was handed over and dropped before has then been given back. What fails in a
    release is told as an unraisable error, once. Any thread.
    """
    _releases_flush(_NO_LIMIT)


def _end() -> None:
    """Do what is pending before the interpreter goes away; the rest is left to the system."""
    _releases_stop(_AT_EXIT)


atexit.register(_end)
