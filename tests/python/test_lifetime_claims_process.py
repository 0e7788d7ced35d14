# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every way in, at the end of the interpreter and across a fork, each in a process of its own."""

import os
from importlib.util import find_spec

import pytest

from process_rig import silent_child

# How memory comes in: `made()` gives an array, and `released()` tells how many were let go of.
WAYS = {
    "object": """
        from hostile import Giver
        producers = []
        def made():
            producers.append(Producer())
            return anystream.from_dlpack(Giver(producers[-1]))
        def released():
            return sum(producer.deleted for producer in producers)
    """,
    "table": """
        from hostile_tables import in_capsule, offering
        givers = []
        def made():
            givers.append(offering(in_capsule()))
            return anystream.from_dlpack(givers[-1])
        def released():
            return sum(giver.producer.deleted for giver in givers)
    """,
    "interface": """
        import weakref
        from interface_rig import HOST, Described
        references = []
        def made():
            x = Described(HOST)
            references.append(weakref.ref(x))
            return anystream.from_dlpack(x)
        def released():
            return sum(reference() is None for reference in references)
    """,
    "buffer": """
        import hostile_buffers
        kinds = []
        def made():
            x = hostile_buffers.exporter()
            kinds.append(type(x))
            return anystream.from_dlpack(x)
        def released():
            return sum(kind.released for kind in kinds)
    """,
    "numpy": """
        import numpy, weakref
        references = []
        def made():
            x = numpy.ones((2, 3), "float32")
            references.append(weakref.ref(x))
            return anystream.from_dlpack(x)
        def released():
            return sum(reference() is None for reference in references)
    """,
    "torch": """
        import torch, weakref
        references = []
        def made():
            x = torch.ones((2, 3))
            references.append(weakref.ref(x.untyped_storage()))
            return anystream.from_dlpack(x)
        def released():
            return -1  # torch makes Python objects of its storages anew
    """,
}
PRELUDE = """
import atexit, gc, os, sys, threading
import anystream
from ctypes_tensors import Producer, Taken
"""


def run(way: str, script: str) -> str:
    if way in ("numpy", "torch") and find_spec(way) is None:
        pytest.skip(f"{way} is not installed")
    return silent_child(PRELUDE, WAYS[way], script)


EVERY = pytest.mark.parametrize("way", WAYS)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@EVERY
def test_what_lives_to_the_end(way: str) -> None:
    output = run(
        way,
        """
        arrays = [made() for _ in range(3)]
        capsules = [array.__dlpack__(max_version=(1, 3)) for array in arrays]
        class Cycle: pass
        cycle = Cycle()
        cycle.me, cycle.array = cycle, made()
        sys.modules["kept"] = made()
        atexit.register(print, "end", flush=True)
        """,
    )
    assert output == "end\n"


@EVERY
def test_deleted_after_the_interpreter(way: str) -> None:
    """Leaked on purpose: nothing of Python may be touched any more."""
    output = run(
        way,
        """
        for _ in range(3):
            Taken.of(made().__dlpack__()).delete_at_process_exit()
        print("end", flush=True)
        """,
    )
    assert output.splitlines() == ["end", "late", "late", "late"]


@EVERY
def test_deleted_while_the_interpreter_ends(way: str) -> None:
    run(
        way,
        """
        taken = [Taken.of(made().__dlpack__()) for _ in range(300)]
        def drop():
            for one in taken:
                one.delete()
        threading.Thread(target=drop, daemon=True).start()
        atexit.register(lambda: None)
        """,
    )


@needs_fork
@EVERY
def test_a_forked_child_leaves_the_parents_count_alone(way: str) -> None:
    """The child has memory of its own, and the parent still has what it had."""
    output = run(
        way,
        """
        arrays = [made() for _ in range(3)]
        taken = [Taken.of(array.__dlpack__()) for array in arrays]
        def drop():
            arrays.clear()
            for one in taken:
                one.delete()
            taken.clear()
            gc.collect()
        pid = os.fork()
        if pid == 0:
            drop()
            print("child", released(), flush=True)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        print("parent", released() if released() == -1 else released() + 3, flush=True)
        drop()
        print("parent", released(), flush=True)
        """,
    )
    count = "-1" if way == "torch" else "3"
    assert output == f"child {count}\nparent {count}\nparent {count}\n"


@needs_fork
def test_a_forked_child_that_ends_with_its_interpreter() -> None:
    output = run(
        "object",
        """
        array = made()
        taken = Taken.of(array.__dlpack__())
        pid = os.fork()
        if pid == 0:
            sys.exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert released() == 0
        del array
        taken.delete()
        print("parent", released(), flush=True)
        """,
    )
    assert output == "parent 1\n"
