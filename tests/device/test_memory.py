# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back: memory is not written or given out again while a slow consumer still reads it."""

import gc
from contextlib import ExitStack

import pytest

import anystream
from anystream._release import Release
from libraries import LIBRARIES
from suite import Use

LENT, LATER = 7, 9
AGAIN = 4  # arrays that are made after one of the same size has gone

by_consumer = pytest.mark.parametrize("consumer", LIBRARIES)
by_producer = pytest.mark.parametrize("producer", LIBRARIES)
OVERWRITING = [name for name, library in LIBRARIES.items() if library.overwrites]
by_overwriting_producer = pytest.mark.parametrize("producer", OVERWRITING)
by_overwriting_consumer = pytest.mark.parametrize("consumer", OVERWRITING)


def lend(
    producer: str, consumer: str, use: Use, release: Release = "ordered"
) -> tuple[set[int], set[int]]:
    """Write to an array when its loan has ended and a slow reader is under way.

    Give what the reader has found, and what one finds that comes later: the write has been done.
    """
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, rooms = p.full(LENT, s), (c.room(), c.room())
    with p.current(s), c.current(t):
        y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
        c.read(c.copy(y, rooms[0], t), t)  # loads, and compiles
        del y
        y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t, release=release)
        c.finish(t)
        p.finish(s)
        with c.busy(t):
            copied = c.copy(y, rooms[0], t)
            del y
            gc.collect()
            p.fill(x, LATER, s)
            assert c.pending(copied, t), "the slow reader was over, or the host has waited for it"
            p.finish(s)
        found = c.read(copied, t)
        y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
        return found, c.read(c.copy(y, rooms[1], t), t)


@by_consumer
@by_overwriting_producer
def test_a_write_comes_after_the_slow_reader(producer: str, consumer: str, use: Use) -> None:
    assert lend(producer, consumer, use) == ({LENT}, {LATER})


@by_overwriting_consumer
@by_overwriting_producer
def test_without_a_way_back_the_write_is_early(producer: str, consumer: str, use: Use) -> None:
    """So the slow reader is slow enough for the test above to show anything."""
    found, after = lend(producer, consumer, use, release="none")
    assert (found, after) == ({LATER}, {LATER})


@by_consumer
@by_producer
def test_memory_that_goes_is_not_given_out_too_soon(producer: str, consumer: str, use: Use) -> None:
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room = p.full(LENT, s), c.room()
    with p.current(s), c.current(t):
        y = anystream.handoff(x, to=consumer, producer_stream=s, stream=t)
        c.read(c.copy(y, room, t), t)
        with c.busy(t):
            copied = c.copy(y, room, t)
            del x, y
            gc.collect()
            again = [p.full(LATER, s) for _ in range(AGAIN)]
            p.finish(s)
        assert c.read(copied, t) == {LENT}
    assert len(again) == AGAIN
    anystream.synchronize()
    assert anystream.pending_releases().number == 0


@by_overwriting_consumer
@by_overwriting_producer
def test_a_write_comes_after_the_block_of_a_loan(producer: str, consumer: str, use: Use) -> None:
    """The consumer's array lives on, and so does its memory; what was lent is written to."""
    p, c = use(producer), use(consumer)
    s, t = p.stream(), c.stream()
    x, room = p.full(LENT, s), c.room()
    with p.current(s), c.current(t), ExitStack() as block:
        lent = block.enter_context(anystream.borrow(x, stream=t, producer_stream=s))
        y = anystream.handoff(lent, to=consumer, stream=t)
        c.read(c.copy(y, room, t), t)
        with c.busy(t):
            copied = c.copy(y, room, t)
            block.close()
            p.fill(x, LATER, s)
            assert c.pending(copied, t), "the slow reader was over, or the host has waited for it"
            p.finish(s)
        assert c.read(copied, t) == {LENT}
        assert c.read(c.copy(y, room, t), t) == {LATER}
