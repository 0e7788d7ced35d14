# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Metal's command queues from Python, on the software Metal: order, host views, copies, references.

No Mac can be had here. Queues are held and let go by the tests.
"""

import pytest

from metal_rig import child_on_metal

ORDERED = """
    first, second = Queue(), Queue(DEVICE)
    x, read = Buffer(16), Buffer(16)
    with held(first):
        first.fill(x, 7)
        a = x.array(first)
        HAND_OVER
        second.copy(read, x)
        second.settle()
        assert bytes(read.bytes) == bytes(16), "the consumer waits"
    first.settle(), second.settle()
    assert bytes(read.bytes) == bytes([7] * 16)
"""
WAYS = {
    "__dlpack__, an object": "a.__dlpack__(stream=second)",
    "__dlpack__, a Stream": "a.__dlpack__(stream=anystream.Stream(second, device=second.device))",
    "__dlpack__, a capsule": "a.__dlpack__(stream=capsule(second))",
    "from_dlpack": "assert anystream.from_dlpack(a, stream=second).stream.handle == second.address",
    "order": "anystream.order(producer=a.stream, consumer=anystream.Stream(second, second.device))",
    "record, wait": "anystream.Stream(second, second.device).wait(a.stream.record())",
}
CAPSULE = """
def capsule(queue):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return make(queue.address, b"MTLCommandQueue", None)
"""


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_consumers_queue_waits_on_the_device(way: str, device: int) -> None:
    script = ORDERED.replace("DEVICE", str(device)).replace("HAND_OVER", way)
    child_on_metal("import ctypes\n", CAPSULE, script)


def test_one_queue_needs_nothing() -> None:
    child_on_metal("""
        queue = Queue()
        a = Buffer(16).array(queue)
        taken()
        a.__dlpack__(stream=queue)
        assert taken() == []
        assert a.stream.in_order
    """)


def test_queues_are_retained_by_their_streams_and_let_go() -> None:
    child_on_metal("""
        queue = Queue()
        before = queue.references
        streams = [anystream.Stream(queue, device="metal:0") for _ in range(5)]
        assert queue.references == before + 5
        del streams
        assert queue.references == before
    """)


def test_a_stream_is_on_the_device_of_its_queue() -> None:
    child_on_metal("""
        assert str(anystream.Stream(Queue(1), device="metal:1").device) == "metal:1"
        a = Buffer(16).array()
        a.__dlpack__(stream=anystream.Stream(Queue(1)))  # it is told by the array, then by itself
        try:
            anystream.Stream(Queue(1), device="metal:0")
        except ValueError as error:
            assert "the stream is on metal:1; got device metal:0" in str(error), error
        else:
            raise AssertionError("the queue is on another device")
        found = [str(device) for device in anystream.devices()]
        assert [name for name in found if "metal" in name] == ["metal:0", "metal:1"], found
    """)


def test_shared_memory_is_the_hosts_array_after_the_wait() -> None:
    child_on_metal("""
        import numpy as np
        queue, x = Queue(), Buffer(16)
        a = x.array(queue)
        assert a.memory_kind == "shared"
        plan = anystream.explain(a, to="numpy")
        assert plan.ordering.what == "host wait if work is pending", plan
        assert plan.copy.what == "view", plan
        with held(queue):
            queue.fill(x, 9)
            assert not a.stream.query()
        y = anystream.handoff(a, to="numpy")
        assert (y == 9).all() and y.size == 16
        queue.fill(x, 5)
        queue.settle()
        assert (y == 5).all(), "it is the buffer's own memory"
        assert a.data_ptr == x.address
    """)


@pytest.mark.parametrize("storage", [0, 2])
def test_to_the_host_and_back(storage: int) -> None:
    child_on_metal(f"""
        import numpy as np
        queue, x = Queue(), Buffer(16, {storage})
        queue.fill(x, 3)
        a = x.array(queue)
        back = a.to_device("cpu")
        assert (np.from_dlpack(back) == 3).all()
        there = anystream.from_dlpack(np.arange(10, dtype="f4")).to_device("metal:0", stream=queue)
        assert str(there.device) == "metal:0"
        assert (np.from_dlpack(there.to_device("cpu")) == np.arange(10)).all()
        assert (anystream.handoff(there, to="numpy", copy=True) == np.arange(10)).all()
    """)


def test_private_memory_is_copied() -> None:
    child_on_metal("""
        import numpy as np
        queue, x = Queue(), Buffer(16, 2)
        queue.fill(x, 4)
        a = x.array(queue)
        assert a.memory_kind == "device"
        assert anystream.explain(a, to="numpy").copy.what == "copy to the host"
        assert (anystream.handoff(a, to="numpy") == 4).all()
        try:
            anystream.handoff(a, to="numpy", copy=False)
        except BufferError as error:
            assert "copy=False" in str(error)
        else:
            raise AssertionError("it was copied")
    """)


def test_a_copy_where_nobody_names_a_queue_is_on_one_of_our_own() -> None:
    child_on_metal("""
        import numpy as np
        x = Buffer(16, 2)
        taken()
        assert (anystream.from_dlpack(x.array(), device="cpu").size) == 16
        calls = taken()
        assert "newCommandQueue" in calls[0], calls
        there = anystream.from_dlpack(np.ones(4, "f4"), device="metal:1")
        assert str(there.device) == "metal:1"
        assert (anystream.handoff(there, to="numpy") == 1).all()
    """)


def test_memory_goes_back_after_the_consumers_work() -> None:
    child_on_metal("""
        import gc
        first, second, x = Queue(), Queue(), Buffer(16)
        a = anystream.from_dlpack(x.array(first), stream=second)
        read = Buffer(16)
        with held(second):
            second.copy(read, x)
            del a
            gc.collect()
            first.fill(x, 1)  # the producer's next write comes after the consumer's read
            first.settle()
            assert bytes(x.bytes) == bytes(16)
        second.settle(), first.settle()
        assert bytes(x.bytes) == bytes([1] * 16) and bytes(read.bytes) == bytes(16)
    """)


def test_an_object_that_is_no_queue_is_refused() -> None:
    child_on_metal("""
        class Wrong(Queue):
            def __c_void_p__(self):
                return ctypes.c_void_p(Buffer(4).address)
        import ctypes
        try:
            anystream.Stream(Wrong(), device="metal:0")
        except ValueError as error:
            assert "got an object of class buffer" in str(error), error
        else:
            raise AssertionError("it was taken")
    """)


def test_a_child_of_a_process_that_used_metal_has_none() -> None:
    child_on_metal("""
        import os
        queue = Queue()
        stream = anystream.Stream(queue, device="metal:0")
        stream.record()
        pid = os.fork()
        if pid == 0:
            try:
                stream.record()
            except anystream.DriverUnavailable as error:
                os._exit(0 if "forked child" in str(error) else 2)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        stream.record()
    """)
