# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The first import ever by many threads at once, and forks with imports alive.

Reports: numpy#28881, #28889 (threads); mlx#4497 (a wait with the GIL); pytorch#36594, Paddle#78171
(forks). Each in a process of its own.
"""

import os
from typing import Any

import pytest

from peer_rig import LIBRARIES
from process_rig import WITH_PEERS, child

pytest.importorskip("numpy", reason="numpy is not installed")

HOST_PEERS = [name for name, library in LIBRARIES.items() if library.host]

PRELUDE = """
import gc, os, sys, threading, traceback
library = LIBRARIES[sys.argv[1]]
values = np.arange(64, dtype="float32")

def together(count, work):
    start, wrong = threading.Barrier(count), []
    def run(index):
        try:
            start.wait()
            work(index)
        except BaseException:
            wrong.append(traceback.format_exc(limit=-6))
    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, "\\n".join([f"{len(wrong)} failed", *wrong[:2]])
"""


def run(name: str, script: str) -> str:
    return child(WITH_PEERS, PRELUDE, script, arguments=(name,))


@pytest.fixture(params=[name for name in LIBRARIES if name != "dpctl"])
def name(request: Any) -> str:
    library = LIBRARIES[request.param].require()
    if not library.host:
        request.getfixturevalue("sycl")
    return str(request.param)


FIRST_IMPORT = """
arrays = [library.make(values + index) for index in range(32)]
sys.setswitchinterval(1e-6)
seen = [None] * 32
def first(index):
    array = anystream.from_dlpack(arrays[index])
    seen[index] = (array, str(array.dtype), array.plan)
together(32, first)
for index, (array, dtype, plan) in enumerate(seen):
    assert dtype == "float32" and plan is seen[0][2]
    assert anystream.handoff(array, to="numpy").tolist() == (values + index).tolist()
print("first import", len(seen))
"""

ONE_ARRAY = """
x = library.make(values)
anystream.from_dlpack(x)
gc.collect()
before = sys.getrefcount(x)
def in_and_out(index):
    for _ in range(100):
        array = anystream.from_dlpack(x)
        again = anystream.from_dlpack(array)
        del array
        assert again.shape == (64,)
together(16, in_and_out)
gc.collect()
assert sys.getrefcount(x) == before, (sys.getrefcount(x), before)
assert library.read(x).tolist() == values.tolist()
print("one array")
"""

FIRST_HANDOFF = """
sys.setswitchinterval(1e-6)
seen = [None] * 32
def first(index):
    seen[index] = anystream.handoff(values + index, to=sys.argv[1])
together(32, first)
for index, array in enumerate(seen):
    assert library.read(array).tolist() == (values + index).tolist()
print("first hand-off", len(seen))
"""


def test_many_threads_import_at_once(name: str) -> None:
    """numpy#28881: what is made at first use is made once, whole, before anyone sees it."""
    assert run(name, FIRST_IMPORT + ONE_ARRAY) == "first import 32\none array\n"


def test_one_capsule_is_won_by_one_of_32_threads() -> None:
    output = run(
        "numpy",
        """
        sys.setswitchinterval(1e-6)
        for _ in range(20):
            x = values.copy()
            before = sys.getrefcount(x)
            capsule = x.__dlpack__(max_version=(1, 0))
            won, lost = [], []
            def work(index):
                try:
                    won.append(anystream.from_dlpack(capsule))
                except ValueError as error:
                    lost.append(str(error))
            together(32, work)
            assert (len(won), len(lost)) == (1, 31)
            assert all("can be taken once" in text for text in lost), lost
            del capsule
            won.clear()
            assert sys.getrefcount(x) == before
        print("won")
        """,
    )
    assert output == "won\n"


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

FORK = """
def forked(work):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            sys.stdout.flush()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

"""


FORK_FIRST = """
x = library.make(values)
def work():
    array = anystream.from_dlpack(x)
    assert np.from_dlpack(array).tolist() == values.tolist()
forked(work)
work()
print("child and parent", flush=True)
"""

FORK_ALIVE = """
gc.collect()
before = sys.getrefcount(x)
arrays = [anystream.from_dlpack(x) for _ in range(4)]
exports = [array.__dlpack__(max_version=(1, 0)) for array in arrays]
given = [anystream.handoff(array, to="numpy") for array in arrays]
held = sys.getrefcount(x)
def use_and_drop():
    assert given[0].tolist() == values.tolist()
    arrays.clear(), exports.clear(), given.clear()
    gc.collect()
    assert sys.getrefcount(x) == before
    again = anystream.from_dlpack(x)
    assert np.from_dlpack(again).tolist() == values.tolist()
forked(use_and_drop)
forked(lambda: forked(use_and_drop))
assert sys.getrefcount(x) == held
assert given[0].tolist() == library.read(x).tolist() == values.tolist()
arrays.clear(), exports.clear(), given.clear()
gc.collect()
assert sys.getrefcount(x) == before
print("parent whole", flush=True)
"""


@needs_fork
@pytest.mark.parametrize("name", HOST_PEERS)
def test_forks_and_the_first_hand_off_by_many_threads(name: str) -> None:
    """A child may import first of all, use what its parent imported, and drop it.

    The parent's data and counts stay as they were, and its threads make what a first hand-off
    makes.
    """
    LIBRARIES[name].require()
    output = run(name, FORK + FORK_FIRST + FORK_ALIVE + FIRST_HANDOFF)
    assert output == "child and parent\nparent whole\nfirst hand-off 32\n"


def test_the_first_hand_off_to_sycl_by_many_threads(sycl: Any) -> None:
    """Apart: the SYCL runtime has threads of its own, and does not outlive a fork."""
    assert run("dpnp", FIRST_HANDOFF) == "first hand-off 32\n"


def test_a_wait_lets_other_threads_run(sycl: Any) -> None:
    """mlx#4497: pending work that needs the GIL to end must be able to take it."""
    output = run(
        "dpnp",
        """
        import dpnp, sycl_rig, time
        sys.setswitchinterval(1000)  # nobody is made to give the GIL up: it must be let go of
        queue = sycl_rig.queue()
        x = sycl_rig.zeros("dpnp", queue)
        ran, done = 0, False
        def turn():
            global ran
            while not done:
                ran += 1
                time.sleep(1e-6)
        other = threading.Thread(target=turn)
        other.start()
        work = sycl_rig.write_slowly(queue, sycl_rig.memory_of(x), 7)
        before = ran
        host = anystream.from_dlpack(x, device="cpu", copy=True)
        during = ran - before
        done = True
        other.join()
        assert not sycl_rig.pending(work)
        assert set(np.from_dlpack(host).tolist()) == {7}
        print(during > 10)
        """,
    )
    assert output == "True\n"
