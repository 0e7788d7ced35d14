# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every entry point of the CUDA driver that is called fails in turn: what is told, what is left."""

import pytest

from cuda_rig import run

# Where a failure is not told: in what puts things back, of which nothing depends, and in questions
# whose other answer would only have spared a call.
QUIET = ("cuEventDestroy", "cuThreadExchangeStreamCaptureMode", "cuCtxSetCurrent", "cuCtxGetId")

STORIES = """
    import sys
    from anystream import _core
    CODE, NAME = 719, "CUDA_ERROR_LAUNCH_FAILED"

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
    freed, told = [], []
    sys.unraisablehook = lambda args: told.append(args.exc_value)

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

    driver.release_on_wait()
    def quiet_end():
        gc.collect()
        driver.release_all()
        anystream.synchronize()
        driver.settle()

    def call(story):
        '''Run a story; the error that it raised.'''
        freed.clear()
        told.clear()
        try:
            story()
        except Exception as error:
            found = error.with_traceback(None)
        else:
            found = None
        quiet_end()
        return found
"""

# Each call of a good run fails by itself, while the others go well.
IN_TURN = """
    def lines_of(error, name):
        '''What is missing in what an error says.'''
        text = str(error)
        wanted = (name, NAME, str(CODE), "unspecified launch failure")
        missing = [word for word in wanted if word not in text]
        if not isinstance(error, anystream.DriverError):
            return [repr(error)]
        fields = error.code, error.code_name, error.api.partition("_")[0]
        if error not in told and fields != (CODE, NAME, name):
            missing.append((error.api, error.code, error.code_name))
        return missing

    def try_one(story, name, at, counts):
        before, current = driver.live(), lab.current()
        driver.fail(name, CODE, after=at, times=1)
        raised = call(story)
        failed = driver.failed
        driver.fail_clear()
        after = lab.current()
        told_then = list(told)
        errors = [raised, *told] if raised is not None else told_then
        problems = []
        if failed == 0:  # a question that is asked only where work goes on still
            return problems
        tried.add(name)
        if len(errors) > 1 or (not errors and name not in QUIET):
            problems.append(f"errors: {errors}")
        problems += [line for error in errors for line in lines_of(error, name)]
        if after != current:
            problems.append("another context is current")
        # Where a release fails, memory may be kept for good: it may be in use.
        if counts and len(freed) != 1 and not (told and not freed):
            problems.append(f"freed {len(freed)} times, raised {raised!r}, told {told}")
        again = call(story)
        if again is not None or told or (counts and len(freed) != 1):
            problems.append(f"the next: {again!r}, told {told}, freed {len(freed)}")
        now = driver.live()
        grown = {kind: now[kind] - before[kind] for kind in now if now[kind] > before[kind]}
        if grown and not (told_then and set(grown) <= {"allocations", "bytes"}):
            problems.append(f"left {grown}")
        return problems

    tried = set()
    def in_turn(story, counts=True):
        # So many events are in the pool that none is made below, whatever keeps some.
        kept = [anystream.Stream(producer, "cuda:0").record() for _ in range(60)]
        del kept
        for _ in range(3):
            assert call(story) is None and not told, told
        driver.clear()
        assert call(story) is None
        entries = set(driver.entries()) - {"cuMemsetD8Async"}  # the test's own
        names = [name for name in names_of(driver.calls()) if name in entries]
        for name in dict.fromkeys(names):
            for at in range(names.count(name)):
                for problem in try_one(story, name, at, counts):
                    print(story.__name__, name, at, problem)
        print(*sorted(tried - STATE))
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
