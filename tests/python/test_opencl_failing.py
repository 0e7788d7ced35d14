# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Work that failed, on a driver that tells of it (PoCL; Intel's goes on): an error, not silence.

PoCL 3.0 ends the process where a command fails that others are queued behind in order, or whose
event nobody holds: so the queues are out-of-order, and what shall fail is held.
"""

import gc
from typing import Any

import pytest

import anystream
import opencl_rig as rig

FAILED = -9999


def test_an_event_that_failed_is_told_to_whoever_asks_and_waits() -> None:
    queue = rig.queue("pocl", in_order=False)
    stream = anystream.Stream(queue)
    cause = rig.cl().UserEvent(queue.context)
    work = rig.cl().enqueue_marker(queue, wait_for=[cause])
    event = stream.record()
    cause.set_status(FAILED)

    def failed() -> bool:
        try:
            return not event.query() and False
        except anystream.DriverError:
            return True

    assert rig.comes_true(failed)
    reader = anystream.Stream(rig.queue("pocl"))
    for ask in (event.query, event.synchronize, lambda: reader.wait(event)):
        with pytest.raises(anystream.DriverError, match="has failed") as caught:
            ask()
        assert caught.value.api == "clGetEventInfo"
        assert caught.value.code < 0
        assert str(caught.value.code) in str(caught.value)
    assert work.command_execution_status < 0


def test_a_release_after_work_that_failed_is_told_and_keeps_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", told.append)
    queue, reader = rig.queue("pocl"), rig.queue("pocl", in_order=False)
    x = rig.filled(queue, 5)
    kept = rig.cl().Buffer.from_int_ptr(x.base_data.int_ptr)
    cause = rig.cl().UserEvent(reader.context)
    on = anystream.Stream(reader, out_of_order="barrier")
    given = anystream.handoff(x, to="pyopencl", stream=on, release="deferred")
    work = rig.cl().enqueue_marker(reader, wait_for=[cause])
    del x, given
    gc.collect()
    cause.set_status(FAILED)
    anystream.synchronize()
    assert rig.comes_true(lambda: bool(told))
    assert "has failed" in str(told[0].exc_value) + str(told[0].err_msg)
    assert rig.references(kept) > 1
    assert work.command_execution_status < 0


def test_what_fails_before_a_bridge_leaves_nobody_waiting() -> None:
    """The consumer's event of another context ends, too: here on Intel's driver, which goes on."""
    producer, consumer = rig.queue("intel"), rig.queue("intel", of=1)
    cause = rig.cl().UserEvent(producer.context)
    work = rig.cl().enqueue_marker(producer, wait_for=[cause])
    anystream.order(producer=producer, consumer=consumer)
    event = rig.cl().enqueue_marker(consumer)
    consumer.flush()
    assert not rig.is_done(event)
    cause.set_status(FAILED)
    assert rig.comes_true(lambda: event.command_execution_status <= 0)
    del work


@pytest.mark.parametrize("handle", [0, 1, 4096, 8192 + 1])
def test_what_is_no_queue_is_refused_where_that_can_be_told(handle: int) -> None:
    with pytest.raises(ValueError, match=r"cl_command_queue|handle"):
        anystream.Stream.from_handle("opencl:0", handle)
