# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back at the end of a process, in a forked child, in many threads, for many arrays."""

import os
import threading
from pathlib import Path

import pytest

import anystream
from process_rig import child, python, silent_child
from way_back_rig import POLICIES, Story

PRELUDE = """
import os, sys, threading
import anystream
from way_back_rig import ELEMENTS, Story, all_equal
from anystream.testing import values
story = Story()
array = story.handed()
target = story.read_late(array)
"""

USM = """
import gc, os, sys
import anystream
from anystream.testing import use_cpu_sycl
use_cpu_sycl()
import dpctl
import dpctl.memory
from anystream import _core

class Memory(dpctl.memory.MemoryUSMDevice):
    def __del__(self):
        print("freed", flush=True)

def queue():
    return dpctl.SyclQueue("cpu", property="in_order")

def from_dlpack(x, stream, policy):
    return anystream.from_dlpack(x, stream=stream, release=policy)

def pointed(x, stream, policy):
    array = _core._array_from_pointer(
        x._pointer, (1024,), None, (1, 8, 1), (14, 0),
        readonly=False, owner=x, stream=anystream.Stream(x.sycl_queue), plan=None,
    )
    return from_dlpack(array, stream, policy)

ways = {
    "from_dlpack": from_dlpack,
    "handoff": lambda x, s, policy: anystream.handoff(x, to="dpnp", stream=s, release=policy),
    "__dlpack__": lambda *given: from_dlpack(*given).__dlpack__(stream=given[1]),
    "_array_from_pointer": pointed,
}
"""


def test_at_exit_what_can_end_is_done() -> None:
    """The reader is let go by another exit function, and the memory is back before the end."""
    output = silent_child(
        PRELUDE,
        """
        import atexit
        class Told(list):
            def append(self, block):
                print("given back", flush=True)
        story.pool.free = Told()
        del array
        # Runs before anystream's own, which was registered first.
        atexit.register(story.consumer.release)
        """,
    )
    assert output == "given back\n"


@pytest.mark.parametrize("end", ["", "os._exit(0)", "sys.exit(0)", "raise SystemExit"])
def test_at_exit_what_cannot_end_is_left(end: str) -> None:
    silent_child(PRELUDE, "del array\nassert anystream.pending_releases().number == 1\n", end)


def test_an_exit_does_not_wait_for_long() -> None:
    import time

    begin = time.monotonic()
    silent_child(PRELUDE, "del array")
    assert time.monotonic() - begin < 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_leaves_what_is_pending_alone() -> None:
    output = child(
        PRELUDE,
        """
        free = story.pool.free
        del array
        assert anystream.pending_releases().number == 1
        child = os.fork()
        if child == 0:
            assert anystream.pending_releases() == (0, 0)
            anystream.synchronize()
            assert not free
            sys.stdout.flush()
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert not free
        assert story.outcome(target) == all_equal(7)
        anystream.synchronize()
        assert len(free) == 1
        print("right")
        """,
    )
    assert output == "right\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("policy", POLICIES)
def test_a_forked_child_that_drops_an_array_gives_nothing_back(policy: str) -> None:
    output = child(
        PRELUDE.replace("handed()", "handed(release=sys.argv[1])"),
        """
        child = os.fork()
        if child == 0:
            del array
            assert not story.pool.free
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert story.outcome(target) == all_equal(7)
        del array
        anystream.synchronize()
        assert len(story.pool.free) == 1
        print("right")
        """,
        arguments=(policy,),
    )
    assert output == "right\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.usefixtures("sycl")
@pytest.mark.parametrize("policy", ["ordered", "none"])
@pytest.mark.parametrize("how", ["from_dlpack", "handoff", "__dlpack__", "_array_from_pointer"])
def test_a_forked_child_frees_no_usm_memory(policy: str, how: str) -> None:
    """Its free would talk to the driver; dpctl's blocks until the queue is idle."""
    output = child(
        USM,
        """
        memory, reader = Memory(1024, queue=queue()), queue()
        array = ways[sys.argv[1]](memory, reader, sys.argv[2])
        del memory
        child = os.fork()
        if child == 0:
            del array
            gc.collect()
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        print("child", flush=True)
        del array
        anystream.synchronize()
        """,
        arguments=(how, policy),
    )
    assert output == "child\nfreed\n"


def test_an_error_in_the_middle_gives_everything_back() -> None:
    """What the host may not have without a copy."""
    from anystream import _core

    story = Story()
    story.producer.synchronize()

    with pytest.raises(BufferError):
        anystream.handoff(
            story.pool.array(7),
            to="numpy",
            stream=None,
            producer_stream=story.producer,
            copy=False,
        )
    anystream.synchronize()
    assert len(story.pool.free) == 1
    assert _core._releases_pending() == (0, 0)


def test_ten_threads_drop_what_they_like() -> None:
    story = Story()
    count = 50

    def work() -> None:
        for value in range(count):
            array = story.handed(value)
            story.consumer.fill(array, 3)
            del array

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    story.consumer.synchronize()
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)
    blocks = {block.data_ptr for block in story.pool.free}
    assert len(blocks) == len(story.pool.free)  # each came back once


BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "releases.py"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc here")
def test_slow_consumers_stay_under_the_bound_with_memory_flat() -> None:
    """50,000 arrays; `make bench` has 1,000,000."""
    done = python(str(BENCHMARK), "50000")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("   reached\n"), done.stdout
