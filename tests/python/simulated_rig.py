# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Races on the simulated accelerator whose outcome is known: the producer is held, not slow."""

import importlib.util
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice, SimulatedStream, peek, values

ELEMENTS = 8
TRIALS = 1000
POISON = b"\xa5" * (ELEMENTS * 4)

# Every form in which a stream of the simulation can be named.
FORMS: dict[str, Callable[[SimulatedStream], Any]] = {
    "object": lambda stream: stream,
    "capsule": lambda stream: stream._get_capsule(),
    "stream": anystream.Stream,
}


def put_a_library_there(patch: pytest.MonkeyPatch) -> None:
    """Of the libraries only tvm_ffi takes any device type; one that keeps what it is given will do.

    The hand-off is the same: who imports the array has no part in the order.
    """
    if importlib.util.find_spec("tvm_ffi") is None:
        patch.setitem(sys.modules, "tvm_ffi", SimpleNamespace(from_dlpack=lambda given: given))


class Race:
    """A producer and a consumer: the producer is held with its writing pending."""

    def __init__(
        self, *, in_order: bool = True, consumer_in_order: bool = True, one_device: bool = True
    ) -> None:
        self.device = SimulatedDevice()
        self.consumer_device = self.device if one_device else SimulatedDevice()
        self.producer = self.device.stream("producer", in_order)
        self.consumer = self.consumer_device.stream("consumer", consumer_in_order)
        self.value = 0

    def produce(self, *, told: bool = True) -> anystream.Array:
        """Make an array whose writing is pending; told: it knows its producer's stream."""
        self.value += 1
        self.producer.hold()
        stream = self.producer if told else None
        source = self.device.empty((ELEMENTS,), "int32", stream)
        self.producer.fill(source, self.value)
        return source

    def read(self, array: anystream.Array) -> anystream.Array:
        """Queue a reader on the consumer; the result is poison until it has run."""
        target = self.consumer_device.empty((ELEMENTS,), "int32")
        self.consumer.copy(target, array)
        return target

    def show_it_is_wrong_without(self, source: anystream.Array) -> None:
        target = self.read(source)
        self.consumer.synchronize()
        assert peek(target) == POISON, "the race does not show without anystream"

    def settle(self) -> None:
        """Wait until nothing is pending, and nothing is to go back any more."""
        for stream in (self.consumer, self.producer):
            stream.synchronize()
        anystream.synchronize()

    def finish(self, target: anystream.Array) -> bool:
        """Release the producer, and tell whether the reader came after it."""
        assert peek(target) == POISON
        self.producer.release()
        self.consumer.synchronize()
        return values(target) == [self.value] * ELEMENTS


def right_of(race: Race, hand_over: Callable[[Race, anystream.Array], anystream.Array]) -> int:
    """Count the trials in which the reader did not run before the producer's release."""
    right = 0
    for _ in range(TRIALS):
        source = race.produce()
        race.show_it_is_wrong_without(source)
        array = hand_over(race, source)
        target = race.read(array)
        # The call has returned and nothing has run: the write, the wait and the reader are pending.
        assert race.producer.pending in (1, 2)
        assert race.consumer.pending == 2
        right += race.finish(target)
        # While nothing is held: on its way back the producer's stream waits for the consumer's.
        del array, source
        race.settle()
    return right
