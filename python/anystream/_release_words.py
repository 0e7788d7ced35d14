# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Deciding how an array's memory goes back, and saying so in a plan."""

from typing import NamedTuple

from anystream._decide import Facts
from anystream._plan import Move, Step
from anystream._release import Release

_CPU = 1
_DELETER = "the producer's deleter"
_FREES = {
    "stream_ordered": "its library frees in the order of that stream",
    "elsewhere": "its library frees in the order of its own stream, not of the one that was named, "
    "so it is put off",
    "blocks_until_idle": "its library's free blocks until the queue is idle, so it is put off",
    "ours": "it is an Array, which goes back in its own way",
    "immediate": "its library frees at once, whatever is pending, so it is put off",
}


_KEPT = (
    "the producer's deleter when the consumer is done",
    (
        "no stream of the producer is known that could wait: the memory is kept until the "
        "consumer's is done with it; x is not to be written before"
    ),
)


_UNSEEN = (
    "; {} names no stream of its own: let what it does with the memory end before x is written or "
    "freed"
)


class WayBack(NamedTuple):
    """How memory goes back; the fields but the first are those of a plan's actions."""

    step: Step
    release: Release | None  # None: no stream has a part in it
    frees_in_order: bool


def decide_release(facts: Facts, moves: tuple[Move, ...]) -> WayBack:
    """Decide how the memory of what is handed over goes back."""
    if why := _why_not(facts, moves):
        return WayBack(Step(_DELETER, why), None, frees_in_order=True)
    if not facts.streams:
        return WayBack(Step(*_KEPT), facts.release, frees_in_order=False)
    ordered = facts.frees in ("stream_ordered", "ours")
    what, why = _ORDERED[facts.release].get(ordered, _ORDERED[facts.release][False])
    unseen = _UNSEEN.format(facts.consumer) if facts.reader == "unknown" else ""
    return WayBack(Step(what, why.format(_FREES[facts.frees]) + unseen), facts.release, ordered)


def _why_not(facts: Facts, moves: tuple[Move, ...]) -> str:
    """Say why it is let go at once, where no stream is to wait."""
    if facts.source.type == _CPU:
        return "runs when the last reference goes: in host memory nothing is pending"
    if moves and facts.target.type == _CPU:
        return "runs when the last reference goes: the host is done with the memory then"
    if moves:
        return "runs when the copy has been made: the result has memory of its own"
    if facts.backend != "ready":
        return (
            f"runs when the last reference goes; anystream orders no streams of {facts.source}: "
            "let the consumer's work end before x is written or freed"
        )
    if not facts.streams and (facts.reader not in ("named", "current") or facts.release == "none"):
        return (
            "runs when the last reference goes; no stream of the producer is known that could "
            "wait: let the consumer's work end before x is written or freed"
        )
    return ""


_WAITS = "the producer's stream waits on the device for the streams that used the array; {}"
_ORDERED: dict[Release, dict[bool, tuple[str, str]]] = {
    "ordered": {
        True: ("record, wait, then the producer's deleter", _WAITS),
        False: ("record, wait, and the producer's deleter when that is done", _WAITS),
    },
    "deferred": {
        False: (
            "the producer's deleter when the consumer is done",
            "release='deferred': nothing waits but the memory; {}",
        )
    },
    "host": {
        False: (
            "host wait, then the producer's deleter",
            "release='host': who lets go waits until the streams that used the array are done",
        )
    },
    "none": {
        False: (
            _DELETER,
            (
                "release='none': runs when the last reference goes, and nothing is ordered: let "
                "the consumer's work end before"
            ),
        )
    },
}
