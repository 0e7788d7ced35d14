# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every entry point of the HIP runtime that is called fails in turn: what is told, what is left."""

import re
from pathlib import Path

import pytest

from failing_rig import IN_TURN
from test_hip_way_back import run

# Where a failure is not told: in what puts things back, of which nothing depends.
# And without a runtime that can be initialised there are no devices to list.
QUIET = ("hipEventDestroy", "hipThreadExchangeStreamCaptureMode", "hipSetDevice", "hipInit")

STORIES = """
    import numpy as np
    NAME, OWN = "hipErrorLaunchFailure", {
        "hipMemsetAsync", "hipStreamBeginCapture", "hipStreamEndCapture", "hipGraphDestroy"}
    some_stream = lambda: anystream.Stream(producer, "rocm:0")
    def current():
        found = ctypes.c_int()
        ok(hip.hipGetDevice(ctypes.byref(found)))
        return found.value

    class Token:
        def __del__(self):
            freed.append(1)
    class Counted(Lent):
        '''An array whose memory is given back once, which is counted.'''
        def __init__(self):
            self.memory = Token()
            self.memory.pointer = memory.pointer
    memory = Memory(7, producer)
    source = np.arange(16)

    def taken(**keywords):
        return anystream.from_dlpack(Counted(), producer_stream=producer, **keywords)
    def by_object():
        lent = taken(stream=consumer)
        del lent
    def by_number():
        lent = taken().__dlpack__(stream=int(consumer))
        del lent
    def by_none():
        lent = taken().__dlpack__()
        del lent
    def deferred():
        lent = taken(stream=consumer, release="deferred")
        del lent
    def on_the_host():
        driver.hold(producer)
        memory.fill(7)
        taken(stream=consumer, ordering="host")
    def copied():
        there = anystream.from_dlpack(source, device="rocm:0", stream=producer)
        assert anystream.handoff(there, to="numpy", copy=True).tolist() == source.tolist()
    def unpooled():
        if not driver.count("hipMalloc"):
            driver.fail("hipMallocAsync", 801)  # once: a device has pools, or it has none
        copied()
    def pinned():
        there = anystream.from_dlpack(source, device="rocm_host:0", stream=producer)
        assert anystream.handoff(there, to="numpy").tolist() == source.tolist()
    def events():
        mine, other = (anystream.Stream(s, "rocm:0") for s in (producer, consumer))
        event = mine.record()
        other.wait(event)
        driver.hold(producer)
        memory.fill(7)
        event = mine.record()
        event.query()
        event.synchronize()
        mine.query()
        mine.synchronize()
        other.wait_stream(mine)
    def asked():
        class Raw:
            __cuda_array_interface__ = {
                "shape": (8,), "typestr": "|u1", "data": (memory.pointer, False), "version": 3,
                "stream": None}
        anystream.from_dlpack(Raw(), device="rocm:0")
        anystream.devices()
    def captured():
        ok(hip.hipStreamBeginCapture(ctypes.c_void_p(int(producer)), 2))
        try:
            memory.fill(7)
            lent = taken().__dlpack__(stream=int(consumer))
            del lent
        finally:
            graph = ctypes.c_void_p()
            hip.hipStreamEndCapture(ctypes.c_void_p(int(producer)), ctypes.byref(graph))
            if graph:
                hip.hipGraphDestroy(graph)
"""

# Entry points that each story is known to call, so that one that calls none is found out.
CALLED = {
    "by_object": ("hipEventRecord", "hipStreamWaitEvent"),
    "by_number": ("hipDeviceSynchronize", "hipEventRecord", "hipStreamWaitEvent"),
    "by_none": ("hipEventRecord", "hipStreamWaitEvent"),
    "deferred": ("hipEventRecord", "hipStreamWaitEvent"),
    "on_the_host": ("hipStreamSynchronize", "hipEventRecord"),
    "copied": ("hipMallocAsync", "hipFreeAsync", "hipMemcpyAsync"),
    "unpooled": ("hipMalloc", "hipFree", "hipMemcpyAsync"),
    "pinned": ("hipHostMalloc", "hipHostFree", "hipMemcpyAsync"),
    "events": ("hipEventRecord", "hipStreamWaitEvent", "hipEventSynchronize"),
    "asked": ("hipGetDeviceCount", "hipDeviceGetName", "hipInit", "hipPointerGetAttributes"),
    "captured": ("hipStreamUpdateCaptureDependencies", "hipGraphGetNodes", "hipStreamIsCapturing"),
}
COUNTED = ("by_object", "by_number", "by_none", "deferred", "on_the_host", "captured")


@pytest.mark.parametrize("story", CALLED)
def test_each_call_that_fails_is_told_once_and_leaves_nothing(story: str) -> None:
    out = run(
        STORIES, f"QUIET = {QUIET}\n", IN_TURN, f"in_turn({story}, counts={story in COUNTED})\n"
    )
    assert len(out) == 1, "\n".join(out)
    assert set(CALLED[story]) <= set(out[0].split())


def test_the_stories_call_every_entry_point() -> None:
    """All but the two by which errors are described."""
    out = run(
        STORIES,
        f"QUIET = {QUIET}\n",
        IN_TURN,
        f"""
        for story in ({", ".join(CALLED)}):
            assert call(story) is None and not told, told
        print(*names_of(driver.calls()))
        """,
    )
    text = (Path(__file__).parents[2] / "src" / "driver" / "hip.hpp").read_text()
    listed = set(re.findall(r'"(hip\w+)"', text))
    assert len(listed) > 25
    assert listed - set(out[0].split()) == {"hipDrvGetErrorName", "hipDrvGetErrorString"}
