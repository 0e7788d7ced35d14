# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Lifetimes with real libraries at both ends: each producer is let go of exactly once.

Reports: pytorch#9260, #9261, cupy#1445 (the five orders); pytorch#9297 (never consumed);
CV-CUDA#298 (from hand to hand); pytorch#117058, #117273 (no elements); mxnet#13658 (out of scope);
numpy#22507, pytorch#88082 (without the GIL).

Not here: cutile-python#88, where a producer is let go before the work that reads its memory has
run. Nothing is ordered on the way back, and every plan says so (`release`); what anystream queues
by itself, a copy, keeps its source until it has run (test_lifetime.py).
"""

import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import anystream
import value_rig
from ctypes_tensors import Producer, Taken
from peer_rig import LIBRARIES, Library

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

VALUES = np.arange(64, dtype="float32") + 0.5
EVERYBODY = [name for name in LIBRARIES if name != "dpctl"]
HOST = [name for name in EVERYBODY if LIBRARIES[name].host]
VERSIONS = pytest.mark.parametrize("max_version", [None, (1, 3)], ids=["legacy", "versioned"])


@pytest.fixture(scope="module", autouse=True)
def collections() -> Iterator[None]:
    for library in LIBRARIES.values():
        if not library.missing:
            import_module(library.module)
    with value_rig.quick_collections():
        yield


@pytest.fixture(params=EVERYBODY)
def producer(request: Any) -> Library:
    library = LIBRARIES[request.param].require()
    if not library.host:
        request.getfixturevalue("sycl")
    return library


@pytest.fixture(params=HOST)
def consumer(request: Any) -> Library:
    return LIBRARIES[request.param].require()


def version_for(array: anystream.Array, max_version: Any) -> Any:
    """Memory of immutable arrays is read-only, which takes a version to say."""
    return (1, 3) if array.readonly else max_version


# Five orders in which the ends of an exchange come; each ends with the producer's count as it was.


def consumed(x: Any, max_version: Any) -> None:
    array = anystream.from_dlpack(x)
    taken = Taken.of(array.__dlpack__(max_version=version_for(array, max_version), stream=-1))
    taken.delete()


def never_consumed(x: Any, max_version: Any) -> None:
    array = anystream.from_dlpack(x)
    array.__dlpack__(max_version=version_for(array, max_version), stream=-1)


def fails_half_way(x: Any, max_version: Any) -> None:
    array = anystream.from_dlpack(x)
    with pytest.raises((ValueError, TypeError)):
        array.__dlpack__(max_version=version_for(array, max_version), stream="no stream")
    with pytest.raises(anystream.DriverUnavailable):
        anystream.from_dlpack(x, device="webgpu:0")


def capsule_outlives_array(x: Any, max_version: Any) -> None:
    array = anystream.from_dlpack(x)
    capsule = array.__dlpack__(max_version=version_for(array, max_version), stream=-1)
    del array
    gc.collect()
    taken = Taken.of(capsule)
    del capsule
    taken.delete()


def array_outlives_capsule(x: Any, max_version: Any) -> None:
    array = anystream.from_dlpack(x)
    capsule = array.__dlpack__(max_version=version_for(array, max_version), stream=-1)
    del capsule
    gc.collect()
    assert array.shape == VALUES.shape


ORDERS: list[Callable[[Any, Any], None]] = [
    consumed,
    never_consumed,
    fails_half_way,
    capsule_outlives_array,
    array_outlives_capsule,
]


@VERSIONS
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.__name__)
def test_the_producer_is_let_go_in_every_order(
    producer: Library, order: Callable[[Any, Any], None], max_version: Any
) -> None:
    x = producer.make(VALUES)
    if not producer.host and order is not fails_half_way:
        x.sycl_queue.wait()
    order(x, max_version)
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(5):
        order(x, max_version)
    gc.collect()
    assert sys.getrefcount(x) == before
    assert producer.read(x).tolist() == VALUES.tolist()


def test_an_import_holds_its_producer_and_lets_it_go(producer: Library) -> None:
    x = producer.make(VALUES)
    anystream.from_dlpack(x)
    gc.collect()
    before = sys.getrefcount(x)
    kept = [anystream.from_dlpack(x) for _ in range(7)]
    kept += [anystream.from_dlpack(array) for array in kept]
    given = [anystream.handoff(x, to="numpy"), anystream.handoff(kept[0], to="numpy")]
    del given, kept
    gc.collect()
    assert sys.getrefcount(x) == before


def test_what_was_in_use_when_the_producer_went(producer: Library, consumer: Library) -> None:
    """mxnet#13658: the function that made the array has returned, its memory is asked for anew."""

    def make_and_hand_over() -> Any:
        x = producer.make(VALUES)
        return anystream.handoff(anystream.from_dlpack(x), to=consumer.name)

    kept = [make_and_hand_over() for _ in range(5)]
    gc.collect()
    blocks = value_rig.press(producer.name, VALUES.nbytes)
    for y in kept:
        assert consumer.read(y).tolist() == VALUES.tolist()
    del blocks


# -- CV-CUDA#298: an owner that wraps another library's object, let go on a thread of nobody's ----


@VERSIONS
def test_from_hand_to_hand(consumer: Library, max_version: Any) -> None:
    """numpy -> Array -> library -> Array -> C: the first three go, C frees without the GIL."""
    x = VALUES.copy()
    gone = weakref.ref(x)
    there = anystream.handoff(anystream.from_dlpack(x), to=consumer.name)
    last = anystream.from_dlpack(there)
    taken = Taken.of(last.__dlpack__(max_version=version_for(last, max_version)))
    del x, there, last
    gc.collect()
    copies = consumer.name == "mlx" or (consumer.name == "jax" and gone() is None)
    assert (gone() is None) is copies
    assert value_rig.element_bytes(taken) == VALUES.tobytes()
    taken.delete_on_another_thread()
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("chain", [("torch", "tvm_ffi", "numpy"), ("tvm_ffi", "torch", "numpy")])
def test_a_long_chain_of_libraries(chain: tuple[str, ...]) -> None:
    for name in chain:
        LIBRARIES[name].require()
    x = VALUES.copy()
    gone, where = weakref.ref(x), x.ctypes.data
    y = x
    for name in chain * 3:
        y = anystream.handoff(y, to=name)
    del x
    gc.collect()
    assert gone() is not None
    assert y.ctypes.data == where
    assert y.tolist() == VALUES.tolist()
    del y
    gc.collect()
    assert gone() is None


def test_libraries_free_on_threads_of_their_own(consumer: Library) -> None:
    """numpy#22507, pytorch#88082: torch runs our deleter without the GIL, on any thread."""
    sources = [VALUES.copy() for _ in range(40)]
    gone = [weakref.ref(x) for x in sources]
    kept: list[Any] = [anystream.handoff(x, to=consumer.name) for x in sources]
    sources.clear()
    start = threading.Barrier(4)

    def drop(mine: list[Any]) -> None:
        start.wait()
        while mine:
            mine.pop()

    threads = [threading.Thread(target=drop, args=(kept[i::4],)) for i in range(4)]
    kept.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads, thread
    gc.collect()
    assert [one() for one in gone if one() is not None] == []


# -- pytorch#117058, #117273: no elements, and the deleter all the same ---------------------------


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 3)])
@pytest.mark.parametrize("data", [None, -1])
@pytest.mark.parametrize("versioned", [False, True])
def test_arrays_without_elements_are_let_go(
    consumer: Library, shape: tuple[int, ...], data: int | None, *, versioned: bool
) -> None:
    one = Producer(shape, data=data, versioned=versioned)
    y = anystream.handoff(one, to=consumer.name)
    assert tuple(y.shape) == shape
    del y
    gc.collect()
    assert one.deleted == 1


def test_arrays_without_elements_of_every_library(producer: Library) -> None:
    x = value_rig.make(producer.name, "float32", "empty")
    anystream.from_dlpack(x)
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(3):
        array = anystream.from_dlpack(x)
        assert (array.shape, array.size, array.nbytes) == ((0, 6), 0, 0)
        assert anystream.handoff(array, to="numpy").shape == (0, 6)
        del array
    gc.collect()
    assert sys.getrefcount(x) == before
