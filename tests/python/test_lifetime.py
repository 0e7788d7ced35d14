# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Who keeps memory alive and when it goes: one deleter call in every order of events."""

import gc
import resource
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream._core import (
    Carrier,
    _array_copy,
    _array_from_capsule,
    _array_from_pointer,
    _array_host_view,
    _array_on_stream,
)
from anystream.testing import SimulatedDevice, values
from ctypes_tensors import Producer, Taken

FORMS = pytest.mark.parametrize("versioned", [False, True], ids=["legacy", "versioned"])
VERSIONS = pytest.mark.parametrize("max_version", [None, (1, 0)], ids=["legacy", "versioned"])


class Memory:
    """Memory that is Python's: it goes when its object goes."""

    def __init__(self) -> None:
        self.producer = Producer()
        self.arrays: list[Any] = []

    def array(self, owner: Any = None) -> anystream.Array:
        return _array_from_pointer(
            self.producer.address,
            (2, 3),
            None,
            (2, 32, 1),
            (1, 0),
            readonly=False,
            owner=self if owner is None else owner,
            stream=None,
            plan=None,
        )


def imported(producer: Producer) -> anystream.Array:
    return _array_from_capsule(producer.capsule(), None, None)


@FORMS
def test_nobody_takes_the_capsule(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    producer.capsule()
    producer.drop()
    assert producer.deleted == 1


@FORMS
def test_the_capsule_outlives_the_array(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    capsule = producer.capsule()
    array = _array_from_capsule(capsule, None, None)
    del array
    assert producer.deleted == 1
    del capsule
    producer.drop()
    assert producer.deleted == 1


@FORMS
def test_the_array_outlives_the_capsule(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    array = imported(producer)
    producer.drop()
    assert producer.deleted == 0
    del array
    assert producer.deleted == 1


@FORMS
@VERSIONS
def test_an_unclaimed_export_lets_go(max_version: Any, *, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    array = imported(producer)
    capsule = array.__dlpack__(max_version=max_version)
    del array
    assert producer.deleted == 0
    del capsule
    assert producer.deleted == 1


@VERSIONS
@pytest.mark.parametrize("first", ["array", "export"])
def test_a_claimed_export_and_its_array(first: str, max_version: Any) -> None:
    producer = Producer()
    array: Any = imported(producer)
    capsule = array.__dlpack__(max_version=max_version)
    taken = Taken.of(capsule)
    del capsule  # claimed: its destructor has nothing to do
    assert producer.deleted == 0
    if first == "array":
        del array
        taken.delete()
    else:
        taken.delete()
        assert producer.deleted == 0
        del array
    assert producer.deleted == 1


@VERSIONS
def test_an_export_of_an_export(max_version: Any) -> None:
    """A -> B -> C: dropping A and B leaves what C needs."""
    producer = Producer()
    first = imported(producer)
    second = _array_from_capsule(first.__dlpack__(max_version=max_version), None, None)
    third = Taken.of(second.__dlpack__(max_version=max_version))
    del first, second
    gc.collect()
    assert producer.deleted == 0
    assert third.data == producer.address
    third.delete_on_another_thread()
    assert producer.deleted == 1


@VERSIONS
def test_the_deleter_needs_no_gil_and_no_thread_of_pythons(max_version: Any) -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    taken = Taken.of(memory.array().__dlpack__(max_version=max_version))
    del memory
    assert gone() is not None
    taken.delete_on_another_thread()
    assert gone() is None


def test_many_threads_drop_their_exports_at_once() -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    array = memory.array()
    taken = [Taken.of(array.__dlpack__(max_version=(1, 0))) for _ in range(64)]
    del array, memory
    start = threading.Barrier(8)

    def drop(mine: list[Taken]) -> None:
        start.wait()
        for one in mine:
            one.delete()

    threads = [threading.Thread(target=drop, args=(taken[i::8],)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gone() is None


def test_many_threads_import_and_export_one_array() -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    array = memory.array()
    start = threading.Barrier(32)
    seen: list[int] = []

    def use(mine: anystream.Array) -> None:
        start.wait()
        for _ in range(50):
            other = _array_from_capsule(mine.__dlpack__(max_version=(1, 0)), None, None)
            seen.append(other.data_ptr)
            seen.append(anystream.from_dlpack(other).data_ptr)

    threads = [threading.Thread(target=use, args=(array,)) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [memory.producer.address] * (32 * 50 * 2)
    del array, memory, threads, thread
    gc.collect()
    assert gone() is None


@VERSIONS
def test_an_owner_lives_as_long_as_any_view(max_version: Any) -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    array = memory.array()
    views = [
        _array_on_stream(array, None, None),
        _array_on_stream(_array_on_stream(array, None, None), None, None),
        _array_host_view(array, None),
        Carrier(array),
        array.__dlpack__(max_version=max_version),
        Taken.of(array.__dlpack__(max_version=max_version)),
    ]
    del array, memory
    while views:
        assert gone() is not None
        view = views.pop(0)
        if isinstance(view, Taken):
            view.delete()
        del view
        gc.collect(0)
    assert gone() is None


def test_a_copy_needs_its_source_no_longer() -> None:
    producer = Producer()
    array = imported(producer)
    copied = _array_copy(array, (1, 0), None, None)
    del array
    assert producer.deleted == 1
    assert copied.shape == (2, 3)


def test_a_source_lives_until_it_has_been_copied() -> None:
    with SimulatedDevice() as device:
        stream = device.stream()
        stream.hold()
        source = device.full(4, 42, "int32", stream)
        copied = _array_copy(source, source.__dlpack_device__(), None, None)
        del source
        stream.release()
        stream.synchronize()
        assert values(copied) == [42] * 4


def test_a_failed_export_keeps_nothing() -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    array = memory.array()
    for wrong in ({"stream": 5}, {"dl_device": (2, 0)}, {"copy": 1}, {"max_version": 1}):
        with pytest.raises((ValueError, BufferError, TypeError)):
            array.__dlpack__(**wrong)
    del array, memory
    gc.collect()
    assert gone() is None


def test_an_import_that_fails_half_way_keeps_nothing() -> None:
    producer = Producer(ndim=-1)
    capsule = producer.capsule()
    for _ in range(2):
        with pytest.raises((BufferError, ValueError)):
            _array_from_capsule(capsule, None, None)
        assert producer.deleted == 1


@pytest.mark.parametrize("through", ["owner", "plan", "carrier", "view"])
def test_a_cycle_through_an_array_is_collected(through: str) -> None:
    memory = Memory()
    gone = weakref.ref(memory)
    if through == "owner":
        memory.arrays.append(memory.array())
    elif through == "plan":
        producer = Producer()
        memory.arrays.append(_array_from_capsule(producer.capsule(), None, memory))
    elif through == "carrier":
        memory.arrays.append(Carrier(memory.array()))
    else:
        memory.arrays.append(_array_on_stream(memory.array(), None, None))
    del memory
    assert gone() is not None
    gc.collect()
    assert gone() is None


def test_a_cycle_that_someone_else_needs_is_not_collected() -> None:
    """The export's reference is not the collector's to see: the memory stays while it lives."""
    memory = Memory()
    gone = weakref.ref(memory)
    memory.arrays.append(memory.array())
    taken = Taken.of(memory.arrays[0].__dlpack__())
    del memory
    gc.collect()
    assert gone() is not None
    taken.delete()
    gc.collect()
    assert gone() is None


def test_arrays_are_seen_by_the_collector() -> None:
    memory = Memory()
    array = memory.array()
    assert gc.is_tracked(array)
    assert memory in gc.get_referents(array)
    assert array in gc.get_referents(Carrier(array))


FAILING: dict[str, Callable[[Producer], Any]] = {
    "abs": lambda producer: abs(imported(producer)),  # type: ignore[arg-type]
    "len": lambda producer: len(imported(producer)),  # type: ignore[arg-type]
    "hash of a tuple": lambda producer: hash((imported(producer), [])),
    "int": lambda producer: int(imported(producer).__dlpack__()),  # type: ignore[call-overload]
    "int of a versioned capsule": lambda producer: int(  # type: ignore[call-overload]
        imported(producer).__dlpack__(max_version=(1, 3))
    ),
    "abs of a carrier": lambda producer: abs(Carrier(imported(producer))),  # type: ignore[arg-type]
    "abs of a view": lambda producer: abs(
        _array_host_view(imported(producer), None)  # type: ignore[arg-type]
    ),
}
SAYS = {
    "abs": r"bad operand type for abs\(\)",
    "len": r"has no len\(\)",
    "hash": "unhashable",
    "int": r"int\(\) argument must be",
}


@FORMS
@pytest.mark.parametrize("what", FAILING)
def test_a_pending_error_is_left_as_it_is(what: str, *, versioned: bool) -> None:
    """What is on the stack alone goes when the error is set already; the deleter is Python."""
    producer = Producer(versioned=versioned)
    with pytest.raises(TypeError, match=SAYS[what.split(maxsplit=1)[0]]):
        FAILING[what](producer)
    assert producer.deleted == 1


PAGES = Path("/proc/self/statm")


def resident() -> int:
    return int(PAGES.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not PAGES.exists(), reason="this system does not tell how much is resident")
@pytest.mark.parametrize("what", ["exports", "imports", "copies", "cycles"])
def test_ten_thousand_leave_memory_flat(what: str) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    megabytes = 8
    source = np.ones(megabytes << 20, dtype="uint8")

    def once() -> None:
        if what == "exports":
            array.__dlpack__(max_version=(1, 0))
        elif what == "imports":
            _array_from_capsule(source.__dlpack__(max_version=(1, 0)), None, None)
        elif what == "copies":
            small.__dlpack__(copy=True, max_version=(1, 0))
        else:
            memory = Memory.__new__(Memory)
            memory.producer, memory.arrays = producer, []
            memory.arrays.append(memory.array())

    producer = Producer()
    array = _array_from_capsule(source.__dlpack__(max_version=(1, 0)), None, None)
    small = _array_from_capsule(source[:65536].__dlpack__(max_version=(1, 0)), None, None)
    for _ in range(1000):
        once()
    gc.collect()
    before = resident()
    for _ in range(10_000):
        once()
    gc.collect()
    assert resident() - before < 4 << 20
