# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every way in, times every order of events: the producer's deleter is called once, no more."""

import ctypes
import gc
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import anystream
import hostile_buffers
from anystream import _peers
from ctypes_tensors import Producer, Taken, name_of
from hostile import Giver, settled
from hostile_tables import in_capsule, offering
from interface_rig import HOST, Described

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> Iterator[None]:
    """Leave what libraries made at import out of collections, which are then quick."""
    gc.freeze()
    yield
    gc.unfreeze()


FORMS = pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "legacy"])


def by_object(producer: Producer) -> Any:
    return anystream.from_dlpack(Giver(producer))


def by_capsule(producer: Producer) -> Any:
    return anystream.from_dlpack(producer.capsule())


def _given_to(library: str) -> Callable[[Producer], Any]:
    def give(producer: Producer) -> Any:
        pytest.importorskip(library, reason=f"{library} is not installed")
        return anystream.handoff(Giver(producer), to=library)

    give.__name__ = f"handoff_to_{library}"
    return give


HANDOFFS = [_given_to(library) for library in ("numpy", "torch", "jax", "mlx", "tvm_ffi")]
WAYS = pytest.mark.parametrize(
    "take", [by_object, by_capsule, *HANDOFFS], ids=lambda take: take.__name__
)


def gone(producer: Producer) -> None:
    """Assert that all is over: no reference is left, and the deleter was called once."""
    gc.collect()
    settled(producer)
    assert producer.deleted == producer.counts


@WAYS
@FORMS
def test_consumed(take: Callable[[Producer], Any], *, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    result = take(producer)
    assert tuple(result.shape) == (2, 3)
    del result
    gone(producer)


@WAYS
@FORMS
def test_consumed_and_exported_further(take: Callable[[Producer], Any], *, versioned: bool) -> None:
    """The export lives longer than what it was made from, and is deleted without the GIL."""
    producer = Producer(versioned=versioned)
    result = take(producer)
    if not hasattr(result, "__dlpack__"):
        pytest.skip("this library's arrays are not exported again")
    taken = Taken.of(result.__dlpack__())
    del result
    gc.collect()
    assert taken.shape == (2, 3)
    taken.delete_on_another_thread()
    gone(producer)


@WAYS
@FORMS
def test_no_deleter(take: Callable[[Producer], Any], *, versioned: bool) -> None:
    producer = Producer(versioned=versioned, deleter=False)
    result = take(producer)
    del result
    gone(producer)


@WAYS
@FORMS
def test_no_elements(take: Callable[[Producer], Any], *, versioned: bool) -> None:
    producer = Producer((0, 3), versioned=versioned, data=None)
    result = take(producer)
    assert tuple(result.shape) == (0, 3)
    del result
    gone(producer)


@WAYS
@FORMS
@pytest.mark.parametrize("fields", [{"ndim": -1}, {"data": None}, {"dtype": (17, 4, 3)}])
def test_refused_half_way(
    take: Callable[[Producer], Any], fields: dict[str, Any], *, versioned: bool
) -> None:
    producer = Producer(versioned=versioned, **fields)
    try:
        take(producer)
    except (BufferError, TypeError) as error:
        assert str(error)  # noqa: PT017
        del error
    else:  # what an Array carries need not be what a library can take
        assert "dtype" in fields
    gone(producer)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "mlx"])
@FORMS
def test_the_library_fails_when_it_is_handed_the_array(
    library: str, monkeypatch: pytest.MonkeyPatch, *, versioned: bool
) -> None:
    """What is half way when a consumer raises goes back to its producer."""
    pytest.importorskip(library, reason=f"{library} is not installed")
    (peer,) = (one for one in _peers.PEERS if one.name == library)
    consumer = peer.consumer
    assert consumer is not None
    module = sys.modules.get(consumer.module) or __import__(consumer.module, fromlist=["_"])

    def fails(given: Any, *_: Any, **__: Any) -> Any:
        capsule = given.__dlpack__() if hasattr(given, "__dlpack__") else given
        raise MemoryError("no room for this", name_of(capsule))

    monkeypatch.setattr(module, consumer.function, fails)
    producer = Producer(versioned=versioned)
    with pytest.raises(MemoryError, match="no room for this"):
        anystream.handoff(Giver(producer), to=library)
    gone(producer)


@FORMS
def test_never_consumed(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    producer.capsule()
    anystream.explain(Giver(producer), to="numpy" if find_spec("numpy") else None)
    gone(producer)


@FORMS
@pytest.mark.parametrize("first", ["capsule", "array"])
def test_capsule_and_array_outlive_each_other(first: str, *, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    capsule: Any = producer.capsule()
    array: Any = anystream.from_dlpack(capsule)
    if first == "capsule":
        del capsule
        producer.capsules.clear()
        assert producer.deleted == 0
        del array
    else:
        del array
        assert producer.deleted == 1
        del capsule
        producer.capsules.clear()
    gc.collect()
    assert producer.deleted == 1


def test_a_table_in_every_order() -> None:
    for order in ("consumed", "exported", "copied", "refused"):
        x = offering(in_capsule(), ndim=-1 if order == "refused" else None)
        producer = x.producer
        if order == "refused":
            with pytest.raises(BufferError, match="ndim -1"):
                anystream.from_dlpack(x)
        else:
            array: Any = anystream.from_dlpack(x, copy=True if order == "copied" else None)
            assert producer.deleted == (order == "copied")
            if order == "exported":
                taken = Taken.of(array.__dlpack__())
                del array
                assert producer.deleted == 0
                taken.delete_on_another_thread()
            else:
                del array
        assert (producer.handed, producer.deleted) == (1, 1)


@FORMS
def test_32_threads_race_on_one_capsule(*, versioned: bool) -> None:
    """One wins, the rest are told; whoever comes by another library is in the same race."""
    former = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            _race(Producer(versioned=versioned))
    finally:
        sys.setswitchinterval(former)


def _by_handoff(capsule: Any) -> Any:
    return anystream.handoff(capsule, to="numpy")


# What the threads do in turn.
IN_TURN = [anystream.from_dlpack, *([_by_handoff] if find_spec("numpy") else [])]


def _race(producer: Producer) -> None:
    capsule, start = producer.capsule(), threading.Barrier(32)
    won: list[Any] = []
    lost: list[BaseException] = []

    def work(take: Callable[[Any], Any]) -> None:
        start.wait()
        try:
            won.append(take(capsule))
        except ValueError as error:
            lost.append(error)

    takes = itertools.islice(itertools.cycle(IN_TURN), 32)
    threads = [threading.Thread(target=work, args=(take,)) for take in takes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 31)
    assert {str(error).split(";")[0] for error in lost} == {"a DLPack capsule can be taken once"}
    assert producer.deleted == 0
    del threads, thread
    won.clear()
    lost.clear()
    gone(producer)


class Held:
    """What a cycle runs through; a weak reference tells when it is gone."""

    array: Any = None
    fields: Any = None


def _by_interface() -> Any:
    x = Described(HOST)
    x.array = anystream.from_dlpack(x)  # type: ignore[attr-defined]
    return x


def _by_what_an_interface_holds() -> Any:
    x, held = Described(HOST), Held()
    x.fields["held"] = held
    held.array = anystream.from_dlpack(x)
    return held


def _by_a_buffer() -> Any:
    class Bytes(bytearray):
        array: Any = None

    x = Bytes(24)
    x.array = anystream.from_dlpack(x)
    return x


def _by_the_plan_of_an_array_of_ours() -> Any:
    held = Held()
    held.array = anystream.from_dlpack(_by_interface().array)
    held.fields = held
    return held


@pytest.mark.parametrize(
    "build",
    [_by_interface, _by_what_an_interface_holds, _by_a_buffer, _by_the_plan_of_an_array_of_ours],
    ids=lambda build: build.__name__.removeprefix("_"),
)
def test_a_cycle_through_the_owner_is_collected(build: Callable[[], Any]) -> None:
    x = build()
    there = weakref.ref(x)
    assert there() is not None
    del x
    gc.collect()
    assert there() is None


def test_a_view_of_a_buffer_is_given_back_once() -> None:
    x = hostile_buffers.exporter()
    kind = type(x)
    array = anystream.from_dlpack(x)
    taken = [Taken.of(array.__dlpack__(max_version=(1, 3))) for _ in range(4)]
    del x, array
    for one in taken:
        assert kind.released == 0
        one.delete_on_another_thread()
    assert (kind.views, kind.released) == (1, 1)


def test_the_code_of_a_deleter_stays_loaded() -> None:
    """tvm-ffi#264: whoever closes the library must not take the deleters of its exports away."""
    library = Path(anystream.__file__).with_name("libanystream.so")
    if not library.exists():
        pytest.skip("the library of this system has another name")
    producer = Producer()
    taken = Taken.of(anystream.from_dlpack(producer).__dlpack__())
    close = ctypes.CDLL(None).dlclose
    close.argtypes = (ctypes.c_void_p,)
    handle = ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_NOLOAD)._handle
    for _ in range(100):
        close(handle)
    assert ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_NOLOAD)._handle == handle
    taken.delete()
    assert producer.deleted == 1
