# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Memory of OpenCL: a handle with an offset, whose it is, copies, and what the host can map."""

from typing import Any

import pytest

import anystream
import opencl_rig as rig

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.filterwarnings("ignore:Non-empty compiler output")
drivers = pytest.mark.parametrize("driver", ["pocl", "intel"])


def numbers(queue: Any, shape: tuple[int, ...] = (6, 8)) -> Any:
    count = int(np.prod(shape))
    return rig.arrays().to_device(queue, np.arange(count, dtype=np.int32).reshape(shape))


def on_host(x: Any, **keywords: Any) -> Any:
    return np.array(anystream.handoff(x, to="numpy", **keywords))


@drivers
def test_data_is_the_handle_and_the_offset_is_told(driver: str) -> None:
    x = numbers(rig.queue(driver))
    part = x[2:, 1::2]
    array = anystream.from_dlpack(part)
    assert array.data_ptr == x.base_data.int_ptr
    assert array.byte_offset == part.offset == (2 * 8 + 1) * 4
    assert (array.shape, array.strides) == ((4, 4), (8, 2))
    assert array.memory_kind == "device"
    assert array.device == anystream.Stream(x.queue).device
    expected = np.arange(48, dtype=np.int32).reshape(6, 8)[2:, 1::2]
    assert (on_host(part) == expected).all()
    back = anystream.handoff(array, to="pyopencl")
    assert (back.offset, back.strides) == (part.offset, part.strides)
    assert back.base_data.int_ptr == x.base_data.int_ptr
    assert back.queue == x.queue
    assert (back.map_to_host().shape, back.dtype) == ((4, 4), np.dtype("int32"))


@drivers
def test_copies_are_of_the_part(driver: str) -> None:
    queue = rig.queue(driver)
    part = numbers(queue)[1:4, 2:]
    expected = np.arange(48, dtype=np.int32).reshape(6, 8)[1:4, 2:]
    copy = anystream.from_dlpack(part, copy=True)
    assert copy.data_ptr != part.base_data.int_ptr
    assert (on_host(copy) == expected).all()
    assert (on_host(anystream.handoff(part, to="pyopencl", copy=True)) == expected).all()
    there = anystream.handoff(expected, to="pyopencl", stream=queue)
    assert there.queue == queue
    assert (there.get() == expected).all()
    with pytest.raises(BufferError, match="copy=False"):
        on_host(part, copy=False)
    with pytest.raises(BufferError, match="the host cannot read a kDLOpenCL array"):
        anystream.from_dlpack(part).__dlpack__(dl_device=(1, 0), copy=False)
    assert (np.from_dlpack(anystream.from_dlpack(part, device="cpu")) == expected).all()
    with pytest.raises(ValueError, match="Name one: stream="):
        anystream.handoff(expected, to="pyopencl")


@drivers
def test_buffers_are_bytes_and_name_no_queue(driver: str) -> None:
    queue = rig.queue(driver)
    x = numbers(queue)
    queue.finish()
    sub = x.base_data.get_sub_region(128, 64)
    for buffer, first in ((x.base_data, 0), (sub, 32)):
        array = anystream.from_dlpack(buffer)
        assert (array.shape, str(array.dtype), array.stream) == (
            (buffer.size,),
            "uint8",
            None,
        )
        assert array.device == anystream.Stream(queue).device
        assert array.data_ptr == buffer.int_ptr
        read = on_host(buffer, producer_stream=queue).view(np.int32)
        assert (read == np.arange(first, first + buffer.size // 4)).all()
    with pytest.raises(anystream.OrderingError, match="Pass producer_stream="):
        anystream.handoff(sub, to="pyopencl", stream=queue)
    given = anystream.handoff(sub, to="pyopencl", stream=queue, producer_stream=queue)
    assert given.base_data.int_ptr == sub.int_ptr
    pool = rig.cl().tools.MemoryPool(rig.cl().tools.ImmediateAllocator(queue))
    pooled = rig.arrays().zeros(queue, 16, np.float32, allocator=pool)
    assert (on_host(anystream.handoff(pooled, to="pyopencl")) == 0).all()


@drivers
@pytest.mark.parametrize("grain", ["coarse", "fine"])
@pytest.mark.filterwarnings("ignore:Array has different queue from backing SVM")
def test_svm_is_given_a_handle_and_becomes_a_host_array(driver: str, grain: str) -> None:
    cl, queue = rig.cl(), rig.queue(driver)
    flags = cl.svm_mem_flags.READ_WRITE
    if grain == "fine":
        flags |= cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER
    # Not of the queue: PoCL 3.0 corrupts its memory where it frees SVM in a queue's order.
    memory = cl.SVMAllocation(queue.context, rig.WIDTH * 4, 64, flags)
    x = rig.arrays().Array(queue, (rig.WIDTH,), np.int32, data=memory)
    x.fill(7)
    array = anystream.from_dlpack(x)
    assert array.memory_kind == "shared"
    given = anystream.handoff(x, to="pyopencl")
    given.fill(9)
    assert "view" in anystream.explain(x, to="numpy").copy.what
    seen = anystream.handoff(x, to="numpy", copy=False)
    assert (seen == 9).all()
    assert seen.ctypes.data == memory.svm_ptr
    del seen
    with pytest.raises(BufferError, match="says neither its context nor a queue"):
        anystream.from_dlpack(memory)
    x.finish()  # forgets its events, which name a queue
    with pytest.raises(BufferError, match=r"Pass x\.with_queue"):
        anystream.from_dlpack(x.with_queue(None))


@drivers
@pytest.mark.parametrize("flag", ["ALLOC_HOST_PTR", "USE_HOST_PTR"])
def test_memory_of_the_host_is_mapped(driver: str, flag: str) -> None:
    """The view waits for the queue; what the host writes there the device sees once it has gone."""
    cl, queue = rig.cl(), rig.queue(driver)
    flags, host = cl.mem_flags.READ_WRITE | getattr(cl.mem_flags, flag), np.zeros(64, np.int32)
    if flag == "USE_HOST_PTR":
        buffer = cl.Buffer(queue.context, flags, hostbuf=host)
    else:
        buffer = cl.Buffer(queue.context, flags, host.nbytes)
    x = rig.arrays().Array(queue, (64,), np.int32, data=buffer)
    x.fill(3)
    assert anystream.from_dlpack(x).memory_kind == "host"
    seen = anystream.handoff(x[8:], to="numpy", copy=False)
    assert (seen == 3).all()
    seen[0] = 5
    del seen
    assert (x.get()[:10] == [3] * 8 + [5, 3]).all()


@drivers
def test_another_context_is_refused_by_name(driver: str) -> None:
    x, other = numbers(rig.queue(driver)), rig.queue(driver, of=1)
    with pytest.raises(BufferError, match="of a context, and the queue that was named is of anoth"):
        anystream.handoff(x, to="pyopencl", stream=other)
    with pytest.raises(BufferError, match="Name a queue of its own context"):
        anystream.from_dlpack(x, copy=True, stream=other)


@drivers
def test_memory_lives_as_long_as_what_was_given(driver: str) -> None:
    queue, other = rig.queue(driver), rig.queue(driver)
    x = rig.filled(queue, 5)
    kept = rig.cl().Buffer.from_int_ptr(x.base_data.int_ptr)
    given = anystream.handoff(x, to="pyopencl", stream=other)
    part = given[4:]
    del x, given
    queue.finish()
    assert (part.get() == 5).all()
    assert rig.references(kept) > 1
    del part
    other.finish()
    anystream.synchronize()
    assert rig.comes_true(lambda: rig.references(kept) == 1)


@drivers
def test_memory_stays_until_the_readers_are_done(driver: str) -> None:
    """The last reference goes while the reader is held: the buffer is not given back before."""
    queue, reader = rig.queue(driver), rig.queue(driver)
    x = rig.filled(queue, 5)
    kept = rig.cl().Buffer.from_int_ptr(x.base_data.int_ptr)
    with rig.Gate(reader) as gate:
        given = anystream.handoff(x, to="pyopencl", stream=reader)
        del x, given
        assert anystream.pending_releases().number >= 1
        assert rig.references(kept) > 1
        after = rig.cl().enqueue_marker(queue)  # the producer's queue waits for the reader
        queue.flush()
        assert not rig.is_done(after)
        gate.open()
    anystream.synchronize()
    assert rig.comes_true(lambda: rig.references(kept) == 1 and rig.is_done(after))


@drivers
def test_layouts_and_elements_that_have_no_name_are_refused(driver: str) -> None:
    queue = rig.queue(driver)
    array = rig.arrays()
    pairs = array.zeros(queue, 4, np.dtype([("a", "i4"), ("b", "i4")]))
    with pytest.raises(BufferError, match="structured or untyped elements"):
        anystream.from_dlpack(pairs)
    empty = array.zeros(queue, (0, 3), np.float32)
    assert anystream.from_dlpack(empty).shape == (0, 3)
    assert anystream.handoff(empty, to="pyopencl").shape == (0, 3)
    big = array.to_device(queue, np.arange(4, dtype=">i4"))
    with pytest.raises(BufferError, match="other byte order"):
        anystream.from_dlpack(big)


def test_it_has_no_current_stream() -> None:
    rig.cl()
    with pytest.raises(ValueError, match="pyopencl has no current stream on opencl:0"):
        anystream.current_stream("pyopencl", "opencl:0")


@drivers
def test_strict_takes_what_is_proved(driver: str) -> None:
    queue, other = rig.queue(driver), rig.queue(driver)
    x = numbers(queue)
    assert anystream.handoff(x, to="pyopencl", stream=other, strict=True).queue == other
    with pytest.raises(anystream.OrderingError):
        on_host(x, strict=True)
    with pytest.raises(anystream.OrderingError):
        anystream.from_dlpack(x.base_data, strict=True)
