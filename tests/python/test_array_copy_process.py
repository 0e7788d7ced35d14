# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of host arrays as their process sees them: by threads, without the GIL, after a fork."""

import os
import sys
from typing import Any

import pytest

from process_rig import child, silent_child

np = pytest.importorskip("numpy", reason="numpy is not installed")

LINUX = sys.platform == "linux"
CORES = len(os.sched_getaffinity(0)) if LINUX else os.cpu_count() or 1

VIEWS = ["x", "x.T", "x[::-1]", "x[:, ::2]"]

# Whoever first writes to a page of new memory has the fault that brings it; pages may be large.
PAGE = 2 << 20
FAULTS = """
import resource
import anystream, numpy
def faults():
    whose = (resource.RUSAGE_THREAD, resource.RUSAGE_SELF)
    return numpy.array([resource.getrusage(who).ru_minflt for who in whose])
def during(x):
    anystream.from_dlpack(x[:1], copy=True)
    before = faults()
    copy = anystream.from_dlpack(x, copy=True)
    mine, everybodys = faults() - before
    return mine, everybodys - mine, copy.nbytes
"""


def faults_of(side: int, view: str) -> Any:
    """Copy a square of float32; the page faults of the caller and of others, and the bytes."""
    script = f"""
        x = numpy.ones(({side}, {side}), "float32")
        print(*during({view}))
    """
    return map(int, silent_child(FAULTS, script).split())


@pytest.mark.skipif(not LINUX, reason="only Linux counts the page faults of each thread")
@pytest.mark.skipif(CORES < 2, reason="there is one core")
@pytest.mark.parametrize("view", VIEWS)
def test_a_large_copy_is_shared_by_threads(view: str) -> None:
    mine, others, nbytes = faults_of(6000, view)
    if mine == others == 0:
        pytest.skip("this system counts no page faults")
    assert mine > 0
    assert others > nbytes / PAGE / 4


@pytest.mark.skipif(not LINUX, reason="only Linux counts the page faults of each thread")
def test_a_small_copy_is_made_where_it_is_asked_for() -> None:
    # A few are of threads that are starting, or the caller's own between the two counts.
    _, others, nbytes = faults_of(700, "x.T")
    assert others < nbytes / 4096 / 4


def test_other_threads_run_while_it_is_copied() -> None:
    """Nobody is made to give the GIL up here: another thread runs where it is let go of."""
    output = child("""
        import sys, threading, time
        import anystream, numpy
        sys.setswitchinterval(1000)
        x = numpy.ones((4096, 4096), "float32").T
        array = anystream.from_dlpack(x)
        count, done = 0, False
        def turn():
            global count
            while not done:
                count += 1
                time.sleep(1e-6)
        def turns_during(call):
            before = count
            call()
            return count - before
        other = threading.Thread(target=turn)
        other.start()
        print(turns_during(lambda: x.T.tolist()))
        print(turns_during(lambda: anystream.from_dlpack(x, copy=True)) > 10)
        print(turns_during(lambda: array.__dlpack__(copy=True)) > 10)
        print(turns_during(lambda: anystream.handoff(x, to="numpy", copy=True)) > 10)
        done = True
        other.join()
    """)
    assert output.split() == ["0", "True", "True", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_copies_with_threads_of_its_own() -> None:
    silent_child("""
        import os
        import anystream, numpy
        x = numpy.arange(9_000_000, dtype="float32").reshape(3000, 3000).T
        def copied():
            return (numpy.from_dlpack(anystream.from_dlpack(x, copy=True)) == x).all()
        assert copied()
        child = os.fork()
        if child == 0:
            os._exit(0 if copied() else 3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert copied()
    """)


@pytest.mark.skipif(not LINUX, reason="only Linux bounds the memory of a process so")
def test_where_no_thread_can_be_started_it_is_copied_without() -> None:
    silent_child("""
        import resource
        import anystream, numpy
        x = numpy.arange(9_000_000, dtype="float32").reshape(3000, 3000).T
        anystream.from_dlpack(x[:10], copy=True)
        with open("/proc/self/statm") as pages:
            taken = int(pages.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        # Room for the copy, but for no stack of a thread, which is 8 MiB, beside it.
        resource.setrlimit(resource.RLIMIT_AS, (taken + x.nbytes + (2 << 20), hard))
        copy = anystream.from_dlpack(x, copy=True)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        assert (numpy.from_dlpack(copy) == x).all()
    """)
