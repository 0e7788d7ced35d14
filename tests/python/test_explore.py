# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Exploring: what is found and how it is told, what replays, and whose errors come through."""

import gc
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

import anystream
from anystream.testing import (
    FAULTS,
    ExplorationError,
    ExploringDevice,
    SimulatedDevice,
    SimulatedStream,
    explore,
    peek,
    values,
)


def race(device: ExploringDevice) -> None:
    """Read with nothing ordered."""
    producer, consumer = device.stream("producer"), device.stream("consumer")
    source = device.full(4, 7, "int32", producer)
    target = device.empty(4, "int32")
    consumer.copy(target, source)
    consumer.synchronize()


def ordered(device: ExploringDevice) -> None:
    producer, consumer = device.stream("producer"), device.stream("consumer")
    source = device.full(4, 7, "int32", producer)
    target = device.empty(4, "int32")
    consumer.copy(target, anystream.from_dlpack(source, stream=consumer))
    consumer.synchronize()
    assert values(target) == [7] * 4


def error_of(fn: Any, **options: Any) -> ExplorationError:
    with pytest.raises(ExplorationError) as found:
        explore(fn, **options)
    return found.value


# ---- what is found -------------------------------------------------------------------------------


def test_a_race_is_told_with_its_schedule() -> None:
    error = error_of(race)
    assert str(error) == (
        "read bytes that no operation has written: bytes 0 to 15 of memory 1 (16 bytes)\n"
        "  by consumer: copy 16 bytes of memory 1 to memory 2 (step 0)\n"
        f"The schedule ({error.number}), in the order in which it ran:\n"
        "    0 consumer: copy 16 bytes of memory 1 to memory 2\n"
        "    1 producer: fill 16 bytes of memory 1\n"
        "    2 the host: free memory 2\n"
        "    3 producer: free memory 1\n"
        f"Run it again: explore(fn, replay={error.replay!r})"
    )
    [finding] = error.findings
    assert finding.stream == "consumer"
    assert finding.operation == "copy 16 bytes of memory 1 to memory 2"
    assert finding.memory == "bytes 0 to 15 of memory 1 (16 bytes)"
    assert finding.step == 0


def test_a_right_hand_off_is_tried_in_all_schedules() -> None:
    # Each step waits for the one before, on the way there and back.
    assert explore(ordered, schedules=300).schedules == 300


def test_orders_are_counted() -> None:
    def free_to_choose(device: ExploringDevice) -> None:
        for name in "abc":
            device.stream(name).call(lambda: None)

    assert explore(free_to_choose) == (1000, 6)


def test_memory_that_goes_too_early_is_found() -> None:
    """The consumer is ordered after the producer, but the producer's free after nobody."""

    def forgets_the_way_back(device: ExploringDevice) -> None:
        producer, consumer = device.stream("producer"), device.stream("consumer")
        source = device.full(4, 7, "int32", producer)
        array = anystream.from_dlpack(source, stream=consumer, release="none")
        consumer.copy(device.empty(4, "int32", consumer), array)

    error = error_of(forgets_the_way_back)
    assert error.findings[0].what == "read memory that was freed"
    assert "producer: free memory 1" in error.schedule


def test_wrong_values_are_an_assertion_of_the_function() -> None:
    def overwritten(device: ExploringDevice) -> None:
        first, second = device.stream("first"), device.stream("second")
        source = device.full(4, 7, "int32", first)
        first.synchronize()
        second.fill(source, 8)
        first.fill(source, 7)
        first.synchronize()
        second.synchronize()
        assert values(source) == [7] * 4

    error = error_of(overwritten)
    assert error.findings == []
    assert str(error).startswith("AssertionError: assert ")
    assert isinstance(error.__cause__, AssertionError)


def test_an_assertion_of_a_queued_function_is_one_too() -> None:
    def queued(device: ExploringDevice) -> None:
        array = device.full(4, 7, "int32")

        def check() -> None:
            assert values(array) == [7] * 4, "not yet"

        device.stream().call(check)

    assert str(error_of(queued)).startswith("AssertionError: not yet\n")


def test_a_wait_that_cannot_end_is_found() -> None:
    def held(device: ExploringDevice) -> None:
        stream = device.stream("stream")
        stream.hold()
        kept.append(device.full(4, 1.0, stream=stream))
        stream.synchronize()

    kept: list[anystream.Array] = []
    error = error_of(held, schedules=1)
    assert error.findings[0].what == "waited for what can never be complete"
    assert isinstance(error.__cause__, anystream.DriverError)
    assert 'stream "stream" is held, with 1 pending' in str(error)


def test_writing_freed_memory_is_found() -> None:
    def late(device: ExploringDevice) -> None:
        array = device.empty(4, "int32")
        stream = device.stream("stream")
        stream.hold()
        stream.fill(array, 1)
        del array
        stream.release()

    error = error_of(late, schedules=1)
    assert [finding.what for finding in error.findings] == ["wrote memory that was freed"]


# ---- seeds ---------------------------------------------------------------------------------------


def test_a_seed_gives_one_schedule() -> None:
    def schedule(seed: int) -> str:
        with ExploringDevice(seed) as device:
            race(device)
            device.finish()
            return device.schedule

    schedules = [schedule(seed) for seed in range(100)]
    assert schedules == [schedule(seed) for seed in range(100)]
    assert len(set(schedules)) > 1


def test_replaying_runs_that_schedule_only() -> None:
    first = error_of(race, seed=1000)
    calls: list[ExploringDevice] = []

    def counted(device: ExploringDevice) -> None:
        calls.append(device)
        race(device)

    again = error_of(counted, replay=first.replay)
    assert (again.schedule, again.findings) == (first.schedule, first.findings)
    assert (len(calls), again.number) == (1, 1)
    assert first.replay == f"seed {1000 + first.number - 1}"
    assert explore(ordered, replay=first.replay) == (1, 1)


@pytest.mark.parametrize("text", ["", "17", "seed x", "seed 1, fault none such", "seed 1,"])
def test_a_text_that_replays_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="takes the text of an ExplorationError") as refused:
        explore(race, replay=text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"fn": 3}, TypeError, "takes a function of an ExploringDevice; got int 3"),
        ({"schedules": 0}, ValueError, "takes an int from 1; got int 0"),
        ({"schedules": True}, TypeError, "takes an int from 1; got "),
        ({"schedules": "x"}, TypeError, "takes an int from 1; got "),
        ({"seed": "1"}, TypeError, "takes an int; got "),
        ({"fault": 1}, TypeError, "takes a str; got int 1"),
        ({"replay": 1}, TypeError, "takes the text of an ExplorationError's replay; got int 1"),
    ],
)
def test_a_wrong_argument_is_told(
    arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        explore(**{"fn": ordered, "schedules": 1, **arguments})


async def _coroutine(device: ExploringDevice) -> None:
    race(device)


def _generator(device: ExploringDevice) -> Iterator[None]:
    race(device)
    yield


async def _asynchronous_generator(device: ExploringDevice) -> AsyncIterator[None]:
    race(device)
    yield


class _Object:
    async def __call__(self, device: ExploringDevice) -> None:
        race(device)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "fn",
    [
        _coroutine,
        _generator,
        _asynchronous_generator,
        _Object(),
        partial(_coroutine),
        lambda device: _coroutine(device),  # noqa: PLW0108 - no coroutine function itself
    ],
)
def test_a_function_that_would_run_nothing_is_refused(fn: Any) -> None:
    with pytest.raises(TypeError, match="takes a function that does the hand-off when it is call"):
        explore(fn)


def test_a_replay_has_its_own_fault() -> None:
    found = error_of(ordered, fault="wait left out")
    again = error_of(ordered, fault="wait left out", replay=found.replay)
    assert again.replay == found.replay
    with pytest.raises(ValueError, match=r"here wait left out; got fault='record left out'"):
        explore(ordered, fault="record left out", replay=found.replay)
    with pytest.raises(ValueError, match=r"here none; got fault='record left out'"):
        explore(ordered, fault="record left out", replay="seed 3")


def test_a_fault_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="a fault of an exploring device is one of") as refused:
        explore(race, fault="none such")
    for fault in FAULTS:
        assert f'"{fault}"' in str(refused.value)


# ---- errors, collection, threads -----------------------------------------------------------------


def test_other_errors_come_through_with_a_note() -> None:
    def wrong(device: ExploringDevice) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine") as raised:
        explore(wrong, seed=5, fault="wait left out")
    assert raised.value.__notes__ == [
        "In a schedule of explore(fn, replay='seed 5, fault wait left out')."
    ]


def test_garbage_is_not_collected_meanwhile() -> None:
    seen = []
    explore(lambda device: seen.append(gc.isenabled()), schedules=2)
    assert seen == [False, False]
    assert gc.isenabled()


def test_devices_are_forgotten() -> None:
    before = len(anystream.devices())
    explore(ordered, schedules=50)
    assert len(anystream.devices()) == before
    device = ExploringDevice()
    assert len(anystream.devices()) == before + 1
    device.close()
    assert len(anystream.devices()) == before
    with pytest.raises(ValueError, match="was closed"):
        device.stream()


def test_another_thread_cannot_wait_for_it() -> None:
    """The device's own thread may wait for that one: neither would go on."""
    with ExploringDevice() as device, ThreadPoolExecutor() as others:
        stream, other = device.stream(), device.stream()
        by: list[int] = []
        stream.hold()
        x = device.full(4, 1.0, stream=stream)
        stream.call(lambda: by.append(threading.get_ident()))
        event = anystream.Stream(stream).record()
        for wait in (
            event.synchronize,
            stream.synchronize,
            lambda: anystream.from_dlpack(x, stream=other, ordering="host"),
        ):
            with pytest.raises(ValueError, match=r"an exploring device belongs to the thread that"):
                others.submit(wait).result()
        assert not others.submit(event.query).result()
        with pytest.raises(ValueError, match="is finished by the"):
            others.submit(device.finish).result()
        device.finish()
        others.submit(event.synchronize).result()  # it has ended: nobody waits
        others.submit(stream.synchronize).result()
        assert by == [threading.get_ident()]


def test_it_is_a_simulated_device() -> None:
    with ExploringDevice(3) as device:
        assert isinstance(device, SimulatedDevice)
        stream = device.stream("mine")
        assert isinstance(stream, SimulatedStream)
        assert anystream.Stream(stream).platform == "simulated"
        assert device.find_stream("mine").handle == stream.handle
        array = device.full(3, 5, "int64", stream)
        assert peek(array)[:1] in (b"\xa5", b"\x05")
        assert anystream.from_dlpack(array).stream == anystream.Stream(stream)
        stream.synchronize()
        assert values(array) == [5, 5, 5]
        assert repr(device) == f"<ExploringDevice {device.device}>"
        assert device.findings == []
        assert device.steps[0] == ("mine", "fill 24 bytes of memory 1")


def test_the_usual_device_and_an_exploring_one_are_not_mixed() -> None:
    with ExploringDevice() as device, SimulatedDevice() as usual:
        array = device.full(4, 1.0)
        with pytest.raises(ValueError, match="on streams of that device only"):
            usual.stream().fill(array, 2.0)
        with pytest.raises(ValueError, match="waits for events of the same device only"):
            anystream.order(producer=usual.stream(), consumer=device.stream())
