# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""``use_stream``: what a thread says it uses a device by, and what that does not touch."""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import _core
from anystream.testing import SimulatedDevice, SimulatedStream
from simulated_rig import FORMS, Race


def used(device: SimulatedDevice) -> anystream.Stream | None:
    return _core._used_stream(device.device.type, device.device.id)


def is_used(stream: SimulatedStream) -> bool:
    return _core._used_stream(stream.device.type, stream.device.id) == anystream.Stream(stream)


@pytest.fixture
def device() -> SimulatedDevice:
    return SimulatedDevice()


# ---- one thread ----------------------------------------------------------------------------------


def test_nothing_is_used_where_nothing_was_said(device: SimulatedDevice) -> None:
    assert used(device) is None
    anystream.use_stream(device.stream())  # naming it is not entering it
    assert used(device) is None
    assert _core._used_stream(1, 0) is None
    assert _core._used_stream(99, -5) is None


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_stream_is_taken(device: SimulatedDevice, form: str) -> None:
    stream = device.stream()
    with anystream.use_stream(FORMS[form](stream)) as given:
        assert type(given) is anystream.Stream
        assert given == anystream.Stream(stream)
        assert given.handle == stream.handle
        assert is_used(stream)
    assert used(device) is None


def test_an_inner_block_gives_the_outer_stream_back(device: SimulatedDevice) -> None:
    outer, inner = device.stream(), device.stream()
    with anystream.use_stream(outer):
        with anystream.use_stream(inner):
            assert is_used(inner)
            with anystream.use_stream(outer):
                assert is_used(outer)
            assert is_used(inner)
        assert is_used(outer)
    assert used(device) is None


def test_devices_are_used_side_by_side(device: SimulatedDevice) -> None:
    other = SimulatedDevice()
    here, there = device.stream(), other.stream()
    with anystream.use_stream(here), anystream.use_stream(there):
        assert is_used(here)
        assert is_used(there)
    assert used(device) is None
    assert used(other) is None


def test_an_exception_passes_and_the_outer_stream_is_back(device: SimulatedDevice) -> None:
    outer, inner = device.stream(), device.stream()
    with anystream.use_stream(outer):
        with pytest.raises(LookupError, match="mine"), anystream.use_stream(inner):
            raise LookupError("mine")
        assert is_used(outer)


def test_one_object_is_entered_again(device: SimulatedDevice) -> None:
    other = device.stream()
    stream = device.stream()
    use = anystream.use_stream(stream)
    for _ in range(3):
        with use:
            assert is_used(stream)
            with anystream.use_stream(other), use:
                assert is_used(stream)
            assert is_used(stream)
        assert used(device) is None


def test_generators_leave_their_blocks_in_any_order(device: SimulatedDevice) -> None:
    def using(stream: SimulatedStream) -> Iterator[None]:
        with anystream.use_stream(stream):
            yield

    first, second = device.stream(), device.stream()
    one, two = using(first), using(second)
    next(one)
    next(two)
    assert is_used(second)
    assert list(one) == []  # the outer one goes first
    assert is_used(second)
    assert list(two) == []
    assert used(device) is None


def test_leaving_without_entering_is_refused(device: SimulatedDevice) -> None:
    outer, stream = device.stream(), device.stream()
    use = anystream.use_stream(stream)
    with anystream.use_stream(outer):
        with pytest.raises(RuntimeError, match="thread that has not entered it"):
            use.__exit__(None, None, None)
        assert is_used(outer)


def test_the_stream_lives_as_long_as_the_block(device: SimulatedDevice) -> None:
    with anystream.use_stream(device.stream("kept")):
        assert device.find_stream("kept").name == "kept"
    with pytest.raises(ValueError, match="kept"):
        device.find_stream("kept")


def test_entering_many_times_keeps_nothing(device: SimulatedDevice) -> None:
    stream = anystream.Stream(device.stream("many"))
    before = sys.getrefcount(stream)
    for _ in range(10_000):
        with anystream.use_stream(stream) as given:
            assert given is not None
    assert sys.getrefcount(stream) == before
    del stream, given
    with pytest.raises(ValueError, match="many"):
        device.find_stream("many")


# ---- threads -------------------------------------------------------------------------------------


def test_another_thread_has_its_own(device: SimulatedDevice) -> None:
    with ThreadPoolExecutor(8) as threads:
        barrier = threading.Barrier(8)

        def run(stream: SimulatedStream) -> bool:
            before = used(device)
            with anystream.use_stream(stream):
                barrier.wait()
                inside = is_used(stream)
                barrier.wait()
            return before is None and inside and used(device) is None

        with anystream.use_stream(device.stream()) as mine:
            assert all(threads.map(run, [device.stream() for _ in range(8)]))
            assert used(device) == mine


def test_one_object_serves_several_threads(device: SimulatedDevice) -> None:
    stream = device.stream()
    use = anystream.use_stream(stream)
    barrier = threading.Barrier(4)

    def run(_: int) -> bool:
        with use:
            barrier.wait()
            return is_used(stream)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(run, range(4)))
    assert used(device) is None


def test_leaving_on_another_thread_is_refused(device: SimulatedDevice) -> None:
    stream = device.stream()
    use = anystream.use_stream(stream)
    with use, ThreadPoolExecutor(1) as threads:
        with pytest.raises(RuntimeError, match="Enter and leave it in one thread"):
            threads.submit(use.__exit__, None, None, None).result()
        assert is_used(stream)


def test_a_thread_that_ends_inside_lets_its_stream_go(device: SimulatedDevice) -> None:
    def enter() -> None:
        anystream.use_stream(device.stream("left")).__enter__()
        assert device.find_stream("left").name == "left"

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()  # Python's part of it has ended then, the system's in a moment
    for _ in range(1000):
        with suppress(ValueError):
            device.find_stream("left")
            time.sleep(0.01)
    with pytest.raises(ValueError, match="left"):
        device.find_stream("left")


# ---- what is refused -----------------------------------------------------------------------------

BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: None, TypeError, r"use_stream\(…\): a stream is an int.*; got None"),
    (lambda: "cuda:0", TypeError, r"use_stream\(…\): a stream is an int"),
    (lambda: True, TypeError, "got bool True"),
    (lambda: 1.5, TypeError, "got float 1.5"),
    (object, TypeError, "got an object"),
    (lambda: -1, ValueError, "-1 asks for no ordering"),
    (lambda: -7, ValueError, "negative"),
    (lambda: 7, ValueError, r"use_stream\(…\) needs a resolved stream.*Stream\(s, device="),
    (
        lambda: SimulatedDevice().stream(in_order=False),
        ValueError,
        'must be in-order.*out_of_order="barrier"',
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD)
def test_what_is_no_stream_is_refused(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"(?s){message}"):
        anystream.use_stream(make())


def test_a_number_is_taken_with_its_device() -> None:
    with anystream.use_stream(anystream.Stream(0xABCD00, device="cuda:3")):
        found = _core._used_stream(2, 3)
        assert found is not None
        assert found.handle == 0xABCD00
        assert _core._used_stream(2, 0) is None
        assert _core._used_stream(13, 3) is None  # managed memory is a device type of its own
    assert _core._used_stream(2, 3) is None


def test_an_out_of_order_queue_is_taken_with_a_barrier(device: SimulatedDevice) -> None:
    queue = device.stream(in_order=False)
    with anystream.use_stream(anystream.Stream(queue, out_of_order="barrier")) as given:
        assert given.out_of_order == "barrier"
        assert is_used(queue)


# ---- what it does not touch ----------------------------------------------------------------------


def test_dlpack_and_imports_do_not_look_at_it() -> None:
    race = Race()
    source = race.produce()
    with anystream.use_stream(race.consumer):
        source.__dlpack__(stream=-1, max_version=(1, 0))
        again = anystream.from_dlpack(source)
        assert again.stream == anystream.Stream(race.producer)
        assert race.consumer.pending == 0  # no wait was put there
        race.producer.release()
        # For whoever names no stream the host waits, as without the block.
        source.__dlpack__(stream=None, max_version=(1, 0))
        assert race.producer.pending == 0
        assert race.consumer.pending == 0


# ---- the page ------------------------------------------------------------------------------------


def test_the_example_of_the_page_does_what_it_says() -> None:
    page = Path(__file__).parents[2] / "docs" / "exchange.md"
    [example] = re.findall(
        r"(?ms)^```python\n(import anystream\n.*?use_stream.*?)^```$", page.read_text()
    )
    race = Race()
    source = race.produce()
    told: list[bool] = []

    def kernel(_: anystream.Array) -> None:
        told.append(is_used(race.consumer))

    exec(example, {"s": race.consumer, "x": source, "kernel": kernel})
    assert told == [True]
    assert used(race.device) is None
    race.producer.release()
