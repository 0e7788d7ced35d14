# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real queues, real pending work: two queues of one context, by every way of handing over.

Each test first shows that the same read without anystream is wrong.
"""

from collections.abc import Callable
from typing import Any

import pytest

import anystream

FORMS: dict[str, Callable[[Any], Any]] = {
    "queue": lambda queue: queue,
    "capsule": lambda queue: queue._get_capsule(),
    "stream": anystream.Stream,
}


class Handed:
    """A capsule that was got for a named stream, for libraries that ask an object for one."""

    def __init__(self, array: Any, stream: Any) -> None:
        self._capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
        self._device: tuple[int, int] = array.__dlpack_device__()

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def to_dpnp(x: Any, producer: Any, stream: Any) -> Any:
    return anystream.handoff(x, to="dpnp", stream=stream).get_array().usm_data


def to_dpctl(x: Any, producer: Any, stream: Any) -> Any:
    return anystream.handoff(x, to="dpctl", stream=stream)


def to_array(x: Any, producer: Any, stream: Any) -> Any:
    import dpctl.memory

    return dpctl.memory.as_usm_memory(anystream.from_dlpack(x, stream=stream))


def by_dlpack(x: Any, producer: Any, stream: Any) -> Any:
    import dpnp

    handed = Handed(anystream.from_dlpack(x), stream)
    return dpnp.from_dlpack(handed).get_array().usm_data


def by_wait_stream(x: Any, producer: Any, stream: Any) -> Any:
    anystream.Stream(stream).wait_stream(producer)
    return x if hasattr(x, "get_usm_type") else x.get_array().usm_data


def by_order(x: Any, producer: Any, stream: Any) -> Any:
    anystream.order(producer=producer, consumer=stream)
    return x if hasattr(x, "get_usm_type") else x.get_array().usm_data


WAYS = [to_dpnp, to_dpctl, to_array, by_dlpack, by_wait_stream, by_order]


@pytest.mark.parametrize("form", ["queue", "capsule"])
@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("kind", ["dpnp", "dpctl"])
@pytest.mark.parametrize("way", WAYS)
def test_two_queues(sycl: Any, way: Any, kind: str, in_order: bool, form: str) -> None:
    producer, consumer = sycl.queue(in_order=in_order), sycl.queue()
    x = sycl.zeros(kind, producer)
    memory = sycl.memory_of(x)

    sycl.write_slowly(producer, memory, 1)
    assert (sycl.read(consumer, memory) != 1).any(), "the race does not show without anystream"
    producer.wait()

    stream = FORMS[form](consumer)
    work = sycl.write_slowly(producer, memory, 2)
    handed = way(x, producer, stream)
    assert sycl.pending(work), "the host waited"
    assert (sycl.read(consumer, handed) == 2).all()

    if form == "capsule":  # it has not been used up
        work = sycl.write_slowly(producer, memory, 3)
        handed = way(x, producer, stream)
        assert sycl.pending(work), "the host waited"
        assert (sycl.read(consumer, handed) == 3).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_producer_by_every_form(sycl: Any, form: str) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", sycl.queue())  # its own queue knows nothing of the work
    memory = sycl.memory_of(x)
    sycl.write_slowly(producer, memory, 1)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert (sycl.read(consumer, sycl.memory_of(y)) != 1).any()
    producer.wait()

    named = FORMS[form](producer)
    for value in (2, 3):
        work = sycl.write_slowly(producer, memory, value)
        y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=named)
        assert sycl.pending(work)
        assert (sycl.read(consumer, sycl.memory_of(y)) == value).all()


@pytest.mark.parametrize("waits_for_all", [False, True])
def test_several_producers(sycl: Any, waits_for_all: bool) -> None:
    producers, consumer = [sycl.queue(), sycl.queue(in_order=False)], sycl.queue()
    x = sycl.zeros("dpnp", producers[0])
    memory = sycl.memory_of(x)
    work = sycl.write_slowly(producers[1], memory, 1)
    named = producers if waits_for_all else producers[:1]
    y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=named)
    assert sycl.pending(work)
    right = bool((sycl.read(consumer, sycl.memory_of(y)) == 1).all())
    assert right is waits_for_all
    producers[1].wait()


def test_an_array_that_stays_is_ordered_after_all_of_its_producers(sycl: Any) -> None:
    first, second, consumer = sycl.queue(), sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", first)
    work = sycl.write_slowly(second, sycl.memory_of(x), 1)
    array = anystream.from_dlpack(x, producer_stream=[first, second])
    assert array.stream == anystream.Stream(first)
    y = anystream.handoff(array, to="dpnp", stream=consumer)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 1).all()


def test_the_result_is_on_the_queue_that_was_named(sycl: Any) -> None:
    import dpnp

    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 5)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert sycl.pending(work)
    assert y.sycl_queue == consumer
    z = dpnp.negative(y)  # the library's next operation, on y's own queue; it may wait by itself
    assert z.sycl_queue == consumer
    assert (dpnp.asnumpy(z) == -5).all()


def test_nobody_waits_on_the_way_there_and_on(sycl: Any) -> None:
    """producer -> Array -> consumer -> next: every step is ordered, none blocks."""
    producer, consumer, last = sycl.queue(), sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 6)
    array = anystream.from_dlpack(x)
    assert array.stream == anystream.Stream(producer)
    y = anystream.handoff(array, to="dpnp", stream=consumer)
    z = anystream.handoff(y, to="dpctl", stream=last)
    assert sycl.pending(work)
    assert (sycl.read(last, z) == 6).all()
