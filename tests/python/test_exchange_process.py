# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The C exchange API and ``use_stream`` at the end of a process, and in a forked one."""

import os

import pytest

from process_rig import silent_child

PRELUDE = """
import ctypes, os, sys, threading
import anystream
from anystream.testing import SimulatedDevice
from ctypes_tensors import Producer
from exchange_rig import Api, prototype
from stand_ins import Memory
api = Api.of(anystream.Array)
device = SimulatedDevice()
where = (12, device.device.id)
"""


def run(script: str) -> str:
    return silent_child(PRELUDE, script)


def test_exports_are_deleted_after_the_interpreter() -> None:
    # What keeps them is Python's in one case, the core's in the other.
    written = run("""
        for made in (api.export(Memory().array((1, 0))), api.allocate(prototype()),
                     api.allocate(prototype(device=where))):
            made.delete_at_process_exit()
    """)
    assert written == "late\n" * 3


def test_what_is_in_use_at_the_end_is_left() -> None:
    run("""
        inside = threading.Event()
        def stay():
            with anystream.use_stream(device.stream()):
                inside.set()
                threading.Event().wait()
        threading.Thread(target=stay, daemon=True).start()
        inside.wait()
        anystream.use_stream(device.stream()).__enter__()
        kept = [api.export(Memory().array((1, 0))), api.allocate(prototype())]
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_exchanges_host_memory() -> None:
    written = run("""
        producer = Producer()
        array = api.take(ctypes.addressof(producer.managed))
        exported = api.export(array)
        child = os.fork()
        if child == 0:
            exported.delete()
            api.export(array).delete()
            api.allocate(prototype()).delete()
            print(api.stream(where), producer.deleted, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        exported.delete()
        assert producer.deleted == 0
        del array
        print(producer.deleted)
    """)
    assert written == "0 0\n1\n"
