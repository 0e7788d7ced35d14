# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every entry point of the CUDA driver that is called fails in turn: what is told, what is left."""

import re
from pathlib import Path

import pytest

from cuda_rig import hide_from_clients, run
from failing_rig import IN_TURN

# Where a failure is not told: in what puts things back, of which nothing depends, and in questions
# whose other answer would only have spared a call. And without a driver that can be initialised
# there are no devices to list.
QUIET = (
    "cuEventDestroy",
    "cuThreadExchangeStreamCaptureMode",
    "cuCtxSetCurrent",
    "cuCtxGetId",
    "cuInit",
)

STORIES = """
    from anystream import _core
    NAME, OWN = "CUDA_ERROR_LAUNCH_FAILED", {
        "cuMemsetD8Async", "cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphDestroy"}
    current, some_stream = lab.current, lambda: anystream.Stream(producer, "cuda:0")

    class Token:
        def __del__(self):
            freed.append(1)

    class Counted:
        '''An array whose memory is given back once, which is counted.'''
        def __init__(self):
            self.token = Token()
        def __dlpack_device__(self):
            return 2, 0
        def __dlpack__(self, *, stream=None, max_version=None, **_):
            array = _core._array_from_pointer(
                int(memory.handle), (SIZE,), None, (1, 8, 1), (2, 0), readonly=False,
                owner=self.token, stream=None, plan=None, platform="")
            return _core.Carrier(array).__dlpack__(max_version=max_version)

    memory = lab.buffer(7)
    source = np.arange(16)
    freed = []

    def taken(**keywords):
        return anystream.from_dlpack(Counted(), producer_stream=producer, **keywords)

    def by_object():
        lent = taken(stream=consumer)
        del lent
    def by_number():
        lent = taken().__dlpack__(stream=handle_of(consumer))
        del lent
    def by_none():
        lent = taken().__dlpack__()
        del lent
    def deferred():
        lent = taken(stream=consumer, release="deferred")
        del lent
    def on_the_host():
        driver.hold(producer)
        memory.fill(7, stream=producer)
        taken(stream=consumer, ordering="host")
    def copied():
        there = anystream.from_dlpack(source, device="cuda:0", stream=producer)
        assert anystream.handoff(there, to="numpy", copy=True).tolist() == source.tolist()
    def unpooled():
        if not driver.count("cuMemAlloc"):
            driver.fail("cuMemAllocAsync", 801)  # once: a device has pools, or it has none
        copied()
    def pinned():
        there = anystream.from_dlpack(source, device="cuda_host:0", stream=producer)
        assert anystream.handoff(there, to="numpy").tolist() == source.tolist()
    def managed():
        there = anystream.from_dlpack(source, device="cuda_managed:0", stream=producer)
        assert anystream.handoff(there, to="numpy").tolist() == source.tolist()
    def events():
        mine, other = (anystream.Stream(s, "cuda:0") for s in (producer, consumer))
        event = mine.record()
        other.wait(event)
        driver.hold(producer)
        memory.fill(7, stream=producer)
        event = mine.record()
        event.query()
        event.synchronize()
        mine.query()
        mine.synchronize()
        other.wait_stream(mine)
    def asked():
        class Raw:
            __cuda_array_interface__ = {
                "shape": (8,), "typestr": "|u1", "data": (int(memory.handle), False),
                "version": 3, "stream": None}
        anystream.from_dlpack(Raw())
        anystream.devices()
    def captured():
        native = ctypes.c_void_p(handle_of(producer))
        assert driver.library.cuStreamBeginCapture_v2(native, 2) == 0
        try:
            memory.fill(7, stream=producer)
            lent = taken().__dlpack__(stream=handle_of(consumer))
            del lent
        finally:
            graph = ctypes.c_void_p()
            driver.library.cuStreamEndCapture(native, ctypes.byref(graph))
            if graph:
                driver.library.cuGraphDestroy(graph)
"""

# Entry points that each story is known to call, so that one that calls none is found out.
CALLED = {
    "by_object": ("cuEventRecord", "cuStreamWaitEvent"),
    "by_number": ("cuCtxRecordEvent", "cuEventRecord", "cuStreamWaitEvent"),
    "by_none": ("cuEventRecord", "cuStreamWaitEvent"),
    "deferred": ("cuEventRecord", "cuStreamWaitEvent"),
    "on_the_host": ("cuStreamSynchronize", "cuEventRecord"),
    "copied": ("cuMemAllocAsync", "cuMemFreeAsync", "cuMemcpyAsync"),
    "unpooled": ("cuMemAlloc", "cuMemFree", "cuMemcpyAsync"),
    "pinned": ("cuMemAllocHost", "cuMemFreeHost", "cuMemcpyAsync"),
    "managed": ("cuMemAllocManaged", "cuMemFree", "cuMemcpyAsync"),
    "events": ("cuEventRecord", "cuStreamWaitEvent", "cuEventSynchronize"),
    "asked": ("cuDeviceGetCount", "cuDeviceGetName", "cuPointerGetAttributes"),
    "captured": ("cuStreamUpdateCaptureDependencies", "cuGraphGetNodes", "cuStreamIsCapturing"),
}


COUNTED = ("by_object", "by_number", "by_none", "deferred", "on_the_host", "captured")


def check_in_turn(story: str) -> set[str]:
    """Run a story with each of its calls failing; give the calls."""
    counts = story in COUNTED
    out = run(
        STORIES, f"QUIET = {QUIET}\n", IN_TURN, f"in_turn({story}, counts={counts})\n", timeout=300
    )
    assert len(out) == 1, "\n".join(out)
    return set(out[0].split())


@pytest.mark.parametrize("story", CALLED)
def test_each_call_that_fails_is_told_once_and_leaves_nothing(story: str) -> None:
    assert set(CALLED[story]) <= check_in_turn(story)


def test_on_an_older_driver_a_wait_for_the_context_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_from_clients("cuCtxRecordEvent", tmp_path, monkeypatch)
    assert "cuCtxSynchronize" in check_in_turn("by_number")


def test_the_stories_call_every_entry_point() -> None:
    """All but the two by which errors are described, and that of older drivers."""
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
    text = (Path(__file__).parents[2] / "src" / "driver" / "cuda.hpp").read_text()
    listed = {re.sub(r"_v\d$", "", name) for name in re.findall(r'"(cu[A-Z]\w+)"', text)}
    assert len(listed) > 30
    missing = listed - set(out[0].split())
    assert missing == {"cuGetErrorName", "cuGetErrorString", "cuCtxSynchronize"}
