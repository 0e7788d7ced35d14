# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand-offs that are right, and the faults that each of them must show within 1,000 schedules."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import anystream
from anystream import _producer
from anystream.testing import ExploringDevice, RecyclingProducer, SimulatedStream, values

ELEMENTS = 8
SEVEN = [7] * ELEMENTS


def produce(device: ExploringDevice, stream: SimulatedStream, value: int = 7) -> anystream.Array:
    return device.full(ELEMENTS, value, "int32", stream)


def read(
    device: ExploringDevice, consumer: SimulatedStream, array: anystream.Array
) -> anystream.Array:
    target = device.empty(ELEMENTS, "int32", consumer)
    consumer.copy(target, array)
    return target


def handed(source: anystream.Array, consumer: SimulatedStream) -> anystream.Array:
    """Through another library, as users do."""
    array: anystream.Array = anystream.from_dlpack(
        anystream.handoff(source, to="tvm_ffi", stream=consumer)
    )
    return array


def one_way(device: ExploringDevice) -> None:
    producer, consumer, _ = device.stream("producer"), device.stream("consumer"), device.stream()
    source = produce(device, producer)
    target = read(device, consumer, handed(source, consumer))
    consumer.synchronize()
    assert values(target) == SEVEN


def from_out_of_order(device: ExploringDevice) -> None:
    producer, consumer = device.stream("producer", in_order=False), device.stream("consumer")
    source = produce(device, producer)
    target = read(device, consumer, handed(source, consumer))
    consumer.synchronize()
    assert values(target) == SEVEN


def twice(device: ExploringDevice) -> None:
    """Two arrays of one producer, one after the other."""
    producer, consumer = device.stream("producer"), device.stream("consumer")
    for value in (7, 8):
        source = produce(device, producer, value)
        target = read(device, consumer, handed(source, consumer))
        consumer.synchronize()
        assert values(target) == [value] * ELEMENTS


def one_queue(device: ExploringDevice) -> None:
    """Producer and consumer are one out-of-order queue."""
    queue = device.stream("queue", in_order=False)
    consumer = anystream.Stream(queue, out_of_order="barrier")
    source = produce(device, queue)
    target = read(device, queue, anystream.from_dlpack(source, stream=consumer))
    queue.synchronize()
    assert values(target) == SEVEN


def by_the_host(device: ExploringDevice) -> None:
    producer, consumer = device.stream("producer"), device.stream("consumer")
    source = produce(device, producer)
    array = anystream.from_dlpack(source, stream=consumer, ordering="host")
    target = read(device, consumer, array)
    anystream.Stream(consumer).record().synchronize()
    assert values(target) == SEVEN


def by_an_event(device: ExploringDevice) -> None:
    producer, consumer = device.stream("producer"), device.stream("consumer")
    source = produce(device, producer)
    event = anystream.Stream(producer).record()
    if event.query():
        assert values(source) == SEVEN
    event.synchronize()
    target = read(device, consumer, source)
    consumer.synchronize()
    assert values(target) == SEVEN


@contextmanager
def frees_in_stream_order() -> Iterator[None]:
    """Have libraries without a row reuse memory in the order of its stream, as good ones do."""
    before = _producer._UNKNOWN
    _producer._UNKNOWN = replace(before, frees="stream_ordered")
    try:
        yield
    finally:
        _producer._UNKNOWN = before


def there_and_back(device: ExploringDevice) -> None:
    """The producer waits for the consumer, and then gives its memory up; another takes it."""
    producer, other = device.stream("producer"), device.stream("other")
    consumer = device.stream("consumer")
    source = produce(device, producer)
    array = handed(source, consumer)
    target = read(device, consumer, array)
    del source, array
    again = produce(device, other, 9)
    other.synchronize()
    consumer.synchronize()
    assert values(target) == SEVEN
    assert values(again) == [9] * ELEMENTS


def reused(device: ExploringDevice) -> None:
    """The producer waits for the consumer, and then writes the next array into the same memory."""
    producer, consumer = device.stream("producer"), device.stream("consumer")
    produce(device, device.stream("another"))  # has work too, in order with nothing
    library = RecyclingProducer(device, producer)
    with frees_in_stream_order():
        source = library.full(ELEMENTS, 7, "int32")
        array = handed(anystream.from_dlpack(source, producer_stream=producer), consumer)
    target = read(device, consumer, array)
    memory = array.data_ptr
    del source, array
    again = library.full(ELEMENTS, 9, "int32")
    assert again.array.data_ptr == memory
    consumer.synchronize()
    producer.synchronize()
    assert values(target) == SEVEN
    assert values(again.array) == [9] * ELEMENTS


class Case(NamedTuple):
    """A hand-off that is right, and the faults that it must show."""

    fn: Callable[[ExploringDevice], None]
    faults: tuple[str, ...]


CASES = (
    Case(
        one_way,
        (
            "record left out",
            "record too early",
            "record on another stream",
            "wait left out",
            "wait on another stream",
            "event ends when given back",
            "same says yes",
            "copy overtakes a wait",
            "copy at once",
            "copy on another stream",
            "synchronize returns at once",
            "idle says yes",
        ),
    ),
    Case(from_out_of_order, ("record covers nothing", "record left out", "wait left out")),
    Case(
        twice, ("record gives the one before", "wait for an older event", "event reused too soon")
    ),
    Case(one_queue, ("in_order says yes", "barrier left out", "barrier holds nothing")),
    Case(by_the_host, ("synchronize returns at once", "idle says yes")),
    Case(by_an_event, ("complete says yes", "synchronize_event returns at once")),
    Case(there_and_back, ("free at once", "free on another stream", "recycled at once")),
    Case(
        reused,
        ("record left out", "wait left out", "event reused too soon"),
    ),
)
