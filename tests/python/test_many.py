# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Many arrays in one call: the same container back, and one event for each pair of streams."""

import gc
from collections import OrderedDict
from typing import Any, NamedTuple

import pytest

import anystream
from anystream import _execute
from anystream.testing import SimulatedDevice, peek, values
from ctypes_tensors import Producer
from simulated_rig import POISON, put_a_library_there
from stand_ins import Memory
from stand_ins import Producer as Recorded

np = pytest.importorskip("numpy", reason="numpy is not installed")

COUNT = 5


def arrays() -> list[Any]:
    return [np.full(3, float(value)) for value in range(COUNT)]


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[Any, ...]]:
    """Watch a function of the executor: what it was called with."""
    calls: list[tuple[Any, ...]] = []
    real = getattr(_execute, name)

    def watched(*arguments: Any) -> Any:
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(_execute, name, watched)
    return calls


# -- containers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_sequence_gives_one_of_its_kind(kind: Any) -> None:
    given = kind(arrays())
    handed = anystream.handoff(given, to="numpy")
    imported = anystream.from_dlpack(given)
    assert type(handed) is type(imported) is kind
    for x, y, array in zip(given, handed, imported, strict=True):
        assert y.tolist() == x.tolist()
        assert y.ctypes.data == array.data_ptr == x.ctypes.data


def test_a_dict_keeps_its_keys_and_their_order() -> None:
    given = dict(zip(["z", 3, None, "a", (1, 2)], arrays(), strict=True))
    handed = anystream.handoff(given, to="numpy")
    imported = anystream.from_dlpack(given)
    assert list(handed) == list(imported) == list(given)
    assert [y[0] for y in handed.values()] == [0, 1, 2, 3, 4]
    assert isinstance(imported["z"], anystream.Array)


class Pair(NamedTuple):
    left: Any
    right: Any


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (type("Mine", (list,), {})(arrays()), list),
        (Pair(*arrays()[:2]), tuple),
        (OrderedDict(enumerate(arrays())), dict),
    ],
)
def test_subclasses_are_what_their_base_is(given: Any, kind: type) -> None:
    handed: Any = anystream.handoff(given, to="numpy")
    assert len(handed) == len(given)
    assert type(handed) is kind


def test_a_class_that_exports_itself_is_an_array_whatever_its_base() -> None:
    class Row(list):  # type: ignore[type-arg]
        def __dlpack__(self, **keywords: Any) -> Any:
            return np.array(self).__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    row: Any = Row([1.0, 2.0])  # to a type checker it would be a list of arrays
    assert anystream.handoff(row, to="numpy").tolist() == [1.0, 2.0]
    assert isinstance(anystream.from_dlpack(row), anystream.Array)


@pytest.mark.parametrize("empty", [[], (), {}])
def test_an_empty_one_gives_an_empty_one(empty: Any) -> None:
    assert anystream.handoff(empty, to="numpy") == empty
    assert anystream.from_dlpack(empty) == empty
    assert anystream.explain(empty, to="numpy") == empty
    with pytest.raises(ValueError, match="nonsense"):
        anystream.handoff(empty, to="nonsense")


def test_explain_gives_the_plan_of_each() -> None:
    x, y = arrays()[:2]
    plans = anystream.explain({"x": x, "y": y}, to="numpy", copy=True)
    assert plans == dict.fromkeys("xy", anystream.explain(x, to="numpy", copy=True))
    assert anystream.explain([x, y]) == [anystream.explain(x)] * 2
    assert anystream.explain((x,)) == (anystream.explain(x),)


def test_what_changes_under_way_is_taken_as_it_was() -> None:
    given: list[Any] = []

    class Growing(Recorded):
        def __dlpack__(self, **keywords: Any) -> Any:
            given.append(self)
            return super().__dlpack__(**keywords)

    given += [Growing(), Growing()]
    assert len(anystream.from_dlpack(given)) == 2


# -- order: once for each pair of streams ---------------------------------------------------------


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> str:
    put_a_library_there(monkeypatch)
    return "tvm_ffi"


def pending_fills(device: Any, producer: Any) -> list[anystream.Array]:
    producer.hold()
    made = [device.empty((8,), "int32", producer) for _ in range(COUNT)]
    for value, array in enumerate(made):
        producer.fill(array, value)
    return made


@pytest.mark.parametrize("way", ["from_dlpack", "handoff"])
def test_many_arrays_of_one_stream_take_one_record_and_one_wait(library: str, way: str) -> None:
    device = SimulatedDevice()
    producer, consumer = device.stream("producer"), device.stream("consumer")
    given = pending_fills(device, producer)
    if way == "handoff":
        handed = anystream.handoff(given, to=library, stream=consumer, strict=True)
        taken = [anystream.from_dlpack(y) for y in handed]
    else:
        taken = anystream.from_dlpack(given, stream=consumer, strict=True)
    assert producer.pending == COUNT + 1  # the fills and one record
    assert consumer.pending == 1  # one wait
    targets = [device.empty((8,), "int32") for _ in taken]
    for target, array in zip(targets, taken, strict=True):
        consumer.copy(target, array)
    assert {peek(target) for target in targets} == {POISON}
    producer.release()
    consumer.synchronize()
    assert [values(target) for target in targets] == [[value] * 8 for value in range(COUNT)]


def test_each_producer_stream_takes_one() -> None:
    device = SimulatedDevice()
    consumer = device.stream("consumer")
    producers = [device.stream(f"producer {number}") for number in range(3)]
    given = [array for producer in producers for array in pending_fills(device, producer)]
    kept = anystream.from_dlpack(given[::2] + given[1::2], stream=consumer)
    assert [producer.pending for producer in producers] == [COUNT + 1] * 3
    assert consumer.pending == 3
    assert len(kept) == 3 * COUNT
    for producer in producers:
        producer.release()


def test_streams_that_are_named_for_all_are_ordered_once_each() -> None:
    device = SimulatedDevice()
    producers = [device.stream("one"), device.stream("other")]
    consumer = device.stream("consumer")
    given = pending_fills(device, producers[0])
    producers[1].hold()
    kept = anystream.from_dlpack(given, producer_stream=producers, stream=consumer)
    assert [producer.pending for producer in producers] == [COUNT + 1, 1]
    assert consumer.pending == 2
    assert len(kept) == COUNT
    joined = anystream.from_dlpack(given, producer_stream=producers)  # they stay on the first
    assert [producer.pending for producer in producers] == [COUNT + 2, 2]
    assert {array.stream for array in joined} == {anystream.Stream(producers[0])}
    for producer in producers:
        producer.release()


def test_an_out_of_order_stream_takes_one_barrier() -> None:
    device = SimulatedDevice()
    stream = device.stream("both", in_order=False)
    given = pending_fills(device, stream)
    consumer = anystream.Stream(stream, out_of_order="barrier")
    anystream.from_dlpack(given, stream=consumer)
    assert stream.pending == COUNT + 1
    stream.release()


def test_the_host_waits_once_for_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    device = SimulatedDevice()
    producer = device.stream("producer")
    given = pending_fills(device, producer)
    producer.release()
    waits = counted(monkeypatch, "synchronize_stream")
    taken = anystream.from_dlpack(given, ordering="host")
    assert len(waits) == 1
    assert [values(array) for array in taken] == [[value] * 8 for value in range(COUNT)]


@pytest.mark.parametrize("way", ["from_dlpack", "handoff"])
def test_on_sycl_one_event_and_right_values(
    sycl: Any, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    given = {value: sycl.zeros("dpnp", producer) for value in range(1, COUNT)}
    memory = sycl.memory_of(given[1])
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    work = sycl.write_slowly(producer, memory, 1)
    for value in range(2, COUNT):
        sycl.submit(producer, sycl.memory_of(given[value]), value, 1)
    events = counted(monkeypatch, "order_streams")
    if way == "handoff":
        taken = anystream.handoff(given, to="dpnp", stream=consumer)
    else:
        taken = anystream.from_dlpack(given, stream=consumer)
    assert sycl.pending(work)
    assert len(events) == 1
    for value, x in given.items():
        assert (sycl.read(consumer, sycl.memory_of(x)) == value).all()
    if way == "handoff":
        assert all(y.sycl_queue == consumer for y in taken.values())
        assert all((y == value).all() for value, y in taken.items())


def test_the_stream_that_nobody_named_is_one_for_all(sycl: Any) -> None:
    taken = anystream.from_dlpack(arrays(), device="oneapi:0")
    assert len({array.stream for array in taken}) == 1
    assert [array.__dlpack_device__() for array in taken] == [(14, 0)] * COUNT


def test_arrays_of_several_libraries_and_devices(sycl: Any) -> None:
    queue = sycl.queue()
    given = [np.full(sycl.ELEMENTS, 7, dtype="int32"), sycl.zeros("dpnp", sycl.queue())]
    host, device = anystream.handoff(given, to="dpnp", stream=queue)
    assert host.sycl_queue == device.sycl_queue == queue
    assert (host == 7).all()
    assert (device == 0).all()


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ([np.zeros(3), 1.0], "This is about x[1] of the list that was given."),
        ((1, 2, 3), "This is about x[0] of the tuple that was given."),
        ({"a": np.zeros(3), "b": None}, "This is about x['b'] of the dict that was given."),
        ([[np.zeros(3)]], "This is about x[0] of the list that was given."),
    ],
)
def test_what_is_no_array_is_named(given: Any, note: str) -> None:
    calls: list[Any] = [
        lambda: anystream.handoff(given, to="numpy"),
        lambda: anystream.from_dlpack(given),
        lambda: anystream.explain(given),
    ]
    for call in calls:
        for kind in (TypeError, AttributeError):
            with pytest.raises(kind, match=r"^anystream takes an array: ") as refused:
                call()
            assert refused.value.__notes__ == [note]


def test_nothing_is_exported_where_something_is_refused_beforehand() -> None:
    first, last = Recorded(), Recorded((14, 0), Memory().array((14, 0)))
    with pytest.raises(BufferError) as refused:
        anystream.handoff([first, last], to="mlx" if has("mlx") else "numpy", copy=False)
    assert "x[0]" in refused.value.__notes__[0] or "x[1]" in refused.value.__notes__[0]
    assert first.calls == last.calls == []


def has(library: str) -> bool:
    from importlib.util import find_spec

    return find_spec(library) is not None


class Refuses(Producer):
    """An array whose export fails, after others of the list were exported."""

    def __dlpack__(self, **keywords: Any) -> Any:
        raise RuntimeError("the producer's own")


@pytest.mark.parametrize("to", [None, "numpy"])
@pytest.mark.parametrize("keep", [True, False])
def test_what_was_imported_is_let_go_again(to: str | None, keep: bool) -> None:
    given = [Producer(), Producer(), Refuses(), Producer()]
    with pytest.raises(RuntimeError, match=r"^the producer's own") as failed:
        anystream.from_dlpack(given) if to is None else anystream.handoff(given, to=to)
    assert failed.value.__notes__ == ["This is about x[2] of the list that was given."]
    error = failed.value if keep else None  # its traceback keeps nothing
    for producer in given:
        producer.drop()
    gc.collect()
    assert [producer.deleted for producer in given] == [1, 1, 0, 0]
    assert [len(producer.asked) for producer in given] == [1, 1, 0, 0]
    del error


def test_what_the_library_does_not_take_lets_all_go(monkeypatch: pytest.MonkeyPatch) -> None:
    class OwnError(Exception):
        pass

    taken: list[Any] = []

    def refuse_the_third(carrier: Any, /) -> Any:
        if len(taken) == 2:
            raise OwnError
        taken.append(carrier)
        return carrier

    monkeypatch.setattr(np, "from_dlpack", refuse_the_third)
    given = [Producer() for _ in range(4)]
    with pytest.raises(OwnError) as failed:
        anystream.handoff(given, to="numpy")
    assert failed.value.__notes__ == ["This is about x[2] of the list that was given."]
    taken.clear()
    for producer in given:
        producer.drop()
    gc.collect()
    # The traceback keeps what it is about, and nothing else.
    assert [producer.deleted for producer in given] == [1, 1, 0, 1]
    del failed
    gc.collect()
    assert [producer.deleted for producer in given] == [1, 1, 1, 1]


def test_one_capsule_serves_once() -> None:
    producer = Producer()
    capsule = producer.capsule()
    with pytest.raises(ValueError, match="used") as failed:
        anystream.from_dlpack([capsule, capsule])
    assert failed.value.__notes__ == ["This is about x[1] of the list that was given."]
    producer.drop()
    assert producer.deleted == 1


def test_one_array_twice_is_two_views() -> None:
    x = np.zeros(3)
    one, other = anystream.handoff([x, x], to="numpy")
    assert one is not other
    assert one.ctypes.data == other.ctypes.data == x.ctypes.data
