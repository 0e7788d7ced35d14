# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Queues of two contexts, and memory of a context that is not its platform's default one."""

from typing import Any

import pytest

import anystream


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("way", ["wait_stream", "order", "from_dlpack", "__dlpack__"])
def test_two_contexts(sycl: Any, way: str, in_order: bool) -> None:
    producer = sycl.queue(in_order=in_order)
    consumer = sycl.queue(context=sycl.other_context())
    memory = sycl.zeros("dpctl", producer)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    array = anystream.from_dlpack(memory)
    work = sycl.write_slowly(producer, memory, 2)
    match way:
        case "wait_stream":
            anystream.Stream(consumer).wait_stream(producer)
        case "order":
            anystream.order(producer=producer._get_capsule(), consumer=consumer._get_capsule())
        case "from_dlpack":
            array = anystream.from_dlpack(memory, stream=consumer)
            assert array.stream == anystream.Stream(consumer)
        case "__dlpack__":
            array.__dlpack__(stream=consumer, max_version=(1, 0))
    assert sycl.pending(work)
    assert (sycl.read(consumer, memory) == 2).all()


@pytest.mark.parametrize("form", ["queue", "capsule"])
def test_memory_of_another_context(sycl: Any, form: str) -> None:
    context = sycl.other_context()
    producer, consumer = sycl.queue(context=context), sycl.queue(context=context)
    memory = sycl.zeros("dpctl", producer)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    stream = consumer if form == "queue" else consumer._get_capsule()
    for value in (2, 3):
        work = sycl.write_slowly(producer, memory, value)
        handed = anystream.handoff(memory, to="dpctl", stream=stream)
        assert sycl.pending(work)
        assert handed.sycl_queue == consumer
        assert handed.sycl_context == context
        assert (sycl.read(consumer, handed) == value).all()


def test_memory_of_another_context_cannot_go_by_dlpack(sycl: Any) -> None:
    memory = sycl.zeros("dpctl", sycl.queue(context=sycl.other_context()))
    array = anystream.from_dlpack(memory)
    with pytest.raises(BufferError, match="default context"):
        array.__dlpack__(stream=-1)
    with pytest.raises(BufferError, match="default context"):
        anystream.handoff(memory, to="dpnp")


def test_a_dpnp_array_of_another_context_is_a_stated_buffer_error(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue(context=sycl.other_context()))
    with pytest.raises(BufferError, match="another SYCL context") as caught:
        anystream.handoff(x, to="dpnp", stream=sycl.queue())
    assert type(caught.value.__cause__).__name__ == "DLPackCreationError"
    assert "to_device" in str(caught.value)
    with pytest.raises(BufferError):
        anystream.from_dlpack(x)
    fixed = x.to_device(sycl.queue())
    assert anystream.handoff(fixed, to="dpnp", stream=sycl.queue()).shape == x.shape
