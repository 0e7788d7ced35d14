# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every library hands over to every other while its stream has slow work: never early, no wait.

A reader that comes too early finds the value of before the slow work.
"""

import pytest

import anystream
from libraries import LIBRARIES
from suite import Use

BEFORE, AFTER = 1, 7

by_consumer = pytest.mark.parametrize("consumer", LIBRARIES)
by_producer = pytest.mark.parametrize("producer", LIBRARIES)
by_overwriting_producer = pytest.mark.parametrize(
    "producer", [name for name, library in LIBRARIES.items() if library.overwrites]
)


@by_consumer
@by_producer
def test_a_reader_is_never_early_and_the_host_goes_on(
    producer: str, consumer: str, use: Use
) -> None:
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room = p.full(BEFORE, s), c.room()
    p.finish(s)
    with p.current(s), c.current(t):
        # Once without slow work: what is loaded or compiled by a first call must not count as it.
        y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
        assert c.read(c.copy(y, room, t), t) == {BEFORE}
        with p.busy(s):
            x = p.fill(x, AFTER, s)
            y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
            copied = c.copy(y, room, t)
            went_on = p.pending(x, s)
    assert c.read(copied, t) == {AFTER}
    assert went_on


@by_consumer
@by_overwriting_producer
def test_without_order_the_same_reader_is_early(producer: str, consumer: str, use: Use) -> None:
    """So the slow work is slow enough for the test above to show anything."""
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room = p.full(BEFORE, s), c.room()
    p.finish(s)
    with p.current(s), c.current(t):
        for _ in range(2):  # the first one loads and compiles
            y = anystream.handoff(x, to=consumer, stream=t, ordering="none")
            c.read(c.copy(y, room, t), t)
        with p.busy(s):
            x = p.fill(x, AFTER, s)
            y = anystream.handoff(x, to=consumer, stream=t, ordering="none")
            found = c.read(c.copy(y, room, t), t)
            in_time = p.pending(x, s)
    assert in_time, "the slow work was over before the reader"
    assert found == {BEFORE}


@by_producer
def test_the_host_reads_after_slow_work(producer: str, use: Use) -> None:
    p = use(producer)
    s = p.stream()
    x = p.full(BEFORE, s)
    p.finish(s)
    with p.current(s), p.busy(s):
        x = p.fill(x, AFTER, s)
        read = anystream.handoff(x, to="numpy", producer_stream=s)
    assert set(read.view("uint8").tolist()) == {AFTER}


@by_consumer
@by_producer
def test_a_plan_says_that_the_device_waits(producer: str, consumer: str, use: Use) -> None:
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    with p.current(s), c.current(t):
        plan = anystream.explain(p.full(AFTER, s), to=consumer, producer_stream=s, stream=t)
    assert "host" not in plan.ordering.what, plan
