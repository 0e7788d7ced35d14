# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producer and consumer on one and the same queue: a barrier out of order, nothing in order."""

from collections.abc import Callable

import pytest

import anystream
from anystream.testing import SimulatedDevice, SimulatedStream, peek, values
from simulated_rig import POISON, TRIALS

HandOver = Callable[[anystream.Array, anystream.Stream], anystream.Array]


def by_from_dlpack(source: anystream.Array, stream: anystream.Stream) -> anystream.Array:
    return anystream.from_dlpack(source, stream=stream)


def by_dlpack(source: anystream.Array, stream: anystream.Stream) -> anystream.Array:
    return anystream.from_dlpack(source.__dlpack__(stream=stream))


def by_wait_stream(source: anystream.Array, stream: anystream.Stream) -> anystream.Array:
    stream.wait_stream(stream)
    return source


def by_order(source: anystream.Array, stream: anystream.Stream) -> anystream.Array:
    anystream.order(producer=stream, consumer=stream)
    return source


def unordered(source: anystream.Array, stream: anystream.Stream) -> anystream.Array:
    return source


WAYS: list[HandOver] = [by_from_dlpack, by_dlpack, by_wait_stream, by_order]


def read_back(queue: SimulatedStream, device: SimulatedDevice, way: HandOver, extra: int) -> bytes:
    """Write and read on the held queue, with what the way puts in between: `extra` operations."""
    queue.hold()
    source = device.full((8,), 42, "int32", queue)
    handed = way(source, anystream.Stream(queue, out_of_order="barrier"))
    target = device.empty((8,), "int32")
    queue.copy(target, handed)
    assert queue.pending == 2 + extra
    queue.release()
    queue.synchronize()
    del handed, source
    anystream.synchronize()
    return peek(target)


@pytest.mark.parametrize("way", WAYS)
def test_one_out_of_order_queue_needs_a_barrier(way: HandOver) -> None:
    device = SimulatedDevice()
    queue = device.stream("queue", in_order=False)
    right = (42).to_bytes(4, "little") * 8
    for _ in range(TRIALS):
        assert read_back(queue, device, unordered, extra=0) == POISON
        assert read_back(queue, device, way, extra=1) == right


@pytest.mark.parametrize("way", WAYS)
def test_one_in_order_queue_needs_nothing(way: HandOver) -> None:
    device = SimulatedDevice()
    queue = device.stream("queue")
    assert read_back(queue, device, way, extra=0) == (42).to_bytes(4, "little") * 8


def test_the_plan_says_so() -> None:
    device = SimulatedDevice()
    for in_order, ordering in ((True, "nothing"), (False, "barrier")):
        queue = device.stream(in_order=in_order)
        source = device.full((8,), 1, "int32", queue)
        stream = anystream.Stream(queue, out_of_order="barrier")
        plan = anystream.explain(source, stream=stream)
        assert plan.ordering.what == ordering
        assert anystream.from_dlpack(source, stream=stream).plan is plan


def test_the_capsule_names_the_same_queue() -> None:
    device = SimulatedDevice()
    queue = device.stream("queue")
    source = device.full((8,), 1, "int32", queue)
    by_capsule = anystream.Stream(queue._get_capsule())
    assert by_capsule == anystream.Stream(queue) == anystream.Stream(device.find_stream("queue"))
    assert by_capsule.handle == queue.handle
    assert anystream.explain(source, stream=by_capsule).ordering.what == "nothing"
    queue.synchronize()
    assert values(source) == [1] * 8
