# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers that the table does not know: called once, by their signature, never trusted."""

import ctypes
import gc
import re
from typing import Any

import pytest

import anystream
from anystream._peer import class_names
from signatures import Bare, Full, StreamOnly, Versioned
from stand_ins import Producer, Recorder

VALUES = [1.0, 2.0, 3.0]


@pytest.mark.parametrize("kind", [Bare, StreamOnly, Versioned, Full, Producer])
@pytest.mark.parametrize("copy", [None, True, False])
def test_every_signature_on_the_host(kind: Any, copy: bool | None) -> None:
    x = kind()
    array = anystream.from_dlpack(x, copy=copy)
    assert x.asked.keys() <= {"max_version"}
    assert (array.data_ptr != x._array.data_ptr) is bool(copy)
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    assert np.from_dlpack(array).tolist() == VALUES
    again = kind()
    assert anystream.handoff(again, to="numpy", copy=copy).tolist() == VALUES
    assert again.asked.keys() <= {"max_version"}


class Raises(Versioned):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def answer(self, version: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("error", [TypeError("mine"), RuntimeError("mine"), KeyError("mine")])
def test_its_own_error_comes_through_after_one_call(error: Exception) -> None:
    x = Raises(error)
    with pytest.raises(type(error)) as caught:
        anystream.from_dlpack(x)
    assert caught.value is error
    assert len(x.calls) == 1


def test_a_method_that_is_replaced_is_looked_at_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    class Changing(Producer):
        pass

    anystream.from_dlpack(Changing())
    monkeypatch.setattr(Changing, "__dlpack__", lambda self: self.export(late=True))
    x = Changing()
    anystream.from_dlpack(x)
    assert x.asked == {"late": True}


def test_a_method_of_the_object_alone_is_asked_by_its_own_signature() -> None:
    class Wrapper:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    for inner in (Bare(), Producer(), Bare()):
        anystream.from_dlpack(Wrapper(inner))
        assert inner.asked == ({"max_version": (1, 3)} if type(inner) is Producer else {})


def test_what_is_no_array_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"takes an array: .*; got int 3"):
        anystream.explain(3)


def test_asked_by_its_signature_when_a_subclass_overrides_a_known_method() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")

    class Mine(np.ndarray):  # type: ignore[misc, name-defined]
        def __dlpack__(self, *, stream: Any = None) -> Any:
            return np.ones(2).__dlpack__()

    x = np.zeros(3).view(Mine)
    assert anystream.handoff(x, to="numpy").tolist() == [1.0, 1.0]


def sycl_producer(sycl: Any, queue: Any, kind: Any = Producer) -> tuple[Any, Any]:
    memory = sycl.zeros("dpnp", queue)
    return kind((14, 0), anystream.from_dlpack(memory)), memory


def test_on_sycl_it_is_sent_the_consumers_queue(sycl: Any) -> None:
    import dpctl

    consumer = sycl.queue()
    x, _ = sycl_producer(sycl, sycl.queue())
    y = anystream.handoff(x, to="dpnp", stream=consumer)
    assert type(x.asked["stream"]) is dpctl.SyclQueue
    assert x.asked["stream"] == consumer == y.sycl_queue


def test_on_sycl_it_is_sent_a_queue_when_nobody_names_one(sycl: Any) -> None:
    x, _ = sycl_producer(sycl, sycl.queue())
    array = anystream.from_dlpack(x)
    assert x.asked["stream"].is_in_order
    assert array.stream == anystream.Stream(x.asked["stream"])


def test_what_it_orders_is_kept(sycl: Any) -> None:
    """A class that follows the protocol: its work is before what the queue does next."""
    producer = sycl.queue()

    class Orders(Recorder):
        def __dlpack__(self, *, stream: Any, max_version: Any = None) -> Any:
            stream.submit_barrier([producer.submit_barrier()])
            return self.export(stream=stream, max_version=max_version)

    for stream in (sycl.queue(), None):
        x, memory = sycl_producer(sycl, producer, Orders)
        work = sycl.write_slowly(producer, sycl.memory_of(memory), 7)
        array = anystream.from_dlpack(x, stream=stream)
        y = anystream.handoff(array, to="dpnp", stream=sycl.queue())
        assert sycl.pending(work)
        assert (sycl.read(y.sycl_queue, sycl.memory_of(y)) == 7).all()
        producer.wait()


def test_to_the_host_the_queue_that_it_was_sent_is_waited_for(sycl: Any) -> None:
    producer = sycl.queue()

    class Orders(Recorder):
        def __dlpack__(self, *, stream: Any, max_version: Any = None) -> Any:
            stream.submit_barrier([producer.submit_barrier()])
            return self.export(stream=stream, max_version=max_version)

    x, memory = sycl_producer(sycl, producer, Orders)
    sycl.write_slowly(producer, sycl.memory_of(memory), 8)
    assert (anystream.handoff(x, to="numpy") == 8).all()


def test_strict_does_not_take_its_word(sycl: Any) -> None:
    x, _ = sycl_producer(sycl, sycl.queue())
    with pytest.raises(anystream.OrderingError, match=r"no row of the table vouches"):
        anystream.handoff(x, to="dpnp", stream=sycl.queue(), strict=True)
    assert x.calls == []


def test_strict_is_content_with_a_producer_stream(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x, memory = sycl_producer(sycl, producer)
    work = sycl.write_slowly(producer, sycl.memory_of(memory), 9)
    y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=producer, strict=True)
    assert sycl.pending(work)
    assert x.asked["stream"] == consumer
    assert (sycl.read(consumer, sycl.memory_of(y)) == 9).all()


def test_one_that_takes_no_stream_is_not_handed_on_unordered(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x, memory = sycl_producer(sycl, producer, Bare)
    with pytest.raises(anystream.OrderingError, match=re.escape("producer_stream=")):
        anystream.handoff(x, to="dpnp", stream=consumer)
    assert x.calls == []
    work = sycl.write_slowly(producer, sycl.memory_of(memory), 5)
    y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=producer)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 5).all()
    assert anystream.handoff(x, to="dpnp", stream=consumer, ordering="none").shape == y.shape


def test_a_device_type_that_dlpack_has_not_named_is_refused_by_its_number() -> None:
    with pytest.raises(anystream.DriverUnavailable, match="x is not on device_type_99:0, and this"):
        anystream.from_dlpack(Producer(), device=(99, 0))
    text = r"on an array of device type 99: anystream has no backend for its device type"
    with pytest.raises(anystream.DriverUnavailable, match=text):
        _ = anystream.Device((99, 0)).name


def test_a_class_that_was_made_in_c_without_a_module() -> None:
    """As paddle's Tensor is: its name is in its repr alone."""

    class Nameless(Producer):
        pass

    [namespace] = [one for one in gc.get_referents(Nameless) if type(one) is dict]
    del namespace["__module__"]
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(Nameless))
    name = ctypes.c_char_p.from_address(id(Nameless) + 3 * ctypes.sizeof(ctypes.c_void_p))
    before, name.value = name.value, b"library.Nameless"
    try:
        with pytest.raises(AttributeError):
            _ = Nameless.__module__
        assert class_names(Nameless)[0] == ("library", Nameless.__qualname__)
        assert anystream.from_dlpack(Nameless()).shape == (3,)
    finally:
        name.value = before
