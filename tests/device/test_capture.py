# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand-offs while a graph is captured: they become part of it, or are refused before they break it.

What a library enqueues inside takes no memory; its own way to capture is not asked for.
"""

from typing import Any

import pytest

import anystream
import driver
from libraries import LIBRARIES
from library import Library
from suite import Use

BEFORE, AFTER = 1, 7

WITH_STREAMS = [name for name, library in LIBRARIES.items() if library.overwrites]  # not jax
by_consumer = pytest.mark.parametrize("consumer", WITH_STREAMS)
by_producer = pytest.mark.parametrize("producer", WITH_STREAMS)


class Scene:
    """A producer and a consumer that have handed over once, outside of a capture."""

    def __init__(self, producer: Library, consumer: Library) -> None:
        self.p, self.c = producer, consumer
        self.s, self.t = producer.stream(), consumer.stream()
        self.x, self.room = producer.full(BEFORE, self.s), consumer.room()
        with producer.current(self.s), consumer.current(self.t):
            assert self.read(self.hand_over()) == {BEFORE}
        producer.finish(self.s)
        anystream.synchronize()

    def hand_over(self) -> Any:
        y = anystream.handoff(self.x, to=self.c.name, producer_stream=self.s, stream=self.t)
        return self.c.copy(y, self.room, self.t)

    def read(self, copied: Any) -> set[int]:
        return self.c.read(copied, self.t)


@by_consumer
@by_producer
def test_another_stream_becomes_part_of_the_capture(producer: str, consumer: str, use: Use) -> None:
    scene = Scene(use(producer), use(consumer))
    p, c, s, t = scene.p, scene.c, scene.s, scene.t
    with p.current(s), c.current(t):
        with driver.capture(s) as graph:
            p.fill(scene.x, AFTER, s)
            copied = scene.hand_over()
            assert driver.capturing(t)
            anystream.Stream(s, "cuda:0").wait_stream(t)
        assert scene.read(copied) == {BEFORE}  # nothing of it has run
        graph.launch(s)
        p.finish(s)
        assert scene.read(copied) == {AFTER}
    graph.destroy()


@by_producer
def test_one_stream_of_a_capture_has_nothing_to_order(producer: str, use: Use) -> None:
    scene = Scene(use(producer), use(producer))
    scene.t = s = scene.s
    p = scene.p
    with p.current(s):
        with driver.capture(s) as graph:
            p.fill(scene.x, AFTER, s)
            copied = scene.hand_over()
        assert scene.read(copied) == {BEFORE}
        graph.launch(s)
        assert scene.read(copied) == {AFTER}
    graph.destroy()


@by_consumer
@by_producer
def test_what_would_break_a_capture_is_refused(producer: str, consumer: str, use: Use) -> None:
    """The consumer's stream is captured, and the producer's is not: the graph cannot wait for it.

    The array is one that the producer has still to write.
    """
    scene = Scene(use(producer), use(consumer))
    p, c, s, t = scene.p, scene.c, scene.s, scene.t
    with p.current(s), c.current(t), p.busy(s):
        scene.x = p.fill(scene.x, AFTER, s)
        with driver.capture(t) as graph:
            with pytest.raises(anystream.OrderingError, match="being captured into a graph"):
                scene.hand_over()
            assert driver.capturing(t)
    graph.destroy()
    with p.current(s), c.current(t):
        assert scene.read(scene.hand_over()) == {AFTER}


@by_producer
def test_the_host_cannot_read_what_is_captured(producer: str, use: Use) -> None:
    p = use(producer)
    s = p.stream()
    x = p.full(BEFORE, s)
    p.finish(s)
    with p.current(s):
        with driver.capture(s) as graph:
            x = p.fill(x, AFTER, s)
            with pytest.raises(BufferError, match="being captured into a graph"):
                anystream.handoff(x, to="numpy", producer_stream=s)
            assert driver.capturing(s)
        graph.launch(s)
        read = anystream.handoff(x, to="numpy", producer_stream=s)
    assert set(read.view("uint8").tolist()) == {AFTER}
    graph.destroy()
