# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Lifetimes at the end of the interpreter and across a fork, each in a process of its own."""

import os

import pytest

from process_rig import silent_child

PRELUDE = """
import os, sys, threading
import anystream
from anystream._core import _array_from_capsule, _array_from_pointer
from ctypes_tensors import Producer, Taken
def imported(producer):
    return _array_from_capsule(producer.capsule(), None, None)
def wrapped(owner, producer):
    return _array_from_pointer(producer.address, (2, 3), None, (2, 32, 1), (1, 0), readonly=False,
                               owner=owner, stream=None, plan=None)
class Owner:
    def __del__(self):
        print("owner gone", flush=True)
"""


def run(script: str) -> str:
    return silent_child(PRELUDE, script)


def test_what_lives_in_globals_at_exit() -> None:
    run("""
        producers = [Producer(versioned=v) for v in (True, False)]
        arrays = [imported(p) for p in producers]
        capsules = [a.__dlpack__() for a in arrays]
        taken = [Taken.of(a.__dlpack__(max_version=(1, 0))) for a in arrays]
        owned = wrapped(Owner(), Producer())
        export = owned.__dlpack__()
        class Cycle: pass
        cycle = Cycle()
        cycle.array = wrapped(cycle, Producer())
        sys.modules["kept"] = arrays[0]
    """)


def test_arrays_of_real_libraries_at_exit() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    run("""
        import numpy
        x = numpy.ones(3)
        array = anystream.from_dlpack(x)
        y = numpy.from_dlpack(array)
        z = anystream.from_dlpack(y)
        sys.modules["kept"] = numpy.from_dlpack(z)
    """)


def test_a_deleter_at_exit_while_python_runs() -> None:
    output = run("""
        import atexit
        taken = Taken.of(wrapped(Owner(), Producer()).__dlpack__())
        atexit.register(taken.delete)
        print("end", flush=True)
    """)
    assert output == "end\nowner gone\n"


def test_a_deleter_after_the_interpreter_is_gone() -> None:
    """Leaked on purpose: there is no Python left that could let go of the owner."""
    output = run("""
        taken = Taken.of(wrapped(Owner(), Producer()).__dlpack__())
        taken.delete_at_process_exit()
        print("end", flush=True)
    """)
    assert output == "end\nlate\n"


def test_a_producers_deleter_is_not_called_after_the_interpreter_is_gone() -> None:
    """It may be Python, as here, where it would crash."""
    output = run("""
        producer = Producer()
        Taken.of(imported(producer).__dlpack__()).delete_at_process_exit()
        print(producer.deleted, flush=True)
    """)
    assert output == "0\nlate\n"


def test_a_thread_that_drops_exports_while_the_interpreter_ends() -> None:
    output = run("""
        import time
        array = wrapped(Owner(), Producer())
        taken = [Taken.of(array.__dlpack__()) for _ in range(200_000)]
        del array
        def drop():
            for one in taken:
                one.delete()
        threading.Thread(target=drop, daemon=True).start()
        time.sleep(0.01)
        print("end", flush=True)
    """)
    assert output.startswith("end\n")


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

FORK = """
def child(do):
    pid = os.fork()
    if pid == 0:
        try:
            do()
            sys.stdout.flush()
            os._exit(0)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@needs_fork
def test_a_forked_child_frees_host_memory_only() -> None:
    output = run(
        FORK
        + """
host, device = Producer(), Producer(device=(2, 0))
arrays = [imported(host), imported(device)]
exports = [a.__dlpack__() for a in arrays]
def drop():
    arrays.clear()
    exports.clear()
    print("child", host.deleted, device.deleted, flush=True)
child(drop)
print("parent", host.deleted, device.deleted, flush=True)
drop()
"""
    )
    assert output == "child 1 0\nparent 0 0\nchild 1 1\n"


@needs_fork
def test_a_forked_child_keeps_the_owner_of_device_memory() -> None:
    output = run(
        FORK
        + """
def on_device(owner):
    return _array_from_pointer(16, (1,), None, (2, 32, 1), (2, 0), readonly=False, owner=owner,
                               stream=None, plan=None)
arrays = [on_device(Owner())]
exports = [arrays[0].__dlpack__()]
def drop():
    arrays.clear()
    exports.clear()
    print("dropped", flush=True)
child(drop)
child(lambda: child(drop))
drop()
"""
    )
    assert output == "dropped\ndropped\nowner gone\ndropped\n"


@needs_fork
def test_a_forked_child_makes_arrays_of_its_own() -> None:
    output = run(
        FORK
        + """
def work():
    device = Producer(device=(2, 0))
    array = imported(device)
    taken = Taken.of(array.__dlpack__())
    del array
    taken.delete()
    print("child", device.deleted, flush=True)
child(work)
child(lambda: child(work))
"""
    )
    assert output == "child 1\nchild 1\n"


@needs_fork
def test_the_parent_is_whole_after_a_child() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    output = run(
        FORK
        + """
import numpy
x = numpy.arange(1000.0)
array = anystream.from_dlpack(x)
def use():
    global array
    assert (numpy.from_dlpack(array) == x).all()
    del array
child(use)
assert (numpy.from_dlpack(array) == numpy.arange(1000.0)).all()
print("whole")
"""
    )
    assert output == "whole\n"
