# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The reader does not run before the held producer is released: 1,000 of 1,000, by every way.

Each trial first shows that the same read without anystream is wrong.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice, peek, values
from simulated_rig import ELEMENTS, FORMS, POISON, TRIALS, Race, put_a_library_there, right_of


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    put_a_library_there(monkeypatch)


def by_from_dlpack(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    return anystream.from_dlpack(source, stream=consumer, strict=True)


def by_dlpack(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    return anystream.from_dlpack(source.__dlpack__(stream=consumer, max_version=(1, 0)))


def by_old_dlpack(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    return anystream.from_dlpack(source.__dlpack__(stream=consumer))


def by_handoff(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    y = anystream.handoff(source, to="tvm_ffi", stream=consumer)
    array: anystream.Array = anystream.from_dlpack(y)
    return array


def as_stream(stream: Any) -> anystream.Stream:
    """Leave one of ours as it is: it has a policy."""
    return stream if isinstance(stream, anystream.Stream) else anystream.Stream(stream)


def by_wait_stream(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    as_stream(consumer).wait_stream(producer)
    return source


def by_order(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    anystream.order(producer=producer, consumer=consumer)
    return source


def by_event(source: anystream.Array, producer: Any, consumer: Any) -> anystream.Array:
    event = as_stream(producer).record()
    as_stream(consumer).wait(event)
    assert not event.query()
    return source


WAYS = [
    by_from_dlpack,
    by_dlpack,
    by_old_dlpack,
    by_handoff,
    by_wait_stream,
    by_order,
    by_event,
]
Way = Callable[[anystream.Array, Any, Any], anystream.Array]


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", WAYS)
def test_two_streams(way: Way, form: str, in_order: bool) -> None:
    give = FORMS[form]

    def hand_over(race: Race, source: anystream.Array) -> anystream.Array:
        return way(source, give(race.producer), give(race.consumer))

    assert right_of(Race(in_order=in_order), hand_over) == TRIALS


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("way", WAYS)
def test_two_devices(way: Way, in_order: bool) -> None:
    race = Race(in_order=in_order, one_device=False)
    assert right_of(race, lambda r, source: way(source, r.producer, r.consumer)) == TRIALS


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("way", WAYS)
def test_out_of_order_consumer_with_a_barrier(way: Way, in_order: bool) -> None:
    race = Race(in_order=in_order, consumer_in_order=False)
    consumer = anystream.Stream(race.consumer, out_of_order="barrier")
    assert right_of(race, lambda r, source: way(source, r.producer, consumer)) == TRIALS


@pytest.mark.parametrize("way", WAYS)
def test_a_second_hand_off_with_the_same_capsule(way: Way) -> None:
    race = Race()
    capsule = race.consumer._get_capsule()
    assert right_of(race, lambda r, source: way(source, r.producer, capsule)) == TRIALS
    assert '"anystream_simulated_stream"' in repr(capsule)


def test_a_producer_that_the_array_does_not_know() -> None:
    race = Race()
    for _ in range(TRIALS):
        source = race.produce(told=False)
        assert source.stream is None
        array = anystream.from_dlpack(
            source, producer_stream=race.producer, stream=race.consumer, strict=True
        )
        assert race.finish(race.read(array))


@pytest.fixture
def _unasked() -> Iterator[None]:
    """Let no thread take the GIL from another that does not let go by itself."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("_unasked")
def test_a_hand_off_to_the_host_returns_after_the_release() -> None:
    """numpy has no stream that could wait, so the call does, and lets go of Python meanwhile.

    The releasing thread cannot run before: a call that did not wait would read poison.
    """
    pytest.importorskip("numpy", reason="numpy is not installed")
    race = Race()
    right = 0
    for _ in range(TRIALS):
        source = race.produce()
        race.show_it_is_wrong_without(source)
        race.consumer.call(race.producer.release)
        assert race.producer.pending == 1
        seen = anystream.handoff(source, to="numpy")
        right += seen.tolist() == [race.value] * ELEMENTS
        del source  # while its stream is idle
    assert right == TRIALS


def test_several_producers() -> None:
    race = Race()
    second = race.device.stream("second", in_order=False)
    half = race.device.empty((ELEMENTS,), "int32")
    for trial in range(TRIALS):
        source = race.produce(told=False)
        second.hold()
        second.fill(half, trial)
        array = anystream.from_dlpack(
            source, producer_stream=[race.producer, second], stream=race.consumer
        )
        target = race.read(array)
        first, last = (race.producer, second) if trial % 2 else (second, race.producer)
        first.release()
        first.synchronize()
        assert race.consumer.pending >= 2  # the other producer is still held
        assert peek(target) == POISON
        last.release()
        race.consumer.synchronize()
        assert values(target) == [race.value] * ELEMENTS
        del array, source  # while nothing is held
        race.settle()


@pytest.mark.parametrize("delay", [0.0, 20e-6])
def test_a_chain_of_streams(delay: float) -> None:
    """Ten streams, each filling from the one before it, with delays drawn from the seed."""
    device = SimulatedDevice(seed=5, max_delay=delay)
    streams = [device.stream(in_order=number % 2 == 0) for number in range(10)]
    first = streams[0]
    for trial in range(100):
        first.hold()
        array = device.full((4,), trial, "int64", first)
        for stream in streams[1:]:
            reader = anystream.Stream(stream, out_of_order="barrier")
            source = anystream.from_dlpack(array, stream=reader)
            array = device.empty((4,), "int64", stream)
            stream.copy(array, source)
        assert streams[-1].pending
        first.release()
        streams[-1].synchronize()
        assert values(array) == [trial] * 4


def test_without_ordering_nothing_is_ordered() -> None:
    """The control: -1 and ordering="none" leave the race as it was."""
    race = Race()
    for keywords in ({"stream": -1}, {"stream": race.consumer, "ordering": "none"}):
        source = race.produce()
        race.show_it_is_wrong_without(anystream.from_dlpack(source, **keywords))
        race.producer.release()


def test_an_out_of_order_consumer_is_refused() -> None:
    race = Race(consumer_in_order=False)
    source = race.produce()
    for hand_over in (
        lambda: anystream.from_dlpack(source, stream=race.consumer),
        lambda: source.__dlpack__(stream=race.consumer),
        lambda: anystream.order(producer=race.producer, consumer=race.consumer),
    ):
        with pytest.raises(ValueError, match="must be in-order") as refused:
            hand_over()
        assert 'out_of_order="barrier"' in str(refused.value)
    assert race.consumer.pending == 0
    race.producer.release()
