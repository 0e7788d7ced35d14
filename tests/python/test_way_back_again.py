# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back where it is easily lost: used again, views of ours, several homes, no known home."""

import gc
import threading
from typing import Any

import pytest

import anystream
from anystream.testing import values
from exchange_rig import Api
from process_rig import child, python, silent_child
from way_back_rig import ELEMENTS, Story, all_equal


@pytest.fixture(autouse=True)
def nothing_pending() -> Any:
    yield
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)


def read_by_the_producer(story: Story, x: Any, stream: Any = None) -> Any:
    on = stream or story.producer
    target = story.device.empty((ELEMENTS,), "int32", on)
    on.copy(target, x)
    return target


def test_what_is_used_after_a_release_comes_back_by_the_next() -> None:
    story = Story()
    x = story.device.full(ELEMENTS, 1, "int32", story.producer)
    array = anystream.from_dlpack(x, stream=story.consumer)
    array.release()
    story.consumer.synchronize()
    story.consumer.hold()
    story.consumer.fill(array, 5)
    array.release()
    target = read_by_the_producer(story, x)
    story.consumer.release()
    story.producer.synchronize()
    assert values(target) == all_equal(5)


def test_what_is_used_after_a_release_comes_back_with_the_array() -> None:
    story = Story()
    array = story.handed()
    array.release()
    target = story.read_late(array)
    del array
    assert not story.pool.free
    assert story.outcome(target) == all_equal(7)


def test_a_view_of_an_array_that_has_no_way_back_keeps_its_memory() -> None:
    story = Story()
    source = anystream.from_dlpack(story.pool.array(7), ordering="none")
    view = anystream.from_dlpack(source, stream=story.consumer, producer_stream=story.producer)
    target = story.read_late(view)
    del view, source
    assert not story.pool.free
    assert story.outcome(target) == all_equal(7)


@pytest.mark.parametrize("policy", ["ordered", "deferred"])
def test_without_a_known_home_the_memory_is_kept_for_the_consumer(policy: Any) -> None:
    story = Story()
    lent = story.pool.array(7)
    story.producer.synchronize()
    array = anystream.from_dlpack(lent, stream=story.consumer, release=policy)
    assert "no stream of the producer is known" in array.plan.release.why
    del lent
    target = story.read_late(array)
    del array
    assert not story.pool.free
    assert story.outcome(target) == all_equal(7)


def test_every_producers_stream_waits_for_a_borrower() -> None:
    story = Story()
    second = story.device.stream("second")
    x = story.device.full(ELEMENTS, 1, "int32", story.producer)
    story.producer.synchronize()
    story.consumer.hold()
    streams = [story.producer, second]
    with anystream.borrow(x, stream=story.consumer, producer_stream=streams) as a:
        story.consumer.fill(a, 5)
    targets = [read_by_the_producer(story, x, on) for on in streams]
    story.consumer.release()
    for on in streams:
        on.synchronize()
    assert [values(target) for target in targets] == [all_equal(5)] * 2


def test_a_borrow_on_one_out_of_order_queue_puts_a_barrier() -> None:
    for _ in range(50):
        story = Story()
        queue = story.device.stream("queue", in_order=False)
        stream = anystream.Stream(queue, out_of_order="barrier")
        x = story.device.full(ELEMENTS, 1, "int32", queue)
        queue.synchronize()
        queue.hold()
        with anystream.borrow(x, stream=stream) as a:
            queue.fill(a, 5)
        target = read_by_the_producer(story, x, queue)
        queue.release()
        queue.synchronize()
        assert values(target) == all_equal(5)


def test_what_the_exchange_table_lends_without_an_owner_is_kept_for_its_stream() -> None:
    story = Story()
    source = story.device.full(ELEMENTS, 7, "int32", story.producer)
    story.producer.synchronize()
    api = Api.of(anystream.Array)
    with anystream.use_stream(story.consumer):
        api.borrow(source)
    target = story.read_late(source)
    del source
    assert story.outcome(target) == all_equal(7)


def test_the_numbers_of_an_array_stay_when_the_core_keeps_it(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    y = x.reshape(16, -1)
    array = anystream.from_dlpack(y, stream=sycl.queue())
    shape, strides = array.shape, array.strides
    array.release()
    del y, x
    others = [anystream.from_dlpack(bytearray(size)) for size in range(1, 200)]
    gc.collect()
    assert (array.shape, array.strides) == (shape, strides)
    del others


def test_neither_a_plan_nor_a_host_array_waits_for_room() -> None:
    story = Story()
    array = story.handed()
    target = story.read_late(array)
    arrays = [array, story.handed()]
    anystream.set_pending_limit(number=1)
    try:
        del array
        arrays.clear()
        assert anystream.pending_releases().number == 2
        anystream.explain(target, stream=story.consumer)
        anystream.from_dlpack(bytearray(4), strict=True)
        anystream.handoff(bytearray(4), to="numpy", copy=True)
    finally:
        anystream.set_pending_limit(1024, 256 * 2**20)
    assert story.outcome(target) == all_equal(7)


def test_what_waits_is_done_also_if_a_call_looked_at_it_meanwhile() -> None:
    """The thread must not fall asleep because a caller had the list for a moment."""
    from anystream._core import _releases_run

    for _ in range(20):
        story = Story()
        arrays = [story.handed(value) for value in range(50)]
        story.read_late(arrays[0])
        looking = threading.Event()

        def look(stop: threading.Event = looking) -> None:
            while not stop.is_set():
                _releases_run()

        thread = threading.Thread(target=look)
        thread.start()
        arrays.clear()
        looking.set()
        thread.join()
        story.consumer.release()
        until(lambda story=story: len(story.pool.free) == 50)


def until(condition: Any) -> None:
    import time

    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "nobody did it"
        time.sleep(0.001)


PRELUDE = """
import anystream
from way_back_rig import Story
story = Story()
array = story.handed(release="host")
target = story.read_late(array)
"""


def test_an_exit_does_not_wait_for_what_is_alive() -> None:
    silent_child(PRELUDE)


def test_the_runtimes_own_thread_does_not_wait_for_itself(sycl: Any) -> None:
    """dpnp drops its operands in a host task of the consumer's queue."""
    output = child(
        """
        import anystream
        anystream.testing.use_cpu_sycl()
        import dpctl, dpnp
        p, c = (dpctl.SyclQueue(property="in_order") for _ in "pc")
        x = dpnp.ones(1000, sycl_queue=p)
        y = anystream.handoff(x, to="dpnp", stream=c, release="host")
        z = y + 1
        del x, y
        print(float(z.sum()))
        """,
    )
    assert output == "2000.0\n"


def test_a_forked_child_does_not_write_the_trace(tmp_path: Any) -> None:
    import json

    path = tmp_path / "t.json"
    done = python(
        "-c",
        f"""
import os, sys, anystream
trace = anystream.trace({str(path)!r})
anystream.from_dlpack(bytearray(4))
if os.fork() == 0:
    anystream.from_dlpack(bytearray(4))
    sys.exit()
os.wait()
anystream.from_dlpack(bytearray(4))
""",
    )
    assert (done.returncode, done.stderr) == (0, "")
    starts = [event for event in json.loads(path.read_text()) if event["ph"] == "s"]
    assert len(starts) == 2
