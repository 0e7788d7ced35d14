# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Array.__dlpack__(stream=…) on a held stream: the reader does not run before the writer."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule, _array_on_stream
from anystream.testing import SimulatedDevice, SimulatedStream, values
from anystream.typing import named_capsule
from ctypes_tensors import IS_COPIED, Taken
from export_rig import EXPORTERS

ELEMENTS = 16
WRITTEN = [42] * ELEMENTS
POISON = [-1515870811] * ELEMENTS  # 0xA5 in every byte


@pytest.fixture
def device() -> Iterator[SimulatedDevice]:
    with SimulatedDevice() as made:
        yield made


class Held:
    """An array whose writing is queued on a held stream."""

    def __init__(self, device: SimulatedDevice, *, in_order: bool = True) -> None:
        self.device = device
        self.producer = device.stream(in_order=in_order)
        self.producer.hold()
        self.array = device.full(ELEMENTS, 42, "int32", self.producer)

    def reader(self, *, in_order: bool = True) -> SimulatedStream:
        return self.device.stream(in_order=in_order)

    def read(self, capsule: Any, on: SimulatedStream) -> anystream.Array:
        """Queue a copy of what was exported; it shows what the reader saw."""
        exported = _array_from_capsule(capsule, anystream.Stream(on), None)
        assert exported.device == self.array.device
        target = self.device.empty(ELEMENTS, "int32", on)
        on.copy(target, exported)
        return target


def spellings() -> list[Any]:
    return [
        pytest.param(lambda s: s, id="SimulatedStream"),
        pytest.param(anystream.Stream, id="Stream"),
        pytest.param(lambda s: s._get_capsule(), id="capsule"),
    ]


@pytest.mark.parametrize("name", spellings())
@pytest.mark.parametrize("versioned", [False, True])
def test_the_reader_waits_for_the_writer(
    device: SimulatedDevice, name: Callable[[Any], Any], *, versioned: bool
) -> None:
    held = Held(device)
    reader = held.reader()
    version = (1, 0) if versioned else None
    capsule = held.array.__dlpack__(stream=name(reader), max_version=version)
    target = held.read(capsule, reader)
    assert held.producer.pending > 0  # the call did not wait for it
    assert values(target) == POISON
    held.producer.release()
    reader.synchronize()
    assert values(target) == WRITTEN


def test_without_ordering_the_reader_does_not_wait(device: SimulatedDevice) -> None:
    """What the test above would show if nothing were ordered."""
    held = Held(device)
    reader = held.reader()
    target = held.read(held.array.__dlpack__(stream=-1), reader)
    reader.synchronize()
    assert values(target) == POISON


def test_a_thousand_times(device: SimulatedDevice) -> None:
    for _ in range(1000):
        held = Held(device)
        reader = held.reader()
        target = held.read(held.array.__dlpack__(stream=reader), reader)
        held.producer.release()
        reader.synchronize()
        assert values(target) == WRITTEN


def test_a_capsule_of_a_stream_serves_again(device: SimulatedDevice) -> None:
    reader = device.stream()
    capsule = named_capsule(reader._get_capsule(), "anystream_simulated_stream")
    for _ in range(3):
        held = Held(device)
        target = held.read(held.array.__dlpack__(stream=capsule), reader)
        held.producer.release()
        reader.synchronize()
        assert values(target) == WRITTEN


def test_on_the_arrays_own_stream_nothing_is_done(device: SimulatedDevice) -> None:
    held = Held(device)
    before = held.producer.pending
    held.array.__dlpack__(stream=held.producer)
    assert held.producer.pending == before


def test_none_waits_on_the_host_and_drops_the_gil(device: SimulatedDevice) -> None:
    """The releasing thread could not run if the GIL were held; the array is complete on return."""
    held = Held(device)
    releasing = threading.Timer(0.05, held.producer.release)
    releasing.start()
    held.array.__dlpack__()
    assert values(held.array) == WRITTEN
    releasing.join()


def test_none_asks_first(device: SimulatedDevice) -> None:
    """With nothing pending no thread has to wake up; a held stream would wait for ever."""
    held = Held(device)
    held.producer.release()
    held.producer.synchronize()
    held.producer.hold()
    held.array.__dlpack__()


@pytest.mark.parametrize("asked", [{}, {"copy": True}, {"dl_device": (12, 0)}])
def test_a_reader_out_of_order_is_refused(device: SimulatedDevice, asked: dict[str, Any]) -> None:
    held = Held(device)
    reader = held.reader(in_order=False)
    if "dl_device" in asked:
        asked = {"dl_device": held.array.__dlpack_device__()}
    before = held.producer.pending
    with pytest.raises(ValueError, match=r'anystream\.Stream\(q, out_of_order="barrier"\)'):
        held.array.__dlpack__(stream=reader, **asked)
    assert (held.producer.pending, reader.pending) == (before, 0)


def test_a_reader_out_of_order_is_given_a_barrier(device: SimulatedDevice) -> None:
    held = Held(device)
    reader = held.reader(in_order=False)
    stream = anystream.Stream(reader, out_of_order="barrier")
    target = held.read(held.array.__dlpack__(stream=stream), reader)
    held.producer.release()
    reader.synchronize()
    assert values(target) == WRITTEN


def test_one_queue_out_of_order_needs_a_barrier(device: SimulatedDevice) -> None:
    def seen(stream: Any) -> list[Any]:
        held = Held(device, in_order=False)
        target = held.read(held.array.__dlpack__(stream=stream(held.producer)), held.producer)
        held.producer.release()
        held.producer.synchronize()
        return list(values(target))

    assert seen(lambda _: -1) == POISON
    assert seen(lambda s: anystream.Stream(s, out_of_order="barrier")) == WRITTEN


def test_another_devices_stream_is_ordered_too(device: SimulatedDevice) -> None:
    held = Held(device)
    with SimulatedDevice() as other:
        reader = other.stream()
        capsule = held.array.__dlpack__(stream=reader)
        seen: list[int] = []
        reader.call(lambda: seen.append(held.producer.pending))
        held.producer.release()
        reader.synchronize()
        assert seen == [0]
        assert Taken.of(capsule).device == held.array.__dlpack_device__()


@pytest.mark.parametrize("in_order", [True, False])
def test_a_copy_runs_on_the_readers_stream(device: SimulatedDevice, *, in_order: bool) -> None:
    held = Held(device, in_order=in_order)
    reader = held.reader()
    capsule = held.array.__dlpack__(stream=reader, copy=True, max_version=(1, 0))
    address = held.array.data_ptr
    assert held.producer.pending > 0
    exported = _array_from_capsule(capsule, anystream.Stream(reader), None)
    assert exported.data_ptr != address
    target = device.empty(ELEMENTS, "int32", reader)
    reader.copy(target, exported)
    held.producer.release()
    reader.synchronize()
    assert values(target) == WRITTEN


def test_a_copy_for_a_reader_out_of_order_comes_before_it_reads(device: SimulatedDevice) -> None:
    held = Held(device)
    reader = held.reader(in_order=False)
    stream = anystream.Stream(reader, out_of_order="barrier")
    target = held.read(held.array.__dlpack__(stream=stream, copy=True), reader)
    held.producer.release()
    reader.synchronize()
    assert values(target) == WRITTEN


def test_a_copy_without_a_stream_is_complete_on_return(device: SimulatedDevice) -> None:
    held = Held(device)
    releasing = threading.Timer(0.05, held.producer.release)
    releasing.start()
    taken = Taken.of(held.array.__dlpack__(copy=True, max_version=(1, 0)))
    releasing.join()
    assert taken.flags == IS_COPIED
    assert taken.device == held.array.__dlpack_device__()


@EXPORTERS
@pytest.mark.parametrize("in_order", [True, False])
def test_to_the_host_it_is_copied_when_the_writer_has_ended(
    device: SimulatedDevice, exporter: Any, *, in_order: bool
) -> None:
    held = Held(device, in_order=in_order)
    releasing = threading.Timer(0.05, held.producer.release)
    releasing.start()
    capsule = exporter(held.array).__dlpack__(dl_device=(1, 0), max_version=(1, 0))
    releasing.join()
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    host = _array_from_capsule(capsule, None, None)
    assert host.__dlpack_device__() == (1, 0)
    assert numpy.from_dlpack(host).tolist() == WRITTEN


def test_to_the_host_without_a_copy_is_refused(device: SimulatedDevice) -> None:
    held = Held(device)
    before = held.producer.pending
    with pytest.raises(BufferError, match="the host cannot read a simulated kDLExtDev array"):
        held.array.__dlpack__(dl_device=(1, 0), copy=False)
    assert held.producer.pending == before


@pytest.mark.parametrize("stream", [-1, "its own"])
def test_to_the_host_no_stream_can_be_named(device: SimulatedDevice, stream: Any) -> None:
    held = Held(device)
    given = held.producer if stream == "its own" else stream
    with pytest.raises((TypeError, ValueError), match=r"dl_device=\(1, 0\)"):
        held.array.__dlpack__(stream=given, dl_device=(1, 0))


def test_numpy_gets_a_copy_of_device_memory(device: SimulatedDevice) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    array = device.full((2, 3), 7, "int16")
    seen = numpy.from_dlpack(array, device="cpu")
    assert seen.tolist() == [[7, 7, 7], [7, 7, 7]]
    with pytest.raises((BufferError, RuntimeError)):
        numpy.from_dlpack(array)


def test_the_same_memory_on_another_stream(device: SimulatedDevice) -> None:
    held = Held(device)
    other = anystream.Stream(held.reader())
    moved = _array_on_stream(held.array, other, "plan")
    assert moved.stream is other
    assert moved.plan == "plan"
    assert moved.data_ptr == held.array.data_ptr
    assert held.array.stream == anystream.Stream(held.producer)
    address = held.array.data_ptr
    held.producer.release()
    held.producer.synchronize()
    del held.array
    assert values(moved) == WRITTEN
    assert moved.data_ptr == address


def test_a_long_line_of_views_is_dropped_at_once(device: SimulatedDevice) -> None:
    """Each keeps the first, not the one before it: no recursion as long as the line."""
    stream = anystream.Stream(device.stream())
    array = device.empty(ELEMENTS, "int32", device.stream())
    for _ in range(100_000):
        array = _array_on_stream(array, stream, None)
    del array
