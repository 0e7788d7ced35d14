# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers and consumers of anystream.testing, on both kinds of simulated device."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import anystream
from anystream.testing import (
    ExplorationError,
    ExploringDevice,
    IgnoringConsumer,
    IgnoringProducer,
    OrderingProducer,
    PickyProducer,
    ReadingConsumer,
    RecordingConsumer,
    RecordingProducer,
    RecyclingProducer,
    SimulatedDevice,
    explore,
    values,
)

SEVEN = [7] * 4
PRODUCERS = [OrderingProducer, IgnoringProducer, PickyProducer, RecordingProducer]
Make = Callable[[anystream.Array, Any], OrderingProducer]


@pytest.fixture(params=[SimulatedDevice, ExploringDevice])
def device(request: pytest.FixtureRequest) -> Iterator[SimulatedDevice]:
    with request.param() as made:
        yield made


def through(make: Make, consumer_of: type[ReadingConsumer], **handed: Any) -> Any:
    """A hand-off from a producer to a consumer, through anystream if a keyword says how."""

    def fn(device: ExploringDevice) -> None:
        producer, stream = device.stream("producer"), device.stream("consumer")
        x: Any = make(device.full(4, 7, "int32", producer), producer)
        consumer = consumer_of(device, stream)
        if handed:
            source = producer if handed["named"] else None
            x = anystream.from_dlpack(x, stream=stream, producer_stream=source)
        target = consumer.read(x)
        stream.synchronize()
        assert values(target) == SEVEN

    return fn


RIGHT = [
    through(OrderingProducer, ReadingConsumer),
    through(OrderingProducer, IgnoringConsumer),
    through(OrderingProducer, ReadingConsumer, named=False),
    through(PickyProducer, ReadingConsumer),
    through(IgnoringProducer, ReadingConsumer, named=True),
    through(RecordingProducer, RecordingConsumer),
]
WRONG = [
    through(IgnoringProducer, ReadingConsumer),
    through(IgnoringProducer, IgnoringConsumer),
    through(IgnoringProducer, ReadingConsumer, named=False),
]


@pytest.mark.parametrize("fn", RIGHT)
def test_a_producer_that_orders_or_is_named_is_right(fn: Any) -> None:
    explore(fn)


@pytest.mark.parametrize("fn", WRONG)
def test_a_producer_that_ignores_the_stream_is_found(fn: Any) -> None:
    with pytest.raises(ExplorationError, match="no operation has written"):
        explore(fn)


@pytest.mark.parametrize("make", PRODUCERS)
def test_producers_export_views(make: Make, device: SimulatedDevice) -> None:
    stream = device.stream()
    x = make(device.full(4, 7, "int32", stream), stream)
    array = anystream.from_dlpack(x.__dlpack__(stream=-1))
    assert array.data_ptr == x.array.data_ptr
    assert x.stream is stream
    assert x.__dlpack_device__() == (12, device.device.id)
    for refused in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError, match="gives views on its own device only"):
            x.__dlpack__(**refused)


def test_without_a_stream_an_ordering_producer_waits_on_the_host(device: SimulatedDevice) -> None:
    stream = device.stream()
    for make in (OrderingProducer, PickyProducer):
        x = make(device.full(4, 7, "int32", stream), stream)
        x.__dlpack__()
        assert values(x.array) == SEVEN


def test_a_picky_producer_takes_its_own_streams_only(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    x = PickyProducer(device.full(4, 7, "int32", producer), producer)
    for taken in (None, -1, consumer):
        x.__dlpack__(stream=taken)
    for refused in (anystream.Stream(consumer), consumer._get_capsule(), 7, True):
        with pytest.raises(TypeError, match=r"None, -1 or a SimulatedStream; got (an?|int|bool) "):
            x.__dlpack__(stream=refused)


def test_a_picky_producer_is_handed_over_by_the_users_own_stream(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    x = PickyProducer(device.full(4, 7, "int32", producer), producer)
    producer.hold()
    array = anystream.from_dlpack(x, stream=consumer)
    target = device.empty(4, "int32", consumer)
    consumer.copy(target, array)
    assert consumer.pending == 2  # it waits for the producer's
    producer.release()
    consumer.synchronize()
    assert values(target) == SEVEN
    with pytest.raises(TypeError, match=r"or a SimulatedStream; got an anystream\.Stream\."):
        anystream.from_dlpack(x, stream=anystream.Stream(consumer))


def test_a_recording_producer_tells_what_it_was_asked(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    x = RecordingProducer(device.full(4, 7, "int32", producer), producer)
    x.__dlpack__()
    anystream.from_dlpack(x, stream=consumer)
    ReadingConsumer(device, consumer).from_dlpack(x)
    IgnoringConsumer(device, consumer).from_dlpack(x)
    assert x.calls == [
        {},
        {"stream": consumer, "max_version": (1, 3)},
        {"stream": consumer, "max_version": (1, 3)},
        {},
    ]


def test_a_recording_consumer_tells_what_it_was_given(device: SimulatedDevice) -> None:
    stream = device.stream()
    consumer = RecordingConsumer(device, stream)
    consumer.read(OrderingProducer(device.full((2, 3), 7, "int32", stream), stream))
    [taken] = consumer.taken
    place = (12, device.device.id)
    assert taken == (OrderingProducer, place, True, (2, 3), False)
    assert consumer.stream is stream
    stream.synchronize()


def recycled(device: SimulatedDevice, *, frees: bool = False) -> list[Any]:
    """Read an array that goes, with its memory, before the reading has run."""
    producer, stream = device.stream("producer"), device.stream("consumer")
    library = RecyclingProducer(device, producer, frees=frees)
    consumer = ReadingConsumer(device, stream)
    first = library.full(4, 7, "int32")
    where = first.array.data_ptr
    producer.synchronize()
    stream.hold()
    target = consumer.read(first)
    del first
    second = library.full(4, 8, "int32")
    assert (second.array.data_ptr == where) is not frees
    producer.synchronize()
    stream.release()
    stream.synchronize()
    return values(target)


def test_a_recycling_producer_shows_in_the_values() -> None:
    with SimulatedDevice() as device:
        assert recycled(device) == [8] * 4
    with SimulatedDevice() as device:
        assert recycled(device, frees=True) == [-572662307] * 4  # 0xDD, freed


def test_a_recycling_producer_keeps_what_is_referred_to(device: SimulatedDevice) -> None:
    library = RecyclingProducer(device, device.stream())
    first = anystream.from_dlpack(library.full(4, 7, "int32"))
    second = library.full((2, 2), 8, "int32")
    assert first.data_ptr != second.array.data_ptr
    where = first.data_ptr
    del first
    assert library.full(16, 1, "uint8").array.data_ptr == where
    assert library.full(5, 1, "uint8").array.data_ptr != where


@pytest.mark.parametrize("frees", [False, True])
def test_a_recycling_producer_is_found(frees: bool) -> None:
    def fn(device: ExploringDevice) -> None:
        assert recycled(device, frees=frees) == SEVEN

    with pytest.raises(ExplorationError) as found:
        explore(fn)
    told = [finding.what for finding in found.value.findings]
    assert told == (["read memory that was freed"] if frees else [])
