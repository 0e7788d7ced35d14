# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The C exchange API and streams: what a consumer is told, and what is in order before it."""

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import anystream
from anystream._core import _array_on_stream, parse_device
from anystream.testing import SimulatedDevice, SimulatedStream, values
from ctypes_tensors import Producer
from exchange_rig import Api, Described, Refused, prototype
from simulated_rig import ELEMENTS, FORMS, Race
from stand_ins import Memory

TRIALS = 100
CUDA_STREAM = 0xABCD00


@pytest.fixture
def api() -> Api:
    return Api.of(anystream.Array)


def give(api: Api, form: str, array: anystream.Array) -> Described:
    """Describe an array as a consumer gets it, by one of the two forms."""
    if form == "borrowed":
        return Described.of(api.borrow(array))
    exported = api.export(array)
    described = exported.tensor
    exported.delete()
    return described


# ---- what a consumer is told ---------------------------------------------------------------------


@pytest.mark.parametrize("gil", [True, False])
def test_null_where_no_stream_was_named(api: Api, *, gil: bool) -> None:
    for kind in range(-1, 30):
        assert api.stream((kind, 0), gil=gil) == 0


@pytest.mark.parametrize("gil", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_the_handle_of_the_stream_in_use(api: Api, form: str, *, gil: bool) -> None:
    device = SimulatedDevice()
    where = (12, device.device.id)
    outer, inner = device.stream(), device.stream()
    with anystream.use_stream(FORMS[form](outer)):
        assert api.stream(where, gil=gil) == outer.handle
        assert api.stream((12, device.device.id + 1), gil=gil) == 0
        assert api.stream((1, device.device.id), gil=gil) == 0
        with anystream.use_stream(inner):
            assert api.stream(where, gil=gil) == inner.handle
        assert api.stream(where, gil=gil) == outer.handle
    assert api.stream(where, gil=gil) == 0


def test_each_thread_is_told_its_own(api: Api) -> None:
    device = SimulatedDevice()
    where = (12, device.device.id)
    barrier = threading.Barrier(8)

    def run(stream: SimulatedStream) -> bool:
        with anystream.use_stream(stream):
            barrier.wait()
            return all(api.stream(where) == stream.handle for _ in range(200))

    with anystream.use_stream(device.stream()) as mine, ThreadPoolExecutor(8) as threads:
        assert all(threads.map(run, [device.stream() for _ in range(8)]))
        assert api.stream(where) == mine.handle


@pytest.mark.parametrize(
    ("device", "given", "told"),
    [
        ("cuda:1", CUDA_STREAM, CUDA_STREAM),
        ("cuda:1", 1, 1),  # legacy and per-thread default: CUDA takes the numbers as handles
        ("cuda:1", 2, 2),
        ("cuda_managed:0", CUDA_STREAM, CUDA_STREAM),
        ("rocm:1", CUDA_STREAM, CUDA_STREAM),
        ("rocm:1", 0, 0),  # its default stream is NULL
    ],
)
def test_raw_handles_are_told_as_they_are(api: Api, device: str, given: int, told: int) -> None:
    with anystream.use_stream(anystream.Stream(given, device=device)):
        assert api.stream(parse_device(device)) == told


# ---- order on a device that is held --------------------------------------------------------------


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_an_export_is_ordered_onto_the_stream_in_use(api: Api, form: str) -> None:
    race = Race()
    for _ in range(TRIALS):
        source = race.produce()
        race.show_it_is_wrong_without(source)
        with anystream.use_stream(race.consumer):
            assert give(api, form, source).data == source.data_ptr
        # The write, the record, and a wait where the tensor has come back: the host has not waited.
        back = form == "managed"
        assert race.producer.pending in (1 + back, 2 + back)
        assert race.consumer.pending == 1 + back  # the wait, and a record where it has come back
        target = race.read(source)
        assert race.finish(target)
        del source  # while nothing is held
        race.settle()


def test_what_the_consumer_was_told_is_what_was_ordered(api: Api) -> None:
    race = Race()
    source = race.produce()
    with anystream.use_stream(race.device.stream()), anystream.use_stream(race.consumer):
        exported = api.export(source)
        told = api.stream(exported.tensor.device)
    assert told == race.consumer.handle
    target = race.read(source)
    exported.delete()
    assert race.finish(target)


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_nothing_is_done_for_the_stream_that_the_array_is_on(api: Api, form: str) -> None:
    race = Race()
    source = race.produce()
    with anystream.use_stream(race.producer):
        for _ in range(10):
            give(api, form, source)
        assert race.producer.pending == 1  # the write; no record, no wait
        assert race.consumer.pending == 0
        target = race.device.empty((ELEMENTS,), "int32")
        race.producer.copy(target, source)
    race.producer.release()
    race.producer.synchronize()
    assert values(target) == [race.value] * ELEMENTS


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_an_out_of_order_stream_in_use_gets_a_barrier(api: Api, form: str) -> None:
    race = Race(consumer_in_order=False)
    source = race.produce()
    with anystream.use_stream(anystream.Stream(race.consumer, out_of_order="barrier")):
        give(api, form, source)
    assert race.finish(race.read(source))


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_where_no_stream_is_named_the_host_waits(api: Api, form: str) -> None:
    """A consumer that was told NULL knows no stream: as for ``__dlpack__(stream=None)``."""
    race = Race()
    source = race.produce()
    timer = threading.Timer(0.2, race.producer.release)  # Python: the GIL is dropped meanwhile
    timer.start()
    give(api, form, source)
    assert race.producer.pending == 0
    assert values(source) == [race.value] * ELEMENTS
    timer.join()


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_a_stream_of_another_device_is_not_in_use(api: Api, form: str) -> None:
    race = Race(one_device=False)
    source = race.device.full((ELEMENTS,), 5, "int32", race.producer)
    with anystream.use_stream(race.consumer):
        give(api, form, source)
        assert api.stream((12, race.device.device.id)) == 0
    assert race.consumer.pending == 0
    assert race.producer.pending == 0  # the host has waited


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_where_no_stream_of_the_array_is_known_nothing_is_pending(api: Api, form: str) -> None:
    race = Race()
    source = race.produce(told=False)
    give(api, form, source)
    with anystream.use_stream(race.consumer):
        give(api, form, source)
    assert race.consumer.pending == 0
    assert race.producer.pending == 1
    race.producer.release()


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_the_stream_of_another_platform_is_not_told_for_an_array(api: Api, form: str) -> None:
    device = SimulatedDevice()
    # Of memory that the simulation does not know: another library's kDLExtDev.
    foreign = Memory().array((12, device.device.id))
    assert give(api, form, foreign).device == (12, device.device.id)
    with (
        anystream.use_stream(device.stream()),
        pytest.raises(BufferError, match=r"(?s)would be told the wrong stream.*outside"),
    ):
        give(api, form, foreign)


# ---- without a backend ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_one_cuda_stream_needs_no_driver(api: Api, form: str) -> None:
    stream = anystream.Stream(CUDA_STREAM, device="cuda:0")
    array = _array_on_stream(Memory().array((2, 0)), stream, None)
    with anystream.use_stream(anystream.Stream(CUDA_STREAM, device="cuda:0")):
        assert give(api, form, array).device == (2, 0)


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_an_order_that_cannot_be_had_is_an_error(api: Api, form: str) -> None:
    memory = Memory()
    stream = anystream.Stream(CUDA_STREAM, device="rocm:0")
    array = _array_on_stream(memory.array((10, 0)), stream, None)
    for other in (0xABCE00, 0xABCF00):
        with (
            anystream.use_stream(anystream.Stream(other, device="rocm:0")),
            pytest.raises(anystream.DriverUnavailable),
        ):
            give(api, form, array)
    with pytest.raises(anystream.DriverUnavailable):  # the default stream, which NULL is
        give(api, form, array)


# ---- imports and new memory ----------------------------------------------------------------------


def test_what_is_taken_is_on_the_stream_in_use(api: Api) -> None:
    race = Race()
    source = race.produce(told=False)
    with anystream.use_stream(race.consumer):
        taken = api.take(api.export(source).pointer)
        assert taken.stream == anystream.Stream(race.consumer)
        host = api.take(api.export(Memory().array((1, 0))).pointer)
        assert host.stream is None
    assert api.take(api.export(source).pointer).stream is None
    race.producer.release()


def test_what_is_taken_from_another_platform_has_no_stream(api: Api) -> None:
    device = SimulatedDevice()
    producer = Producer(device=(12, device.device.id))
    with anystream.use_stream(device.stream()):
        taken = api.take(ctypes.addressof(producer.managed))
    assert taken.stream is None
    del taken
    assert producer.deleted == 1


def test_new_memory_is_of_the_platform_in_use(api: Api) -> None:
    device = SimulatedDevice()
    with anystream.use_stream(device.stream("work")):
        made = api.allocate(prototype((4,), device=(12, device.device.id)))
    array = api.take(made.pointer)
    assert array.device == device.device
    del array
    with pytest.raises(ValueError, match="work"):  # what it was allocated on is not kept
        device.find_stream("work")


# ---- SYCL ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_sycl_work_is_ordered_onto_the_queue_in_use(api: Api, sycl: Any, form: str) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    memory = sycl.memory_of(x)
    array = anystream.from_dlpack(x)
    assert sycl.unordered_read_is_wrong(producer, consumer, memory)
    event = sycl.write_slowly(producer, memory, 42)
    with anystream.use_stream(consumer):
        described = give(api, form, array)
        waited = not sycl.pending(event)
    assert described.data + described.byte_offset == x.get_array()._pointer
    assert not waited, "the host has waited"
    assert (sycl.read(consumer, memory) == 42).all()


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_sycl_work_is_done_where_no_queue_is_named(api: Api, sycl: Any, form: str) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    array = anystream.from_dlpack(x)
    event = sycl.write_slowly(producer, sycl.memory_of(x), 42)
    give(api, form, array)
    assert not sycl.pending(event)
    assert (sycl.read(consumer, sycl.memory_of(x)) == 42).all()


def test_a_sycl_consumer_is_told_a_queue(api: Api, sycl: Any) -> None:
    queue = sycl.queue()
    with anystream.use_stream(queue):
        told = api.stream((14, 0))
        assert anystream.Stream.from_handle("oneapi:0", told) == anystream.Stream(queue)


@pytest.mark.parametrize("form", ["managed", "borrowed"])
def test_sycl_memory_that_dlpack_cannot_describe_is_refused(api: Api, sycl: Any, form: str) -> None:
    queue = sycl.queue(context=sycl.other_context())
    array = anystream.from_dlpack(sycl.zeros("memory", queue))
    with pytest.raises(BufferError, match="default context"):
        give(api, form, array)
    with anystream.use_stream(queue), pytest.raises(Refused) as refused:
        api.allocate(prototype(device=(14, 0)))
    [(kind, message)] = refused.value.calls
    assert (kind, "default context" in message) == ("BufferError", True)
