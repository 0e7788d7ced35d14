# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""torch.xpu names queues by int, dpctl by object: carried either way, on real queues.

No XPU can be had here: stand-in classes go by torch's names, and their ints are the addresses of
real queues.
"""

import sys
from typing import Any

import pytest

import anystream
from stand_ins import TorchTensor, XpuStream, torch_module


@pytest.fixture
def xpu(sycl: Any, monkeypatch: pytest.MonkeyPatch) -> XpuStream:
    """torch's current stream of XPU 0, which is a real in-order queue."""
    stream = XpuStream(sycl.queue())
    monkeypatch.setitem(sys.modules, "torch", torch_module(xpu=stream))
    return stream


def tensor(sycl: Any, queue: Any) -> tuple[TorchTensor, Any]:
    memory = sycl.zeros("dpnp", queue)
    return TorchTensor((14, 0), anystream.from_dlpack(memory)), memory


def test_from_torch_to_dpnp(sycl: Any, xpu: XpuStream) -> None:
    consumer = sycl.queue()
    x, memory = tensor(sycl, xpu._queue)
    sycl.write_slowly(xpu._queue, sycl.memory_of(memory), 1)
    assert (sycl.read(consumer, sycl.memory_of(memory)) != 1).any()
    xpu._queue.wait()
    work = sycl.write_slowly(xpu._queue, sycl.memory_of(memory), 2)
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert sycl.pending(work)
    assert y.sycl_queue == consumer
    assert (sycl.read(consumer, sycl.memory_of(y)) == 2).all()
    assert type(x.asked["stream"]) is int  # torch refuses all else, and looks at none


def test_from_dpnp_to_torch(sycl: Any, xpu: XpuStream) -> None:
    producer = sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 3)
    carrier = anystream.handoff(x, to="torch")  # what torch.from_dlpack is given
    assert sycl.pending(work)
    assert carrier.__dlpack_device__() == (14, 0)
    assert (sycl.read(xpu._queue, sycl.memory_of(x)) == 3).all()
    plan = anystream.explain(x, to="torch")
    assert plan.stream.what == "its current stream on this thread"
    assert plan.ordering.what == "record, wait"


def test_a_stream_object_of_torch_names_a_queue_to_dpnp(sycl: Any, xpu: XpuStream) -> None:
    producer, named = sycl.queue(), XpuStream(sycl.queue())
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 4)
    y = anystream.handoff(x, to="dpnp", stream=named)
    assert sycl.pending(work)
    assert y.sycl_queue == named._queue
    assert (sycl.read(named._queue, sycl.memory_of(y)) == 4).all()


def test_the_int_of_the_current_stream_is_taken(sycl: Any, xpu: XpuStream) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    assert anystream.handoff(x, to="dpnp", stream=xpu.sycl_queue).sycl_queue == xpu._queue
    anystream.from_dlpack(x).__dlpack__(stream=xpu.sycl_queue)


def test_the_int_of_a_stream_that_was_seen_is_taken(sycl: Any, xpu: XpuStream) -> None:
    x, other = sycl.zeros("dpnp", sycl.queue()), XpuStream(sycl.queue())
    with pytest.raises(TypeError, match="Integers are CUDA and ROCm stream handles"):
        anystream.from_dlpack(x, stream=other.sycl_queue)
    anystream.from_dlpack(x, stream=other)
    array = anystream.from_dlpack(x, stream=other.sycl_queue)
    assert array.stream == anystream.Stream(other._queue)


def test_any_other_int_is_refused(sycl: Any, xpu: XpuStream) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    with pytest.raises(TypeError, match="got int"):
        anystream.handoff(x, to="dpnp", stream=xpu.sycl_queue + 8)


def test_torch_without_an_xpu_does_not_take_sycl_memory(
    sycl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_module())
    producer = sycl.queue()
    x = sycl.zeros("dpnp", producer)
    sycl.write_slowly(producer, sycl.memory_of(x), 5)
    carrier = anystream.handoff(x, to="torch")
    assert carrier.__dlpack_device__() == (1, 0)
    assert (anystream.handoff(anystream.from_dlpack(carrier), to="numpy") == 5).all()


def test_current_stream_of_torch(sycl: Any, xpu: XpuStream) -> None:
    assert anystream.current_stream("torch", "oneapi:0") == anystream.Stream(xpu._queue)
