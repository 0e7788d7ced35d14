# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every entry point of the CUDA driver that is called fails in turn: what is told, what is left."""

import pytest

from cuda_rig import run
from failing_rig import IN_TURN

# Where a failure is not told: in what puts things back, of which nothing depends, and in questions
# whose other answer would only have spared a call.
QUIET = ("cuEventDestroy", "cuThreadExchangeStreamCaptureMode", "cuCtxSetCurrent", "cuCtxGetId")

STORIES = """
    from anystream import _core
    NAME, OWN = "CUDA_ERROR_LAUNCH_FAILED", {"cuMemsetD8Async"}
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
        event.query()
        event.synchronize()
        mine.query()
        mine.synchronize()
        other.wait_stream(mine)
"""

# Entry points that each story is known to call, so that one that calls none is found out.
CALLED = {
    "by_object": ("cuEventRecord", "cuStreamWaitEvent"),
    "by_number": ("cuCtxRecordEvent", "cuEventRecord", "cuStreamWaitEvent"),
    "by_none": ("cuEventRecord", "cuStreamWaitEvent"),
    "deferred": ("cuEventRecord", "cuStreamWaitEvent"),
    "on_the_host": ("cuStreamSynchronize", "cuEventRecord"),
    "copied": ("cuMemAllocAsync", "cuMemFreeAsync", "cuMemcpyAsync"),
    "pinned": ("cuMemAllocHost", "cuMemFreeHost", "cuMemcpyAsync"),
    "managed": ("cuMemAllocManaged", "cuMemFree", "cuMemcpyAsync"),
    "events": ("cuEventRecord", "cuStreamWaitEvent"),
}


@pytest.mark.parametrize("story", CALLED)
def test_each_call_that_fails_is_told_once_and_leaves_nothing(story: str) -> None:
    counts = story not in ("copied", "pinned", "managed", "events")
    out = run(
        STORIES, f"QUIET = {QUIET}\n", IN_TURN, f"in_turn({story}, counts={counts})\n", timeout=300
    )
    assert len(out) == 1, "\n".join(out)
    assert set(CALLED[story]) <= set(out[0].split())
