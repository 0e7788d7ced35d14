# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The buffer protocol of Array: every field for every request, and who keeps the memory alive."""

import ctypes
import gc
import hashlib
import io
import resource
import threading
import weakref
from typing import Any

import pytest

import anystream
from anystream._core import DEVICE_TABLE, _array_from_capsule
from buffer_rig import taken
from ctypes_tensors import Producer
from protocol_rig import (
    ELSEWHERE,
    EVERY_LAYOUT,
    LAYOUTS,
    NARROW,
    NOWHERE,
    SPELT,
    Layout,
    Memory,
    Triple,
    memory_of,
    steps_taken,
)

SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 0x1, 0x4, 0x8, 0x18
C, F, ANY, INDIRECT = 0x38, 0x58, 0x98, 0x118
FULL_RO, FULL = INDIRECT | FORMAT, INDIRECT | FORMAT | WRITABLE
FLOAT = SPELT["float32"][0]
EVERY_SPELT = pytest.mark.parametrize(
    ("dtype", "letters"), [(row[0], row[1]) for row in SPELT.values()], ids=SPELT.keys()
)
WHOLE = ELSEWHERE | NOWHERE


@EVERY_LAYOUT
@EVERY_SPELT
def test_every_type_and_layout(layout: Layout, dtype: Triple, letters: str) -> None:
    memory = memory_of(dtype)
    view = memoryview(memory.array(layout, dtype))
    assert (view.format, view.itemsize) == (letters, memory.itemsize)
    assert (view.shape, view.ndim) == (layout.shape, len(layout.shape))
    assert view.nbytes == layout.size * memory.itemsize
    assert view.readonly is False
    assert view.suboffsets == ()
    assert (view.c_contiguous, view.f_contiguous) == (layout.c, layout.f)
    in_bytes = [memory.itemsize * step for step in steps_taken(layout, layout.strides)]
    assert steps_taken(layout, view.strides) == in_bytes
    assert view.tobytes() == memory.values(layout)
    assert bytes(view.obj) == memory.values(layout)


@EVERY_LAYOUT
def test_it_is_the_memory_itself(layout: Layout) -> None:
    memory = memory_of(FLOAT)
    with taken(memory.array(layout, FLOAT), FULL) as view:
        assert view.buf == memory.address + 4 * layout.first


REQUESTS = {
    "simple": SIMPLE,
    "writable": WRITABLE,
    "format": FORMAT,
    "nd": ND,
    "contiguous": ND | WRITABLE,
    "strides": STRIDES,
    "c": C,
    "f": F,
    "any": ANY,
    "indirect": INDIRECT,
    "strided ro": STRIDES | FORMAT,
    "records": STRIDES | FORMAT | WRITABLE,
    "full": FULL,
    "full ro": FULL_RO,
    "c and f": C | F,
}


def has(flags: int, wanted: int) -> bool:
    return flags & wanted == wanted


def may_have(flags: int, layout: Layout) -> bool:
    """What a request promises of the layout, by the documentation of the protocol."""
    rows, columns = has(flags, C) or not has(flags, STRIDES), has(flags, F)
    either = not has(flags, ANY) or layout.c or layout.f
    return (layout.c or not rows) and (layout.f or not columns) and either


@EVERY_LAYOUT
@pytest.mark.parametrize("flags", REQUESTS.values(), ids=REQUESTS.keys())
def test_every_request(layout: Layout, flags: int) -> None:
    array = memory_of(FLOAT).array(layout, FLOAT)
    if not may_have(flags, layout):
        with pytest.raises(BufferError, match=r"without gaps was asked for.*\n  Ask for its str"):
            taken(array, flags).__enter__()
        return
    with taken(array, flags) as view:
        assert view.len == 4 * layout.size
        assert (view.itemsize, view.readonly, view.suboffsets) == (4, 0, None)
        assert view.format == (b"f" if has(flags, FORMAT) else None)
        told = layout.shape if has(flags, ND) else None
        assert view.ndim == (1 if told is None else len(told))
        assert bool(view.shape) is bool(told)
        assert bool(view.strides) is bool(told and has(flags, STRIDES))
        if told:
            assert tuple(view.shape[: view.ndim]) == told
        if view.strides:
            steps = steps_taken(layout, view.strides[: view.ndim])
            assert steps == [4 * step for step in steps_taken(layout, layout.strides)]


@pytest.mark.parametrize("flags", REQUESTS.values(), ids=REQUESTS.keys())
def test_read_only_memory_is_not_given_to_write(flags: int) -> None:
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT, readonly=True)
    if has(flags, WRITABLE):
        with pytest.raises(
            BufferError,
            match=r"a buffer to write to was asked for, and this array is read-only\.\n"
            r"  .*anystream\.from_dlpack\(a, copy=True\)\.",
        ):
            taken(array, flags).__enter__()
    else:
        with taken(array, flags) as view:
            assert view.readonly == 1
    assert memoryview(array).readonly is True


def test_a_private_copy_may_be_written() -> None:
    """The fix that the message names."""
    memory = memory_of(FLOAT)
    mine = anystream.from_dlpack(memory.array(LAYOUTS["line"], FLOAT, readonly=True), copy=True)
    with memoryview(mine).cast("B") as view:
        assert not view.readonly
        view[0] = 5
    assert bytes(mine)[:1] == b"\x05"
    assert bytes(mine)[1:] == memory.values(LAYOUTS["line"])[1:]


def test_what_is_written_is_there() -> None:
    memory = Memory(1)
    memoryview(memory.array(LAYOUTS["reversed"], (1, 8, 1)))[0, 0] = 75
    assert memory.raw[5] == bytes([75])


@pytest.mark.parametrize("name", WHOLE)
def test_types_without_a_format(name: str) -> None:
    memory = memory_of(WHOLE[name])
    array = memory.array(LAYOUTS["columns"], WHOLE[name])
    message = rf"elements of type {name} have no format in the buffer protocol\.\n  Take the array"
    for ask in (memoryview, bytes):
        with pytest.raises(BufferError, match=message):
            ask(array)
    with taken(array, STRIDES) as view:
        assert view.format is None
        assert view.itemsize == memory.itemsize
        assert tuple(view.strides[:2]) == (memory.itemsize, 2 * memory.itemsize)


@pytest.mark.parametrize("name", WHOLE)
def test_their_bytes_are_there_for_who_asks_for_bytes(name: str) -> None:
    memory = memory_of(WHOLE[name])
    array = memory.array(LAYOUTS["line"], WHOLE[name])
    wanted = memory.values(LAYOUTS["line"])
    assert hashlib.sha256(array).digest() == hashlib.sha256(wanted).digest()
    file = io.BytesIO()
    file.write(array)
    assert file.getvalue() == wanted


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("flags", [SIMPLE, STRIDES, FULL])
def test_packed_elements_have_none(name: str, flags: int) -> None:
    array = Memory(1).array(LAYOUTS["rows"], NARROW[name])
    with pytest.raises(BufferError, match=f"elements of type {name} are packed, several to a byte"):
        taken(array, flags).__enter__()


@pytest.mark.parametrize("name", NARROW)
def test_padded_elements_are_bytes(name: str) -> None:
    memory = Memory(1)
    array = memory.array(LAYOUTS["rows"], NARROW[name], padded=True)
    with taken(array, ND) as view:
        assert (view.itemsize, view.len) == (1, 6)
        assert ctypes.string_at(view.buf, 6) == memory.values(LAYOUTS["rows"])
    with pytest.raises(BufferError, match="have no format"):
        memoryview(array)


OTHERS = [row["value"] for row in DEVICE_TABLE if row["value"] != 1]


@pytest.mark.parametrize("device", [*OTHERS, 77])
def test_only_the_hosts_own_memory_has_one(device: int) -> None:
    """Where work may be pending, reading would need a wait that nobody sees."""
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT, device=(device, 0))
    for flags in (SIMPLE, FULL_RO):
        with pytest.raises(
            BufferError,
            match=r"only an array in the host's own memory has a buffer; this is an? .*\.\n"
            r'  anystream\.from_dlpack\(a, device="cpu"\) waits for its work',
        ):
            taken(array, flags).__enter__()


@pytest.mark.parametrize("device", [3, 11, 13])
def test_the_fix_that_the_message_names(device: int) -> None:
    memory = memory_of(FLOAT)
    array = memory.array(LAYOUTS["line"], FLOAT, device=(device, 0))
    host = anystream.from_dlpack(array, device="cpu")
    assert memoryview(host).tobytes() == memory.values(LAYOUTS["line"])
    with taken(host, SIMPLE) as view:
        assert view.buf == memory.address + 4


def test_no_memory_has_an_address() -> None:
    """Some readers take NULL for a failure."""
    producer = Producer((0, 3), data=None)
    array = _array_from_capsule(producer.capsule(), None, None)
    assert array.data_ptr == 0
    for flags in (SIMPLE, FULL):
        with taken(array, flags) as view:
            assert view.buf
            assert view.len == 0
    assert bytes(array) == b""


# ---- life ------------------------------------------------------------------------------------


def test_a_view_keeps_the_owner() -> None:
    memory = memory_of(FLOAT)
    owner = weakref.ref(memory)
    view = memoryview(memory.array(LAYOUTS["rows"], FLOAT))
    wanted = memory.values(LAYOUTS["rows"])
    del memory
    gc.collect()
    assert owner() is not None
    assert view.tobytes() == wanted
    view.release()
    assert owner() is None


def test_the_deleter_is_called_once_after_the_last_view() -> None:
    producer = Producer()
    array = _array_from_capsule(producer.capsule(), None, None)
    first, second = memoryview(array), memoryview(array)
    part = first[0:1]
    del array
    first.release()
    part.release()
    assert producer.deleted == 0
    second.release()
    assert producer.deleted == 1


def test_a_refused_request_keeps_nothing() -> None:
    producer = Producer((2, 3), (1, 2))
    array = _array_from_capsule(producer.capsule(), None, None)
    for _ in range(10):
        with pytest.raises(BufferError):
            taken(array, C).__enter__()
    del array
    assert producer.deleted == 1


def test_a_view_leaves_nothing_behind() -> None:
    """A view of 64 axes takes a kilobyte."""
    array = memory_of(FLOAT).array(LAYOUTS["deep"], FLOAT)
    memoryview(array).release()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100_000):
        memoryview(array).release()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # of 100,000 KiB


def test_a_cycle_through_a_view_is_collected() -> None:
    class Owner:
        view: Any = None

    memory, owner = memory_of(FLOAT), Owner()
    gone = weakref.ref(owner)
    memory.keeper = owner  # type: ignore[attr-defined]
    owner.view = memoryview(memory.array(LAYOUTS["rows"], FLOAT))
    del memory, owner
    gc.collect()
    assert gone() is None


def test_threads_share_an_array() -> None:
    producer = Producer((4, 4))
    array = _array_from_capsule(producer.capsule(), None, None)
    wanted = bytes(array)
    start = threading.Barrier(16)
    wrong: list[int] = []

    def read(shared: anystream.Array) -> None:
        start.wait()
        wrong.extend(1 for _ in range(500) if memoryview(shared).tobytes() != wanted)

    threads = [threading.Thread(target=read, args=(array,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    threads.clear()
    del array, thread
    assert producer.deleted == 1
