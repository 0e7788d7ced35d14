# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A platform that is written in Python, under the suite that every backend passes."""

from process_rig import child
from software_driver import folder_of

SCRIPT = """
import ctypes, time
import anystream
from anystream import _core
from platform_rig import LabQueue, Mark, complete, record, synchronize, wait

TYPE, NAME = 1999, "conform"
queues, slots = [None], []  # by number: none is 0
failing = []  # at most one: the callback whose next call fails

def may_fail(callback):
    if failing == [callback.__name__]:
        failing.clear()
        raise RuntimeError("the lab is on fire")
    return callback

class NumberedQueue(LabQueue):
    def __init__(self, **how):
        super().__init__(**how)
        queues.append(self)
        self.number = len(queues) - 1

anystream.register_platform(
    TYPE, NAME,
    stream=NumberedQueue, handle="attr:number", capsule="conform_queue",
    device_of=lambda number: queues[number].device,
    in_order=lambda number: queues[number].is_in_order,
    record=lambda number: may_fail(record)(queues[number]),
    wait=lambda number, mark: may_fail(wait)(queues[number], mark),
    complete=complete, synchronize=synchronize,
)

class Calls(ctypes.Structure):
    I, H = ctypes.c_int, ctypes.c_size_t
    F = ctypes.CFUNCTYPE
    _fields_ = [
        ("platform", ctypes.c_char_p), ("device_type", I), ("places", I), ("has_out_of_order", I),
        ("make_stream", F(H, I, I)), ("make_slot", F(I, I)), ("write", F(None, H, I, I)),
        ("copy", F(None, H, I, I)), ("peek", F(I, I)), ("data_of", F(H, I)), ("place_of", F(I, I)),
        ("hold", F(None, H)), ("let_go", F(None, H)), ("settle", F(None)),
        ("alive", F(ctypes.c_long)), ("fail", F(None, ctypes.c_char_p)),
    ]

def make_slot(place):
    slots.append((ctypes.c_int32(0), place))
    return len(slots) - 1

def write(number, to, value):
    def run():
        slots[to][0].value = value
    queues[number].put(run)

def copy(number, to, source):
    def run():
        slots[to][0].value = slots[source][0].value
    queues[number].put(run)

def settle():
    # What could run has run when nothing has changed for a while.
    before = None
    while before != (now := [queue.pending() for queue in queues[1:]]):
        before = now
        time.sleep(0.02)

kinds = dict(Calls._fields_)
functions = dict(
    make_stream=lambda in_order, place: NumberedQueue(in_order=bool(in_order), device=place).number,
    make_slot=make_slot, write=write, copy=copy,
    peek=lambda slot: slots[slot][0].value,
    data_of=lambda slot: ctypes.addressof(slots[slot][0]),
    place_of=lambda slot: slots[slot][1],
    hold=lambda number: queues[number].hold(),
    let_go=lambda number: queues[number].resume(),
    settle=settle,
    alive=lambda: Mark.alive,
    fail=lambda callback: failing.__setitem__(slice(None), filter(None, [callback.decode()])),
)
calls = Calls(NAME.encode(), TYPE, 2, 1, **{k: kinds[k](f) for k, f in functions.items()})

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
table = pointer(_core._C_API, b"anystream._C_API")
suite = ctypes.CDLL(LIBRARY)
suite.conformance_run.argtypes = (ctypes.c_void_p, ctypes.POINTER(Calls), ctypes.c_int)
made = suite.conformance_run(table, calls, 20)
print(made)
assert made > 0, made
"""


def test_it_passes() -> None:
    library = folder_of("conformance") / "libconformance.so"
    out = child(f"LIBRARY = {str(library)!r}", SCRIPT, timeout=110)
    first, checks = out.splitlines()
    assert first == "conformance of conform: 2 place(s), out-of-order queues"
    assert int(checks) > 150
