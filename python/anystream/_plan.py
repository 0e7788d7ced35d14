# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a hand-off: what is done, in words for people and in actions for the executor."""

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple


class Step(NamedTuple):
    """One part of a plan: what is done, and why."""

    what: str
    why: str


# How the array is got out of the producer; the last five are quick, the last is of a device's, and
# the others of the host's ("buffer" also of what has nothing else).
Route = Literal[
    "array",
    "dlpack",
    "capsule",
    "cuda interface",
    "usm",
    "array interface",
    "handle",
    "array struct",
    "table",
    "buffer",
    "copied buffer",
    "usm struct",
]
# The stream that the producer's __dlpack__ is given: "quiet" is the value that makes it do nothing,
# "own queue" a stream that anystream chooses because nobody named one.
Sends = Literal["nothing", "quiet", "consumer", "own queue"]
# What anystream itself does about pending work; "join": the first stream waits for the others.
Orders = Literal["nothing", "join", "device", "host"]
# "copy to fit": where the consumer copies by itself, but does not take the layout.
Move = Literal["copy", "copy to fit", "host view", "host copy", "host view or copy", "to device"]
# The stream that the result's work is on.
EndsOn = Literal["nothing", "producer", "consumer", "own queue"]
# How far order is proved; strict takes the first two. "nothing" is pending; "barrier": on the
# device, unless the host has to wait because the barrier would not hold; "" is not ordered.
Proof = Literal["device", "nothing", "barrier", "host", "word", ""]


class Actions(NamedTuple):
    """What the executor does, in this order."""

    route: Route
    sends: Sends
    quiet: int | None
    orders: Orders
    moves: tuple[Move, ...]
    ends_on: EndsOn
    proof: Proof
    # The way back of the result's memory, None where no stream has a part in it; and whether its
    # owner may be told to let go while work is pending.
    release: Literal["ordered", "deferred", "host", "none"] | None = None
    frees_in_order: bool = True
    # What is done first about work that the producer's library has not handed to the device yet.
    flush: Literal["", "commit", "wait"] = ""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Plan:
    """What a hand-off does, each step with its reason; ``str()`` has one line a step.

    It is what runs: ``explain`` returns the very object that the hand-off with the same arguments
    executes. There is one object per combination of libraries, devices and policies, for as long as
    anybody holds it and while it is in use; the arrays and streams themselves are not in it.
    Immutable, any thread.
    """

    producer: Step
    consumer: Step
    device: Step
    protocol: Step
    stream: Step
    ordering: Step
    copy: Step
    release: Step
    actions: Actions

    def steps(self) -> dict[str, Step]:
        """Give the steps by name, in the order in which they are shown."""
        return {field.name: getattr(self, field.name) for field in fields(self)[:-1]}

    def to_dict(self) -> dict[str, Any]:
        """Give the steps as plain values, for JSON."""
        return {name: step._asdict() for name, step in self.steps().items()}

    def __str__(self) -> str:
        """Show one line a step: its name, what is done, and why."""
        lines = [f"{name:<9} {step.what}  ({step.why})" for name, step in self.steps().items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the gist in one line."""
        parts = (self.producer, self.consumer, self.device, self.ordering, self.copy)
        return f"<Plan {' | '.join(step.what for step in parts)}>"
