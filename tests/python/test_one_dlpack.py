# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The example library: one ``__dlpack__`` for all device types, with every value of the oracle."""

import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import _core
from anystream.typing import Simulated
from cuda_rig import run
from simulated_rig import ELEMENTS, Race
from stream_oracle import OUTCOMES, WHERE, Where
from stream_values import HANDLE, VALUES, sycl_queue

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "python"))
import one_dlpack  # noqa: E402

ERRORS = {"T": TypeError, "V": ValueError}


def device_of(where: Where) -> anystream.Device:
    return anystream.Device(where.type, 0, platform=where.platform)


def is_in_order(stream: anystream.Stream) -> bool:
    try:
        return stream.in_order or stream.out_of_order == "barrier"
    except anystream.DriverUnavailable:  # nobody could tell, so nothing is refused
        return True


def idle_array(where: Where) -> one_dlpack.Array[Any]:
    """Make an array of memory that nothing reads; SYCL tells whether it is memory."""
    if where.column != "oneapi":
        return one_dlpack.Array(HANDLE, (1,), "float32", device_of(where))
    sycl_queue()
    memory = importlib.import_module("dpctl.memory").MemoryUSMDevice(4)
    return one_dlpack.Array(memory._pointer, (1,), "float32", device_of(where), owner=memory)


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("where", WHERE, ids=lambda where: f"{where.type}{where.platform}")
def test_every_value_is_taken_or_refused(where: Where, name: str) -> None:
    """Nothing is pending, so that what is taken needs nothing more."""
    array = idle_array(where)
    value, outcome = VALUES[name](), OUTCOMES[name][where.column]
    if outcome.kind == "foreign":
        assert anystream.resolve_stream(device_of(where), value.passed).argument is value.passed
        with pytest.raises(anystream.DriverUnavailable, match="nobody here can order"):
            array.__dlpack__(stream=value.passed)
        return
    if outcome.kind not in ERRORS:
        consumer = anystream.resolve_stream(device_of(where), value.passed)
        assert consumer.form == outcome.kind
        if consumer.stream is not None and not is_in_order(consumer.stream):
            with pytest.raises(ValueError, match="must be in-order"):
                array.__dlpack__(stream=value.passed)
            return
        assert _core._capsule_device(array.__dlpack__(stream=value.passed)) == (where.type, 0)
        return
    for refuse in (
        lambda: array.__dlpack__(stream=value.passed),
        lambda: anystream.resolve_stream(device_of(where), value.passed),
    ):
        with pytest.raises(ERRORS[outcome.kind]) as caught:
            refuse()
        assert type(caught.value) is ERRORS[outcome.kind]
        assert str(caught.value).startswith("__dlpack__(stream=…): ")


def test_on_the_cpu() -> None:
    np = pytest.importorskip("numpy")
    source = np.arange(6, dtype="float32")
    before = sys.getrefcount(source)
    array = one_dlpack.Array[Any](source.ctypes.data, (2, 3), "float32", "cpu", owner=source)
    assert array.nbytes == 24
    view = np.from_dlpack(array)
    view[1, 2] = 7
    assert source.tolist() == [0, 1, 2, 3, 4, 7]
    again = one_dlpack.from_dlpack(view)
    assert (again.shape, again.dtype, again.memory) == ((2, 3), "float32", array.memory)
    del array, view, again
    gc.collect()
    assert sys.getrefcount(source) == before


# ---- the simulated accelerator: producers are held -----------------------------------------------


@pytest.fixture
def race() -> Iterator[Race]:
    made = Race()
    yield made
    made.producer.release()
    made.settle()


def held(race: Race) -> one_dlpack.Array[Simulated]:
    """Make an array of the library whose writing is pending."""
    memory = race.produce(told=False)
    where = (memory.data_ptr, (ELEMENTS,), "int32", memory.device)
    return one_dlpack.Array(*where, stream=anystream.Stream(race.producer), owner=memory)


def test_a_simulated_array_is_ordered(race: Race) -> None:
    array = held(race)
    taken = one_dlpack.from_dlpack(array, stream=race.consumer)
    assert race.producer.pending > 0
    assert race.finish(race.read(taken._owner))


def test_resolve_stream_orders_what_it_was_given(race: Race) -> None:
    array = held(race)
    consumer = anystream.resolve_stream(array.device, race.consumer)
    assert (consumer.form, consumer.device) == ("stream", array.device)
    assert consumer.wait_stream(array.stream) == "event"
    assert anystream.resolve_stream(array.device, -1).wait_stream(array.stream) == "nothing"
    assert anystream.resolve_stream(array.device, race.producer).wait_stream(race.producer) == (
        "nothing"
    )
    assert consumer.wait_stream(None) == "nothing"
    assert race.finish(race.read(array._owner))


def test_its_stream_is_known_where_none_is_named(race: Race) -> None:
    """Nothing moves and nobody waits: the Array is on the stream that the library's is on."""
    array = held(race)
    taken = anystream.from_dlpack(array)
    assert race.producer.pending > 0
    assert taken.stream == anystream.Stream(race.producer)
    assert taken.plan.producer.what == "one_dlpack.Array"
    plan = anystream.explain(array, stream=race.consumer)
    assert (plan.producer.what, plan.protocol.what) == ("one_dlpack.Array", "none")
    with anystream.borrow(array, stream=race.consumer) as lent:
        target = race.read(lent)
    assert race.finish(target)
    # What is known of Arrays is not of the library's.
    own = anystream.from_dlpack(race.produce())
    assert own.plan.producer.what == "anystream"
    race.producer.release()


def test_what_gives_no_array_is_told_so() -> None:
    class Wrong(one_dlpack.Array[Any]):
        def __anystream__(self) -> Any:
            return self

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(
        TypeError, match=r"Wrong.__anystream__\(\) is to give an anystream.Array; got"
    ):
        anystream.from_dlpack(Wrong(HANDLE, (1,), "float32", "cuda:0"))


def test_none_has_the_host_wait(race: Race) -> None:
    array = held(race)
    race.producer.release()
    default = anystream.resolve_stream(array.device, None)
    assert default.wait_stream(array.stream) in ("host_wait", "idle")
    assert race.producer.pending == 0
    assert default.wait_stream(array.stream) == "idle"


def test_an_out_of_order_consumer_is_refused() -> None:
    race = Race(consumer_in_order=False)
    array = held(race)
    consumer = anystream.resolve_stream(array.device, race.consumer)
    with pytest.raises(ValueError, match="out_of_order="):
        consumer.wait_stream(array.stream)
    assert race.consumer.pending == 0
    race.producer.release()


def test_the_owner_lives_until_the_consumers_stream_is_done(race: Race) -> None:
    array = held(race)
    race.producer.release()
    race.producer.synchronize()
    source = anystream.from_dlpack(array, stream=race.consumer)
    memory = array._owner
    before = sys.getrefcount(memory)
    race.consumer.hold()
    target = race.read(source)
    del array, source
    gc.collect()
    assert sys.getrefcount(memory) >= before - 1  # all but the library's own
    race.consumer.release()
    race.settle()
    assert sys.getrefcount(memory) < before
    del target


def test_a_foreign_stream_is_for_its_library_to_order() -> None:
    stream = object()
    consumer = anystream.resolve_stream("vulkan:0", stream)
    assert (consumer.form, consumer.argument) == ("foreign", stream)
    with pytest.raises(anystream.DriverUnavailable, match="vulkan:0 has no platform"):
        consumer.wait_stream(object())
    assert consumer.wait_stream(None) == "nothing"


# ---- SYCL, OpenCL and CUDA ----------------------------------------------------------------------


def test_a_sycl_array_is_ordered() -> None:
    sycl_queue()
    np = pytest.importorskip("numpy")
    import sycl_rig as rig

    producer, consumer = rig.queue(), rig.queue()
    memory = rig.zeros("memory", producer)
    rig.write_slowly(producer, memory, 42)
    where = (memory._pointer, (rig.ELEMENTS,), "int32", anystream.Stream(producer).device)
    array = one_dlpack.Array(*where, stream=producer, owner=memory)
    taken = anystream.from_dlpack(array, stream=consumer)
    seen = rig.zeros_shared(consumer)
    consumer.memcpy_async(seen, rig.raw_memory_of(taken), rig.ELEMENTS * 4)
    consumer.wait()
    assert set(np.asarray(seen).view("int32").tolist()) == {42}


@pytest.mark.filterwarnings("ignore:Non-empty compiler output")
@pytest.mark.parametrize("driver", ["pocl", "intel"])
def test_an_opencl_array_is_ordered(driver: str) -> None:
    """The producer's queue is held by a gate; the memory is a cl_mem, told apart from an offset."""
    import opencl_rig as rig

    producer, consumer = rig.queue(driver), rig.queue(driver)
    written = rig.filled(producer, 1)
    device = anystream.Stream(producer).device
    where = (written.base_data.int_ptr, (rig.WIDTH,), "int32", device)
    array = one_dlpack.Array(*where, stream=producer, owner=written)
    with rig.Gate(producer) as gate:
        rig.write(producer, written, 42)
        given = anystream.handoff(array, to="pyopencl", stream=consumer)
        seen, event = rig.read(consumer, given)
        assert not rig.is_done(event)
        gate.open()
        assert rig.becomes_done(event)
    assert (rig.values(consumer, seen) == 42).all()


def test_a_cuda_array_is_ordered() -> None:
    """By each name of the consumer's stream, on the software driver; without, it is early."""
    lines = run(
        f"import sys; sys.path.insert(0, {str(ROOT / 'examples' / 'python')!r})",
        """
        import one_dlpack
        for name in ("object", "number", "__dlpack_stream__"):
            stream = {"object": consumer, "number": handle_of(consumer),
                      "__dlpack_stream__": anystream.Stream(consumer, device="cuda:0")}[name]
            x = lab.buffer()
            producer.sync()
            driver.hold(producer)
            x.fill(7, stream=producer)
            where = (int(x.handle), (SIZE,), "uint8", "cuda:0")
            array = one_dlpack.Array(*where, stream=producer, owner=x)
            lab.read(int(x.handle))
            unordered = lab.early()
            taken = array.__dlpack__(stream=stream)
            lab.read(int(x.handle))
            print(name, unordered == POISON, lab.early() == UNREAD, lab.outcome())
            del taken, array
        """,
    )
    assert lines == [f"{name} True True 7" for name in ("object", "number", "__dlpack_stream__")]
