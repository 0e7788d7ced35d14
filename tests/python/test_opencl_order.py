# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Order on OpenCL's queues, on real drivers: wrong without anystream, right with it, no host wait.

The producer's queue is held by a gate that the test opens. What is read before that is stale; what
a hand-off has ordered cannot be read before that.
"""

import threading
import time
from typing import Any

import pytest

import anystream
import opencl_rig as rig

pytestmark = pytest.mark.filterwarnings("ignore:Non-empty compiler output")
drivers = pytest.mark.parametrize("driver", ["pocl", "intel"])
OLD, NEW = 1, 42


def consumer_of(queue: Any) -> anystream.Stream:
    return anystream.Stream(queue, out_of_order="barrier")


def check_unordered(producer: Any, reader: Any, array: Any) -> None:
    """Show that the reader does not wait by itself."""
    with rig.Gate(producer):
        rig.write(producer, array, NEW)
        seen, event = rig.read(reader, array)
        assert rig.becomes_done(event)
        assert (rig.values(reader, seen) == OLD).all()
    producer.finish()


def check_ordered(producer: Any, reader: Any, array: Any) -> None:
    with rig.Gate(producer) as gate:
        rig.write(producer, array, NEW)
        given = anystream.handoff(array, to="pyopencl", stream=consumer_of(reader))
        seen, event = rig.read(reader, given)
        time.sleep(0.02)  # for what should not happen
        assert not rig.is_done(event)
        gate.open()
        assert rig.becomes_done(event)
    assert (rig.values(reader, seen) == NEW).all()


@drivers
@pytest.mark.parametrize("produces_in_order", [True, False])
@pytest.mark.parametrize("reads_in_order", [True, False])
def test_two_queues(driver: str, produces_in_order: bool, reads_in_order: bool) -> None:
    producer = rig.queue(driver, in_order=produces_in_order)
    reader = rig.queue(driver, in_order=reads_in_order)
    check_unordered(producer, reader, rig.filled(producer, OLD))
    check_ordered(producer, reader, rig.filled(producer, OLD))


@drivers
def test_one_out_of_order_queue_gets_a_barrier(driver: str) -> None:
    queue = rig.queue(driver, in_order=False)
    array = rig.filled(queue, OLD)
    gate = rig.cl().UserEvent(queue.context)
    first = rig.cl().enqueue_marker(queue, wait_for=[gate])
    given = anystream.handoff(array, to="pyopencl", stream=consumer_of(queue))
    _, event = rig.read(queue, given)
    time.sleep(0.02)
    assert not rig.is_done(event)
    gate.set_status(0)
    assert rig.comes_true(lambda: rig.is_done(first) and rig.is_done(event))


@drivers
def test_an_out_of_order_queue_is_refused_unless_a_barrier_is_asked_for(driver: str) -> None:
    array = rig.filled(rig.queue(driver), OLD)
    with pytest.raises(ValueError, match="must be in-order"):
        anystream.handoff(array, to="pyopencl", stream=rig.queue(driver, in_order=False))


@drivers
@pytest.mark.parametrize("in_order", [True, False])
def test_two_contexts_are_bridged(driver: str, in_order: bool) -> None:
    """The host does not wait, and nothing of the consumer's runs before the producer's is done."""
    producer, consumer = rig.queue(driver), rig.queue(driver, in_order=in_order, of=1)
    before = consumer.reference_count
    with rig.Gate(producer) as gate:
        anystream.order(producer=producer, consumer=consumer_of(consumer))
        event = rig.cl().enqueue_marker(consumer)
        consumer.flush()
        time.sleep(0.02)
        assert not rig.is_done(event)
        gate.open()
        assert rig.becomes_done(event)
    consumer.finish()
    event = None
    assert rig.comes_true(lambda: consumer.reference_count == before)


def test_two_drivers_are_bridged() -> None:
    producer, consumer = rig.queue("pocl"), rig.queue("intel")
    for one, other in ((producer, consumer), (consumer, producer)):
        with rig.Gate(one) as gate:
            anystream.order(producer=one, consumer=other)
            event = rig.cl().enqueue_marker(other)
            other.flush()
            time.sleep(0.02)
            assert not rig.is_done(event)
            gate.open()
            assert rig.becomes_done(event)


@drivers
def test_slow_kernels(driver: str) -> None:
    """The producer is still running when the call returns, and the reader sees what it wrote."""
    kernel, turns = rig.slow_kernel(driver), rig.cl()
    producer, reader = rig.queue(driver), rig.queue(driver)
    numpy = pytest.importorskip("numpy")
    stale, running = 0, 0
    for ordered in (False, True):
        for _ in range(3):
            array = rig.filled(producer, OLD)
            kernel.set_args(array.base_data, numpy.int32(NEW), numpy.int32(200_000_000))
            work = turns.enqueue_nd_range_kernel(producer, kernel, (1,), (1,))
            producer.flush()
            given = array
            if ordered:
                given = anystream.handoff(array, to="pyopencl", stream=reader)
            running += ordered and not rig.is_done(work)
            seen, event = rig.read(reader, given)
            event.wait()
            right = (rig.values(reader, seen) == NEW).all()
            assert right or not ordered
            stale += not right
            producer.finish()
    assert stale > 0
    assert running == 3


@drivers
def test_events_on_other_queues_are_waited_for(driver: str) -> None:
    """`Array.events` are what its values depend on; here one that only the test sets."""
    producer, reader = rig.queue(driver), rig.queue(driver)
    array = rig.filled(producer, OLD)
    gate = rig.cl().UserEvent(producer.context)
    array.add_event(gate)
    assert "x.events" in anystream.explain(array, to="pyopencl", stream=reader).stream.why
    given = anystream.handoff(array, to="pyopencl", stream=reader)
    _, event = rig.read(reader, given)
    time.sleep(0.02)
    assert not rig.is_done(event)
    gate.set_status(0)
    assert rig.becomes_done(event)
    array.events.clear()


@drivers
def test_an_array_without_a_queue_is_on_that_of_its_events(driver: str) -> None:
    producer, reader = rig.queue(driver), rig.queue(driver)
    array = rig.filled(producer, OLD)
    with rig.Gate(producer) as gate:
        event = rig.write(producer, array, NEW)
        bare = array.with_queue(None)
        bare.events.append(event)
        given = anystream.handoff(bare, to="pyopencl", stream=reader)
        seen, copied = rig.read(reader, given)
        time.sleep(0.02)
        assert not rig.is_done(copied)
        gate.open()
        assert rig.becomes_done(copied)
    assert (rig.values(reader, seen) == NEW).all()


@drivers
def test_exports_order_and_take_the_capsule(driver: str) -> None:
    """`__dlpack__(stream=)` takes a queue, ours, and a capsule of the name, which stays unused."""
    producer, reader = rig.queue(driver), rig.queue(driver)
    array = anystream.from_dlpack(rig.filled(producer, OLD))
    ours: Any = anystream.Stream(reader)
    for named in (reader, ours, ours._get_capsule()):
        with rig.Gate(producer) as gate:
            capsule = array.__dlpack__(stream=named, max_version=(1, 1))
            event = rig.cl().enqueue_marker(reader)
            reader.flush()
            time.sleep(0.02)
            assert not rig.is_done(event)
            gate.open()
            assert rig.becomes_done(event)
        del capsule
    assert array.__dlpack_device__() == (4, array.device.id)
    for wrong in (7, 1.5, "queue", reader.int_ptr):
        with pytest.raises(
            TypeError, match=r'None, -1, a pyopencl\.CommandQueue, or a "cl_command'
        ):
            array.__dlpack__(stream=wrong)


@drivers
def test_none_has_the_host_wait(driver: str) -> None:
    """A consumer that names no stream may read at once: the call returns when the work is done."""
    producer = rig.queue(driver)
    array = anystream.from_dlpack(rig.filled(producer, OLD))
    returned = threading.Event()

    def export() -> None:
        array.__dlpack__()
        returned.set()

    with rig.Gate(producer) as gate:
        thread = threading.Thread(target=export)
        thread.start()
        assert not returned.wait(0.05)
        gate.open()
        assert returned.wait(10)
    thread.join()


@drivers
def test_nothing_leaks(driver: str) -> None:
    producer, reader = rig.queue(driver), rig.queue(driver)
    array = rig.filled(producer, OLD)
    counted = (producer, reader, array.base_data)

    def count() -> list[int]:
        return [rig.references(one) for one in counted]

    before = count()
    for _ in range(20):
        given = anystream.handoff(array, to="pyopencl", stream=reader)
        given = anystream.handoff(given, to="pyopencl", stream=producer)
        del given
        producer.finish()
        reader.finish()
    anystream.synchronize()
    assert rig.comes_true(lambda: count() == before)
