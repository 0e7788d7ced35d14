# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a hand-off takes, of the host's time and of the device's: printed, and nothing asked of it.

What is asked: that the hand-offs that were timed had the device wait, and gave the right values.
"""

import statistics
import time

import pytest

import anystream
import driver
from libraries import LIBRARIES
from suite import Figures, Use

TIMES, WARM_UP, VALUE = 200, 20, 7


@pytest.mark.parametrize("consumer", LIBRARIES)
@pytest.mark.parametrize("producer", LIBRARIES)
def test_a_hand_off_is_timed(producer: str, consumer: str, use: Use, figures: Figures) -> None:
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room, clock = p.full(VALUE, s), c.room(), driver.Clock()
    host, device = [], []
    with p.current(s), c.current(t):
        for _ in range(TIMES + WARM_UP):
            p.finish(s)
            with clock.around(t):
                begin = time.perf_counter_ns()
                y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
                host.append((time.perf_counter_ns() - begin) / 1000)
            device.append(clock.microseconds())
        assert c.read(c.copy(y, room, t), t) == {VALUE}
    clock.destroy()
    plan = anystream.explain(x, to=consumer, producer_stream=s, stream=t)
    assert "host" not in plan.ordering.what, plan
    told = [f"{statistics.median(taken[WARM_UP:]):.1f} us" for taken in (host, device)]
    if t is None:
        told[1] = "not known (its stream is its own)"
    where = ", on no GPU" if driver.software() else ""
    figures(f"{producer} to {consumer}: host {told[0]}, device {told[1]} (medians{where})")
