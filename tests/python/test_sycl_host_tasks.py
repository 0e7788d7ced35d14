# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Order where host tasks are pending: dpctl and dpnp put one behind each operation.

The runtime keeps a barrier back until they have run, and a copy on an out-of-order queue overtakes
a barrier that was kept back. There the host waits (now and then the barrier is in time, and it need
not); an in-order queue holds everything back.
"""

import subprocess
import sys
from typing import Any

import pytest

import anystream


def write_with_host_task(sycl: Any, queue: Any, memory: Any, value: int) -> Any:
    work = sycl.write_slowly(queue, memory, value)
    queue._submit_keep_args_alive((memory,), [work])
    return work


def stream(queue: Any) -> anystream.Stream:
    return anystream.Stream(queue, out_of_order="barrier")


@pytest.fixture(autouse=True)
def _needs_host_tasks(sycl: Any) -> None:
    if not hasattr(sycl.queue(), "_submit_keep_args_alive"):
        pytest.skip("this dpctl has no _submit_keep_args_alive")


@pytest.mark.parametrize("consumer_in_order", [True, False])
@pytest.mark.parametrize("producer_in_order", [True, False])
def test_another_queue(sycl: Any, producer_in_order: bool, consumer_in_order: bool) -> None:
    producer = sycl.queue(in_order=producer_in_order)
    consumer = sycl.queue(in_order=consumer_in_order)
    memory = sycl.zeros("dpctl", producer)
    write_with_host_task(sycl, producer, memory, 1)
    assert (sycl.read(consumer, memory) != 1).any()
    producer.wait()
    for value in (2, 3):
        work = write_with_host_task(sycl, producer, memory, value)
        anystream.order(producer=stream(producer), consumer=stream(consumer))
        if consumer_in_order:
            assert sycl.pending(work)
        assert (sycl.read(consumer, memory) == value).all()


@pytest.mark.parametrize("same", [True, False])
def test_strict_refuses_without_a_wait(sycl: Any, same: bool) -> None:
    producer = sycl.queue(in_order=False)
    consumer = producer if same else sycl.queue(in_order=False)
    x = sycl.zeros("dpnp", producer)
    work = write_with_host_task(sycl, producer, sycl.memory_of(x), 1)
    with pytest.raises(anystream.OrderingError, match="Name an in-order queue"):
        anystream.handoff(x, to="dpnp", stream=stream(consumer), strict=True)
    assert sycl.pending(work)
    in_order = sycl.queue()
    y = anystream.handoff(x, to="dpnp", stream=in_order, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(in_order, sycl.memory_of(y)) == 1).all()


def test_one_and_the_same_out_of_order_queue(sycl: Any) -> None:
    queue = sycl.queue(in_order=False)
    memory = sycl.zeros("dpctl", queue)
    for value in (1, 2, 3):
        write_with_host_task(sycl, queue, memory, value)
        anystream.order(producer=stream(queue), consumer=stream(queue))
        assert (sycl.read(queue, memory) == value).all()


def test_a_copy_that_is_dropped_while_work_is_pending_keeps_its_memory(sycl: Any) -> None:
    """Freed at once, its memory was written to later: the process fell over (in a child, here)."""
    code = """
import anystream
from anystream import testing
testing.use_cpu_sycl()
import dpctl, dpnp
queue = dpctl.SyclQueue(property="in_order")
for _ in range(300):
    x = dpnp.arange(24, dtype="int64", sycl_queue=queue).astype("float32").reshape(2, 3, 4)
    assert anystream.from_dlpack(x, copy=True).data_ptr
queue.wait()
print("still here")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "still here\n", done.stderr
