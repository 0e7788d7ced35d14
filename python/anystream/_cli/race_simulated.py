# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The race on the simulated device: the producer's stream is held instead of a slow kernel."""

import threading
from collections.abc import Sequence
from typing import Any

import anystream
from anystream._cli.race import Way
from anystream.testing import SimulatedDevice, values

_ELEMENTS = 1024
_HELD_SECONDS = 0.2


class SimulatedScene:
    """x is an array on the producer's stream s1; it is read on s2."""

    platform = "simulated"
    pending: str = f"a write of x on s1, which is held for {_HELD_SECONDS:g} s"
    reader = "s2.copy(result, y)"

    def __init__(self, why_here: str) -> None:
        device = SimulatedDevice()
        self._producer = device.stream("s1")
        self._consumer = device.stream("s2")
        self._x = device.empty(_ELEMENTS, "int32", self._producer)
        self._result = device.empty(_ELEMENTS, "int32", self._consumer)
        self._release = threading.Timer(0, self._producer.release)
        self.device: str = str(device.device)
        self.why_here = why_here
        self.ways: Sequence[Way] = (
            Way("as written today", "y = x (the stream is dropped)", self._today, False),
            Way("right today", "s1.synchronize(); y = x", self._wait_first, True),
            Way("anystream", "y = from_dlpack(x, stream=s2)", self._hand_off, True),
        )

    def start(self, value: int) -> None:
        """Clear x, then queue its writing behind a hold that a timer lifts."""
        self._producer.fill(self._x, 0)
        self._producer.synchronize()
        self._producer.hold()
        self._producer.fill(self._x, value)
        self._release = threading.Timer(_HELD_SECONDS, self._producer.release)
        self._release.start()

    def running(self) -> bool:
        """Ask the producer's stream what is pending."""
        return self._producer.pending > 0

    def read(self, handed: Any) -> Sequence[Any]:
        """Copy on the consumer's stream."""
        self._consumer.copy(self._result, handed)
        self._consumer.synchronize()
        return values(self._result)

    def finish(self) -> None:
        """Wait for the timer and the stream."""
        self._release.join()
        self._producer.synchronize()

    def _today(self) -> object:
        return self._x

    def _wait_first(self) -> object:
        self._producer.synchronize()
        return self._x

    def _hand_off(self) -> object:
        return anystream.from_dlpack(self._x, stream=self._consumer)
