# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a hand-off takes, of the host's time and of the device's: printed, and nothing asked of it.

What is asked: that the hand-offs that were timed had the device wait, and gave the right values.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import pytest

import anystream
import driver
from libraries import LIBRARIES
from library import Library
from suite import Figures, Use

TIMES, WARM_UP, BATCH, VALUE = 200, 20, 20, 7


def host_time(hand_over: Callable[[], Any]) -> float:
    """Give the median of many, in microseconds; each lets go of the result of the one before."""
    taken, y = [], None
    for _ in range(WARM_UP + TIMES):
        begin = time.perf_counter_ns()
        y = hand_over()
        taken.append((time.perf_counter_ns() - begin) / 1000)
    assert y is not None
    return statistics.median(taken[WARM_UP:])


def device_time(hand_over: Callable[[], Any], consumer: Library, stream: Any) -> float:
    """Give the mean of a batch that is enqueued behind slow work, so that no time is the host's."""
    clock, y = driver.Clock(), None
    with consumer.busy(stream):
        with clock.around(stream):
            for _ in range(BATCH):
                y = hand_over()
        assert consumer.pending(y, stream), "the slow work was over before the batch was enqueued"
    taken = clock.microseconds()
    clock.destroy()
    return taken / BATCH


@pytest.mark.parametrize("consumer", LIBRARIES)
@pytest.mark.parametrize("producer", LIBRARIES)
def test_a_hand_off_is_timed(producer: str, consumer: str, use: Use, figures: Figures) -> None:
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room = p.full(VALUE, s), c.room()

    def hand_over() -> Any:
        return anystream.handoff(x, to=consumer, producer_stream=s, stream=t)

    with p.current(s), c.current(t):
        told = f"host {host_time(hand_over):.1f} us, device "
        # Of the stream that is a library's own, there is no event.
        told += "not known" if t is None else f"{device_time(hand_over, c, t):.1f} us"
        plan = anystream.explain(x, to=consumer, producer_stream=s, stream=t)
        assert c.read(c.copy(hand_over(), room, t), t) == {VALUE}
    assert "host" not in plan.ordering.what, plan
    figures(f"{producer} to {consumer}: {told}{', on no GPU' * bool(driver.software())}")
