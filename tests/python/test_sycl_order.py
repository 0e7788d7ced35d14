# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real queues, real pending work: two queues of one context, by every way of handing over.

Each test first shows that the same read without anystream is wrong.
"""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from sycl_ways import WAYS, Way

FORMS: dict[str, Callable[[Any], Any]] = {
    "queue": lambda queue: queue,
    "capsule": lambda queue: queue._get_capsule(),
    "stream": anystream.Stream,
}


@pytest.mark.parametrize("form", ["queue", "capsule"])
@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("kind", ["dpnp", "dpctl"])
@pytest.mark.parametrize("way", WAYS)
def test_two_queues(sycl: Any, way: Way, kind: str, in_order: bool, form: str) -> None:
    producer, consumer = sycl.queue(in_order=in_order), sycl.queue()
    x = sycl.zeros(kind, producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)

    stream = FORMS[form](consumer)
    for value in (2, 3) if form == "capsule" else (2,):  # a capsule has not been used up
        work = sycl.write_slowly(producer, memory, value)
        handed = way(x, producer, stream)
        assert sycl.pending(work), "the host waited"
        assert (sycl.read(consumer, handed) == value).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_producer_by_every_form(sycl: Any, form: str) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", sycl.queue())  # its own queue knows nothing of the work
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    sycl.write_slowly(producer, memory, 2)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert (sycl.read(consumer, sycl.memory_of(y)) != 2).any(), "nothing told it of the producer"
    producer.wait()

    named = FORMS[form](producer)
    for value in (3, 4):
        work = sycl.write_slowly(producer, memory, value)
        y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=named)
        assert sycl.pending(work)
        assert (sycl.read(consumer, sycl.memory_of(y)) == value).all()


@pytest.mark.parametrize("waits_for_all", [False, True])
def test_several_producers(sycl: Any, waits_for_all: bool) -> None:
    producers, consumer = [sycl.queue(), sycl.queue(in_order=False)], sycl.queue()
    x = sycl.zeros("dpnp", producers[0])
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producers[1], consumer, memory)
    work = sycl.write_slowly(producers[1], memory, 2)
    named = producers if waits_for_all else producers[:1]
    y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=named)
    assert sycl.pending(work)
    right = bool((sycl.read(consumer, sycl.memory_of(y)) == 2).all())
    assert right is waits_for_all
    producers[1].wait()


def test_an_array_that_stays_is_ordered_after_all_of_its_producers(sycl: Any) -> None:
    first, second, consumer = sycl.queue(), sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", first)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(second, consumer, memory)
    work = sycl.write_slowly(second, memory, 2)
    array = anystream.from_dlpack(x, producer_stream=[first, second])
    assert array.stream == anystream.Stream(first)
    y = anystream.handoff(array, to="dpnp", stream=consumer)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 2).all()


def test_the_next_operation_on_the_result_is_ordered(sycl: Any) -> None:
    """dpnp.copy on the result's own queue, which is the one that was named."""
    import dpnp

    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)

    work = sycl.write_slowly(producer, memory, 2)
    z = dpnp.copy(dpnp.from_dlpack(x).to_device(consumer))
    assert z.sycl_queue == consumer
    assert sycl.pending(work), "the reader blocks by itself"
    assert (dpnp.asnumpy(z) != 2).any(), "the race does not show without anystream"
    producer.wait()

    work = sycl.write_slowly(producer, memory, 3)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert sycl.pending(work), "the host waited"
    assert y.sycl_queue == consumer
    z = dpnp.copy(y)
    assert z.sycl_queue == consumer
    assert (dpnp.asnumpy(z) == 3).all()


def test_nobody_waits_on_the_way_there_and_on(sycl: Any) -> None:
    """producer -> Array -> consumer -> next: every step is ordered, none blocks."""
    producer, consumer, last = sycl.queue(), sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, last, memory)
    work = sycl.write_slowly(producer, memory, 2)
    array = anystream.from_dlpack(x)
    assert array.stream == anystream.Stream(producer)
    y = anystream.handoff(array, to="dpnp", stream=consumer)
    z = anystream.handoff(y, to="dpctl", stream=last)
    assert sycl.pending(work)
    assert (sycl.read(last, z) == 2).all()


def test_a_consumer_that_names_no_stream_gets_what_is_complete(sycl: Any) -> None:
    """None has the host wait; -1, which asks for no order, does not."""
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    array = anystream.from_dlpack(x)
    work = sycl.write_slowly(producer, memory, 2)
    array.__dlpack__(stream=-1)
    assert sycl.pending(work)
    array.__dlpack__()
    assert not sycl.pending(work)
    assert (sycl.read(consumer, memory) == 2).all()
