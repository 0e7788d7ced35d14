# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Many threads hand over at once, each on streams of its own: no value is ever of another round."""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import pytest

import anystream
from libraries import LIBRARIES
from library import Library
from suite import Use

THREADS, ROUNDS = 8, 50


@contextmanager
def switching(seconds: float) -> Iterator[None]:
    """Have the interpreter change threads more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def rounds(p: Library, c: Library, start: Barrier) -> int:
    """Hand arrays over for as many rounds, writing to each when it was lent; count the wrong."""
    p.start()
    c.start()
    s, t, room = p.stream(), c.stream(), c.room()
    wrong = 0
    start.wait()
    with p.current(s), c.current(t):
        for value in range(1, ROUNDS + 1):
            x = p.full(value, s)
            y = anystream.handoff(x, to=c.name, producer_stream=s, stream=t)
            copied = c.copy(y, room, t)
            del y
            p.fill(x, 0, s)
            del x
            wrong += c.read(copied, t) != {value}
        p.finish(s)
    return wrong


def run(pairs: list[tuple[Library, Library]]) -> list[int]:
    start = Barrier(len(pairs))
    with switching(1e-5), ThreadPoolExecutor(len(pairs)) as pool:
        jobs = [pool.submit(rounds, p, c, start) for p, c in pairs]
        found = [job.result() for job in jobs]
    anystream.synchronize()
    assert anystream.pending_releases().number == 0
    return found


@pytest.mark.parametrize("consumer", LIBRARIES)
@pytest.mark.parametrize("producer", LIBRARIES)
def test_a_pair_in_many_threads(producer: str, consumer: str, use: Use) -> None:
    assert run([(use(producer), use(consumer))] * THREADS) == [0] * THREADS


def test_all_pairs_at_once(use: Use) -> None:
    there = [use(name) for name, library in LIBRARIES.items() if not library.why_not]
    if not there:
        pytest.skip(next(iter(LIBRARIES.values())).why_not)
    pairs = list(itertools.product(there, there))
    assert run(pairs) == [0] * len(pairs)
