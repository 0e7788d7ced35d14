# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back on real SYCL queues: memory of dpnp's and of ours, with work pending on it."""

import threading
import time
from typing import Any

import pytest

import anystream

np = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture(autouse=True)
def nothing_pending() -> Any:
    yield
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)


def read_late(sycl: Any, consumer: Any, memory: Any) -> tuple[Any, Any, Any]:
    """Queue slow work and then a read of the memory on the consumer; (work, target, read)."""
    import dpctl.memory

    size = sycl.ELEMENTS * 4
    target = dpctl.memory.MemoryUSMShared(size, queue=consumer)
    scratch = dpctl.memory.MemoryUSMDevice(size, queue=consumer)
    work = sycl.write_slowly(consumer, scratch, 1)
    return work, target, (consumer.memcpy_async(target, memory, size), scratch)


def numbers(target: Any) -> Any:
    return np.frombuffer(target.tobytes(), dtype="int32")


def filled(sycl: Any, on: Any, value: int) -> Any:
    import dpnp

    x = dpnp.full(sycl.ELEMENTS, value, dtype="int32", sycl_queue=on)
    on.wait()
    return x


@pytest.mark.parametrize("by", ["from_dlpack", "handoff"])
def test_dropping_returns_with_the_work_pending_and_the_values_stay(sycl: Any, by: str) -> None:
    for trial in range(5):
        producer, consumer = sycl.queue(), sycl.queue()
        x = filled(sycl, producer, 7)
        if by == "from_dlpack":
            array = anystream.from_dlpack(x, stream=consumer)
        else:
            array = anystream.handoff(x, to="dpnp", stream=consumer)
        del x
        work, target, kept = read_late(sycl, consumer, sycl.raw_memory_of(array))
        del array
        assert sycl.pending(work), trial  # the free of a busy queue would have waited
        again = [filled_later(sycl, producer, 9) for _ in range(3)]  # of the same size, at once
        consumer.wait()
        assert (numbers(target) == 7).all()
        producer.wait()
        del kept, again


def filled_later(sycl: Any, on: Any, value: int) -> Any:
    import dpnp

    return dpnp.full(sycl.ELEMENTS, value, dtype="int32", sycl_queue=on)


def test_another_thread_is_not_held_up(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    array = anystream.from_dlpack(filled(sycl, producer, 7), stream=consumer)
    work, target, kept = read_late(sycl, consumer, sycl.raw_memory_of(array))
    ticks: list[bool] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(sycl.pending(work))
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    del array
    while sycl.pending(work):
        time.sleep(0.001)
    stop.set()
    thread.join()
    assert sum(ticks) > 10  # it ran on while the work was pending, also after the array was dropped
    consumer.wait()
    assert (numbers(target) == 7).all()
    del kept


def test_what_a_borrower_writes_the_producer_reads(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = filled(sycl, producer, 1)
    for trial in range(5):
        with anystream.borrow(x, stream=consumer) as a:
            work = sycl.write_slowly(consumer, sycl.raw_memory_of(a), 50 + trial)
        assert sycl.pending(work)  # leaving has not waited
        assert (sycl.read(producer, sycl.memory_of(x)) == 50 + trial).all()


def test_without_a_borrow_it_is_read_too_early(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = filled(sycl, producer, 1)
    a = anystream.from_dlpack(x, stream=consumer)
    early = []
    for value in (50, 51, 52):
        sycl.write_slowly(consumer, sycl.raw_memory_of(a), value)
        early.append(bool((sycl.read(producer, sycl.memory_of(x)) != value).any()))
        consumer.wait()
    assert any(early)


def test_a_recorded_stream_is_waited_for(sycl: Any) -> None:
    producer, consumer, third = sycl.queue(), sycl.queue(), sycl.queue()
    x = filled(sycl, producer, 1)
    a = anystream.from_dlpack(x, stream=consumer)
    work = sycl.write_slowly(third, sycl.raw_memory_of(a), 5)
    a.record_stream(third)
    a.release()
    assert sycl.pending(work)
    assert (sycl.read(producer, sycl.memory_of(x)) == 5).all()


def test_an_export_comes_back_from_its_queue(sycl: Any) -> None:
    """dpnp takes our Array on a queue of its own, and lets go of it with work pending."""
    import dpnp

    producer, consumer = sycl.queue(), sycl.queue()
    array = anystream.from_dlpack(filled(sycl, producer, 7))
    capsule = array.__dlpack__(stream=consumer, max_version=(1, 0))
    taken = anystream.handoff(capsule, to="dpnp", producer_stream=consumer, stream=consumer)
    work, target, kept = read_late(sycl, consumer, sycl.raw_memory_of(taken))
    del taken, array, capsule
    assert sycl.pending(work)
    again = dpnp.full(sycl.ELEMENTS, 9, dtype="int32", sycl_queue=producer)
    consumer.wait()
    assert (numbers(target) == 7).all()
    del again, kept


def test_the_last_reference_to_memory_that_stays_on_its_queue(sycl: Any) -> None:
    """dpctl's own free would wait until the queue is idle, with the GIL."""
    producer = sycl.queue()
    x = filled(sycl, producer, 7)
    work, target, kept = read_late(sycl, producer, sycl.raw_memory_of(x))
    del x
    assert not sycl.pending(work), "dpctl's free has not waited"
    producer.wait()
    for _ in range(3):  # the quick way is taken from the second on
        x = filled(sycl, producer, 7)
        array = anystream.from_dlpack(x)
        del x
        work, target, kept = read_late(sycl, producer, sycl.raw_memory_of(array))
        del array
        assert sycl.pending(work)
        producer.wait()
        assert (numbers(target) == 7).all()
        del kept


def test_our_own_memory_is_freed_when_its_queue_is_done(sycl: Any) -> None:
    producer = sycl.queue()
    x = filled(sycl, producer, 7)
    copy = anystream.from_dlpack(x, copy=True)
    work, target, kept = read_late(sycl, producer, sycl.raw_memory_of(copy))
    del copy
    assert sycl.pending(work)
    producer.wait()
    assert (numbers(target) == 7).all()
    del kept
