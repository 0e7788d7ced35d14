# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A platform written in Python by the public API: order, copies and the way back on it."""

import ctypes
import gc
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import anystream
from platform_rig import Lab, LabArray, Mark, Memory, Owner, fill, read


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    marks = Mark.alive
    yield
    gc.collect()
    anystream.synchronize()
    gc.collect()
    assert Mark.alive == marks


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


def hand_on(array: LabArray, producer: Any, stream: Any, **how: Any) -> Any:
    return anystream.from_dlpack(array, producer_stream=producer, stream=stream, **how)


def test_a_stream_says_what_it_is(lab: Lab) -> None:
    queue = lab.queue()
    stream = lab.stream(queue, device=1)
    assert (stream.platform, stream.in_order) == (lab.name, True)
    assert stream.device == anystream.Device((lab.type, 1))
    assert (stream.device.kind, stream.device.name) == ("accelerator", "the lab's second")
    assert stream.device in anystream.devices()
    assert stream == lab.stream(queue, device=1)
    assert stream != lab.stream(lab.queue(), device=1)
    assert f"{lab.name} handle" in repr(stream)


def test_the_consumer_waits_for_the_producer(lab: Lab) -> None:
    producer, consumer = lab.queue(), lab.queue()
    array, view = lab.array()
    producer.hold()
    fill(producer, view, 7)
    result = hand_on(array, producer, consumer)
    seen = read(consumer, view)
    assert consumer.pending() == 2
    assert seen == []
    producer.resume()
    consumer.drain()
    assert seen == [7] * 8
    assert result.stream == lab.stream(consumer)
    del result


def test_without_an_order_the_reader_is_early(lab: Lab) -> None:
    producer, consumer = lab.queue(), lab.queue()
    array, view = lab.array()
    producer.hold()
    fill(producer, view, 7)
    result = hand_on(array, producer, consumer, ordering="none", release="none")
    seen = read(consumer, view)
    consumer.drain()
    assert 7 not in seen
    producer.resume()
    producer.drain()
    del result


def test_one_stream_needs_nothing(lab: Lab) -> None:
    queue = lab.queue()
    array, _ = lab.array()
    queue.hold()
    plan = anystream.explain(array, producer_stream=queue, stream=queue)
    assert plan.ordering.what == "nothing"
    result = hand_on(array, queue, queue)
    assert queue.pending() == 0
    queue.resume()
    del result


def test_the_platform_says_that_two_handles_are_one_queue() -> None:
    lab = Lab(same=lambda a, b: a.device == b.device == 5)
    first, second = lab.queue(device=5), lab.queue(device=5)
    assert lab.stream(first) == lab.stream(second)
    array, _ = lab.array()
    plan = anystream.explain(array, producer_stream=first, stream=second)
    assert plan.ordering.what == "nothing"


def test_a_chain_of_three(lab: Lab) -> None:
    queues = [lab.queue() for _ in range(3)]
    array, view = lab.array()
    queues[0].hold()
    fill(queues[0], view, 1)
    first = hand_on(array, queues[0], queues[1])
    queues[1].put(lambda: ctypes.memset(ctypes.addressof(view), 2, 32))
    second = anystream.from_dlpack(first, stream=queues[2])
    seen = read(queues[2], view)
    assert seen == []
    queues[0].resume()
    queues[2].drain()
    assert seen == [0x02020202] * 8
    del first, second


def test_fan_in_and_fan_out(lab: Lab) -> None:
    producers, consumers = [lab.queue(), lab.queue()], [lab.queue(), lab.queue()]
    array, view = lab.array(values=2)
    for i, producer in enumerate(producers):
        producer.hold()
        producer.put(partial(view.__setitem__, i, 9))
    results = [hand_on(array, producers, consumer) for consumer in consumers]
    seen = [read(consumer, view) for consumer in consumers]
    producers[0].resume()
    producers[0].drain()
    assert seen == [[], []]
    producers[1].resume()
    for consumer in consumers:
        consumer.drain()
    assert seen == [[9, 9], [9, 9]]
    del results


def test_an_out_of_order_stream_is_refused_and_takes_a_barrier(lab: Lab) -> None:
    queue = lab.queue(in_order=False)
    array, _ = lab.array()
    with pytest.raises(ValueError, match="must be in-order; got an out-of-order queue"):
        hand_on(array, lab.queue(), queue)
    assert array.sent == "never called"
    lenient = lab.stream(queue, out_of_order="barrier")
    plan = anystream.explain(array, producer_stream=queue, stream=lenient)
    assert plan.ordering.what == "barrier"
    queue.hold()
    result = hand_on(array, queue, lenient)
    assert queue.pending() == 2  # the record and the wait of a barrier
    queue.resume()
    del result


def test_every_stream_may_be_out_of_order() -> None:
    lab = Lab(in_order=False)
    assert lab.stream(lab.queue()).in_order is False


def test_devices_that_cannot_wait_for_each_other_are_refused() -> None:
    lab = Lab(across_devices=False)
    there = lab.stream(lab.queue(), device=1)
    array, _ = lab.array()
    with pytest.raises(BufferError, match="neither's events reach the other"):
        hand_on(array, lab.queue(), there)


def test_a_stream_tells_its_own_device() -> None:
    lab = Lab(device_of=lambda queue: queue.device)
    assert anystream.Stream(lab.queue(device=1)).device == anystream.Device((lab.type, 1))


def test_a_stream_that_does_not_tell_its_device_is_unresolved(lab: Lab) -> None:
    stream = anystream.Stream(lab.queue())
    assert stream.device is None
    array, _ = lab.array()
    result = hand_on(array, stream, lab.queue())
    assert result.device == anystream.Device((lab.type, 0))
    del result


def test_one_shortcut_orders_both_ways() -> None:
    calls: list[tuple[Any, Any]] = []
    lab = Lab(
        without=("record", "wait", "complete", "synchronize"),
        order=lambda producer, consumer: calls.append((producer, consumer)),
    )
    producer, consumer = lab.queue(), lab.queue()
    array, _ = lab.array()
    gone = Owner.gone
    result = hand_on(array, producer, consumer)
    assert calls == [(producer, consumer)]
    del result, array
    gc.collect()
    assert calls == [(producer, consumer), (consumer, producer)]
    assert Owner.gone == gone + 1


@pytest.mark.parametrize("release", ["ordered", "deferred"])
def test_the_memory_goes_back_when_its_users_are_done(lab: Lab, release: Any) -> None:
    producer, consumer = lab.queue(), lab.queue()
    array, _ = lab.array()
    gone = Owner.gone
    result = hand_on(array, producer, consumer, release=release)
    consumer.hold()
    consumer.put(lambda: None)
    del array, result
    gc.collect()
    assert Owner.gone == gone
    later: list[int] = []
    producer.put(lambda: later.append(Owner.gone))
    if release == "ordered":
        assert producer.pending() >= 1
        assert later == []
    consumer.resume()
    producer.drain()
    anystream.synchronize()
    assert Owner.gone == gone + 1


def test_a_copy_goes_there_and_back(lab: Lab) -> None:
    queue = lab.queue()
    values: Any = np.arange(12, dtype="float32").reshape(3, 4)
    blocks = len(Memory.blocks)
    there = anystream.from_dlpack(values, device=(lab.type, 0), stream=queue)
    assert there.device == anystream.Device((lab.type, 0))
    assert len(Memory.blocks) == blocks + 1
    back = anystream.handoff(there, to="numpy", device="cpu")
    assert (back == values).all()
    copied = anystream.from_dlpack(there, copy=True)
    again = anystream.handoff(copied, to="numpy", device="cpu")
    assert (again == values).all()
    del there, copied
    gc.collect()
    anystream.synchronize()
    assert len(Memory.blocks) == blocks


def seen_by_the_host(pointer: int) -> int | None:
    return pointer if Memory.owns(pointer) else None


@pytest.mark.parametrize(
    "how",
    [{"memory": "shared"}, {"memory": lambda pointer: "host"}, {"host_address": seen_by_the_host}],
    ids=["always", "asked", "elsewhere"],
)
def test_memory_that_the_host_sees_is_not_copied(how: dict[str, Any]) -> None:
    lab = Lab(**how)
    producer = lab.queue()
    array, view = lab.array()
    producer.hold()
    fill(producer, view, 5)
    producer.go.set()  # the host waits for it
    result = anystream.handoff(array, to="numpy", device="cpu", producer_stream=producer)
    assert result.tolist() == [5] * 8
    assert result.ctypes.data == ctypes.addressof(view)


def test_the_host_sees_a_handle_at_another_address() -> None:
    memory = (ctypes.c_int32 * 4)(1, 2, 3, 4)
    lab = Lab(host_address=lambda handle: ctypes.addressof(memory))
    queue = lab.queue()
    array = anystream.from_pointer(
        0x1234, (2,), "int32", (lab.type, 0), byte_offset=8, stream=queue, owner=None
    )
    result = anystream.handoff(array, to="numpy", device="cpu")
    assert result.tolist() == [3, 4]


def test_the_host_waits_by_asking_where_nothing_waits() -> None:
    lab = Lab(without=("synchronize",))
    queue = lab.queue()
    mark = lab.stream(queue).record()
    mark.synchronize()
    assert mark.query()


def test_explain_names_the_platform_and_its_row(lab: Lab) -> None:
    array, _ = lab.array()
    plan = anystream.explain(array, producer_stream=lab.queue(), stream=lab.queue())
    assert plan.ordering.what == "record, wait"
    assert f"platform {lab.name}, which was registered" in plan.device.why


def test_the_same_registration_once_more_does_nothing(lab: Lab) -> None:
    before = anystream._core.registered_count()
    anystream.register_platform(lab.type, lab.name, **lab.given)
    assert anystream._core.registered_count() == before


def test_a_further_class_of_streams(lab: Lab) -> None:
    class Further:
        is_in_order = True

    anystream.register_stream_type(Further, lab.name)
    anystream.register_stream_type(Further, lab.name)
    assert lab.stream(Further()).platform == lab.name  # type: ignore[arg-type]
