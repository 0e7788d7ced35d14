# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Many arrays at once: the containers that hold them, and what is done once for all of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from anystream._core import Stream
from anystream._device import Device
from anystream._streams import own_queue

Given = TypeVar("Given")
Made = TypeVar("Made")


def is_many(x: object) -> bool:
    """Tell whether it holds arrays; a class that exports itself is an array, whatever its base."""
    return isinstance(x, (list, tuple, dict)) and not hasattr(type(x), "__dlpack__")


def how_to_hand_over(x: object) -> str:
    """Say, of what is no array, what to do."""
    kind = type(x)
    if issubclass(kind, type):
        return "Pass an instance of it."
    if issubclass(kind, (list, tuple, dict)):
        return "Hand over one list at a time: lists within lists are not taken apart."
    if issubclass(kind, Iterable) and not issubclass(kind, str):
        return "If arrays are in it, write list(x)."
    return "Make it an array of a library first."


class Many(NamedTuple):
    """The arrays of a list, a tuple or a dict, as they were when the call began."""

    kind: str
    names: tuple[Any, ...]  # keys, or indices
    arrays: tuple[Any, ...]

    def each(self, step: Callable[[Given], Made], given: Sequence[Given]) -> list[Made]:
        """Take a step for each array; an error says which of them it is about."""
        made: list[Made] = []
        try:
            for one in given:
                made.append(step(one))  # noqa: PERF401 - its length tells where an error came
        except Exception as error:
            name = self.names[len(made)]
            error.add_note(f"This is about x[{name!r}] of the {self.kind} that was given.")
            made.clear()  # the traceback must not keep what the others came to
            raise
        return made

    def rebuilt(self, results: list[Any]) -> Any:
        """Give the results in a container like the one that was given."""
        if self.kind == "dict":
            return dict(zip(self.names, results, strict=True))
        return results if self.kind == "list" else tuple(results)


def many_of(x: Any) -> Many:
    """Take what a container holds."""
    if isinstance(x, dict):
        return Many("dict", tuple(x), tuple(x.values()))
    return Many("list" if isinstance(x, list) else "tuple", tuple(range(len(x))), tuple(x))


class Once:
    """What has been ordered in one call: once per pair of streams, however many arrays are theirs.

    An event covers all work before it, and what is pending was so when the call began.
    """

    def __init__(self) -> None:
        """Begin with nothing ordered."""
        self._ordered: set[tuple[Stream, Stream | None]] = set()
        self._queues: dict[Device, Stream] = {}

    def first(self, producer: Stream, reader: Stream | None) -> bool:
        """Tell whether the pair has yet to be ordered, and take it as ordered; None: the host."""
        pair = (producer, reader)
        if pair in self._ordered:
            return False
        self._ordered.add(pair)
        return True

    def own_queue(self, device: Device) -> Stream:
        """Choose a stream that nobody named, the same one for all arrays of a device."""
        if device not in self._queues:
            self._queues[device] = own_queue(device)
        return self._queues[device]
