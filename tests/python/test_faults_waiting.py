# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What an exchange must not cost: the host's waiting, and work of Python's in a loop.

Nothing is timed: what is pending is asked for, and what is done is counted.
"""

import builtins
import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice, values
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

# -- tensorflow#88731, numba#7706: no host wait from device to device -----------------------------


def exports(array: anystream.Array, queue: Any) -> Any:
    return array.__dlpack__(stream=queue, max_version=(1, 0))


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "stays": lambda x, _: anystream.from_dlpack(x),
    "onto a stream": lambda x, queue: anystream.from_dlpack(x, stream=queue),
    "again": lambda x, queue: anystream.from_dlpack(anystream.from_dlpack(x), stream=queue),
    "export": lambda x, queue: exports(anystream.from_dlpack(x), queue),
    "dpnp": lambda x, queue: anystream.handoff(x, to="dpnp", stream=queue),
    "dpctl": lambda x, queue: anystream.handoff(x, to="dpctl", stream=queue),
    "explain": lambda x, queue: anystream.explain(x, to="dpnp", stream=queue),
}


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("way", WAYS)
def test_pending_work_is_not_waited_for(sycl: Any, way: str, in_order: bool) -> None:
    """The producer's last event is not complete when the exchange has been made, many times."""
    producer, consumer = sycl.queue(in_order=in_order), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    WAYS[way](x, consumer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 5)
    kept = [WAYS[way](x, consumer) for _ in range(10)]
    assert sycl.pending(work), "the host waited"
    assert len(kept) == 10
    producer.wait()


def test_a_library_that_reads_on_the_host_waits_and_says_so(sycl: Any) -> None:
    """The other half of the rule: the values are complete where nothing could order the reader."""
    producer = sycl.queue()
    x = sycl.zeros("dpnp", producer)
    assert anystream.explain(x, to="numpy").ordering.what.startswith("host wait")
    work = sycl.write_slowly(producer, sycl.memory_of(x), 5)
    got = anystream.handoff(x, to="numpy")
    assert not sycl.pending(work)
    assert set(got.tolist()) == {5}


def test_held_work_is_not_waited_for() -> None:
    """A wait of the host would never end: the producer cannot go on before this has returned."""
    with SimulatedDevice() as device:
        producer, consumer = device.stream(), device.stream()
        producer.hold()
        x = device.full(4, 3, "int32", producer)
        kept = [anystream.from_dlpack(x, stream=consumer) for _ in range(100)]
        exported = [array.__dlpack__(stream=consumer) for array in kept]
        assert producer.pending > 0
        producer.release()
        consumer.synchronize()
        assert values(kept[-1]) == [3, 3, 3, 3]
        assert len(exported) == 100


# -- pytorch#162113, dlpack#175, array-api#973: nothing of Python's is done in the loop -----------

EVERYBODY = [name for name in LIBRARIES if name != "dpctl"]


@pytest.fixture(params=EVERYBODY)
def made(request: Any) -> Any:
    library = LIBRARIES[request.param].require()
    if not library.host:
        request.getfixturevalue("sycl")
    return library.make(np.arange(64, dtype="float32"))


ROUTES: dict[str, Callable[[Any], Any]] = {
    "in": anystream.from_dlpack,
    "in and out": lambda x: anystream.from_dlpack(x).__dlpack__(max_version=(1, 0), stream=-1),
    "to numpy": lambda x: anystream.handoff(x, to="numpy"),
}


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_is_imported_in_the_loop(
    made: Any, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ROUTES[route](made) if route != "in and out" or on_host(made) else None
    statements: list[str] = []
    own = builtins.__import__

    def counted(name: str, namespace: Any = None, *rest: Any) -> Any:
        if str((namespace or {}).get("__name__", "")).startswith("anystream"):
            statements.append(name)
        return own(name, namespace, *rest)

    monkeypatch.setattr(builtins, "__import__", counted)
    before = set(sys.modules)
    for _ in range(50):
        if route != "in and out" or on_host(made):
            ROUTES[route](made)
    assert statements == []
    assert set(sys.modules) == before


def on_host(x: Any) -> bool:
    return bool(x.__dlpack_device__()[0] == 1)


# -- cuda-python#449, cupy#9266, nanobind#1375: nothing is left behind by an exchange -------------


@pytest.mark.parametrize("route", ["in", "to numpy"])
def test_the_collector_has_nothing_to_do(made: Any, route: str) -> None:
    """An exchange makes no garbage that only a collection would find."""
    for _ in range(3):
        ROUTES[route](made)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(200):
            ROUTES[route](made)
        assert len(gc.get_objects()) - before < 20
        assert gc.collect() < 20
    finally:
        gc.enable()


def test_the_producer_is_asked_once_and_only_for_what_is_needed() -> None:
    from ctypes_tensors import Producer

    class Counting(Producer):
        places = 0

        def __dlpack_device__(self) -> tuple[int, int]:
            Counting.places += 1
            return super().__dlpack_device__()

    for _ in range(5):
        Counting.places = 0
        producer = Counting()
        anystream.from_dlpack(producer)
        assert len(producer.asked) == 1
        assert Counting.places <= 1
