# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated accelerator itself: memory, streams and their names, what it refuses."""

import gc
import sys
import threading
import weakref
from functools import partial
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice, SimulatedStream, peek, values

# dtype, a value, what is read back
NUMBERS = [
    ("bool", True, True),
    ("int8", -128, -128),
    ("int16", -32768, -32768),
    ("int32", -(2**31), -(2**31)),
    ("int64", -(2**63), -(2**63)),
    ("uint8", 255, 255),
    ("uint16", 65535, 65535),
    ("uint32", 2**32 - 1, 2**32 - 1),
    ("uint64", 2**64 - 1, 2**64 - 1),
    ("float16", 0.5, 0.5),
    ("float32", 7, 7.0),
    ("float64", 0.1, 0.1),
    ("bfloat16", 1.00390625, 1.0),
    ("bfloat16", 1.01171875, 1.015625),
    ("bfloat16", 1e39, float("inf")),
    ("complex64", 1 + 2j, 1 + 2j),
    ("complex128", 0.1, 0.1 + 0j),
]


def test_new_memory_is_poison() -> None:
    device = SimulatedDevice()
    stream = device.stream()
    stream.hold()
    array = device.full((3, 5), 1.0, "float32", stream)
    assert array.shape == (3, 5)
    assert peek(array) == b"\xa5" * 60
    stream.release()
    stream.synchronize()
    assert values(array) == [1.0] * 15


@pytest.mark.parametrize(("dtype", "value", "read"), NUMBERS)
def test_numbers_of_every_kind(dtype: str, value: Any, read: Any) -> None:
    device = SimulatedDevice()
    array = device.full((4,), value, dtype)
    device.default_stream.synchronize()
    assert values(array) == [read] * 4
    assert [type(number) for number in values(array)] == [type(read)] * 4
    assert str(array.dtype) == dtype


def test_not_a_number() -> None:
    device = SimulatedDevice()
    for dtype in ("bfloat16", "float32"):
        array = device.full(2, float("nan"), dtype)
        device.default_stream.synchronize()
        assert [repr(number) for number in values(array)] == ["nan", "nan"]


def test_a_type_without_a_number_takes_bytes() -> None:
    device = SimulatedDevice()
    array = device.full((4,), b"\x3c", "float8_e4m3fn")
    device.default_stream.synchronize()
    assert peek(array) == b"\x3c" * 4
    with pytest.raises(ValueError, match="float8_e4m3fn have no Python number"):
        values(array)
    with pytest.raises(ValueError, match="float8_e4m3fn have no Python number"):
        device.full((4,), 1.0, "float8_e4m3fn")


@pytest.mark.parametrize(
    ("dtype", "value", "error", "message"),
    [
        ("int32", 1.5, TypeError, "a int32 array takes an int; got 1.5"),
        ("int8", 128, ValueError, "128 does not fit in a int8"),
        ("uint8", -1, ValueError, "-1 does not fit in a uint8"),
        ("float16", 1e6, ValueError, "does not fit in a float16"),
        ("float32", 1j, TypeError, "a float32 array takes a real number; got 1j"),
        ("int32", b"abc", ValueError, "an element of int32 has 32 bits; got 3 bytes"),
        ("int32", "x", TypeError, "a int32 array takes an int; got 'x'"),
    ],
)
def test_values_that_do_not_fit(
    dtype: str, value: Any, error: type[Exception], message: str
) -> None:
    device = SimulatedDevice()
    with pytest.raises(error, match=message):
        device.full((2,), value, dtype)
    assert device.default_stream.pending == 0


def test_devices_are_numbered_and_listed() -> None:
    first, second = SimulatedDevice(), SimulatedDevice()
    assert second.device.id == first.device.id + 1
    assert first.device.type == anystream.DeviceType.EXT_DEV
    assert first.device.platform == "simulated"
    assert first.device.kind == "accelerator"
    assert first.device in anystream.devices()
    assert str(first.device) == f"ext_dev:{first.device.id}"
    assert repr(first) == f"<SimulatedDevice ext_dev:{first.device.id}>"
    assert first.stream().device == first.device


def test_streams_are_found_held_and_released_by_name() -> None:
    device = SimulatedDevice()
    named, unnamed = device.stream("copies"), device.stream(in_order=False)
    assert (named.name, unnamed.name) == ("copies", "stream 1")
    assert (named.in_order, unnamed.in_order) == (True, False)
    assert device.find_stream("copies").handle == named.handle
    device.hold("copies")
    array = device.full((2,), 1, "int8", named)
    assert named.pending == 1
    assert "'copies'" in repr(named)
    assert "1 pending" in repr(named)
    device.release("copies")
    named.synchronize()
    assert values(array) == [1, 1]
    with pytest.raises(ValueError, match=r'no live stream named "nobody".\n.*"copies", "stream 1"'):
        device.hold("nobody")
    with pytest.raises(ValueError, match='already has a live stream named "copies"'):
        device.stream("copies")


def test_leaving_the_block_releases_what_is_held() -> None:
    with SimulatedDevice() as device:
        stream = device.stream()
        stream.hold()
        array = device.full((2,), 3, "int8", stream)
        assert stream.pending == 1
    stream.synchronize()
    assert values(array) == [3, 3]


def test_a_dead_stream_is_known_for_one() -> None:
    device = SimulatedDevice()
    stream = device.stream("short-lived")
    handle = stream.handle
    kept = anystream.Stream(stream)
    del stream
    gc.collect()
    assert kept.query()  # an anystream.Stream keeps it
    del kept
    gc.collect()
    for dead in (handle, 1, 0):
        with pytest.raises(ValueError, match="is not the handle of a live stream"):
            anystream.Stream.from_handle(device.device, dead)
    with pytest.raises(ValueError, match="no live stream named"):
        device.find_stream("short-lived")


def test_devices_and_streams_go_without_the_collector() -> None:
    device = SimulatedDevice()
    gc.disable()
    try:
        stream = weakref.ref(device.default_stream)
        array = device.full(2, 1, "int8")
        del device
        assert stream() is None
    finally:
        gc.enable()
    assert array.stream is not None
    array.stream.synchronize()
    assert values(array) == [1, 1]


def test_a_stream_that_nobody_holds_any_more_runs_dry() -> None:
    device = SimulatedDevice()
    stream = device.stream()
    ran = threading.Event()
    stream.hold()
    stream.call(ran.set)
    del stream
    gc.collect()
    assert ran.wait(60)


def test_functions_run_in_order_on_the_streams_thread() -> None:
    device = SimulatedDevice()
    stream = device.stream()
    seen: list[tuple[int, int]] = []

    def see(number: int) -> None:
        seen.append((number, threading.get_ident()))

    for number in range(100):
        stream.call(partial(see, number))
    stream.synchronize()
    assert [number for number, _ in seen] == list(range(100))
    threads = {thread for _, thread in seen}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_function_that_raises_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[BaseException | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_value))
    device = SimulatedDevice()
    stream = device.stream()

    def fail() -> None:
        raise KeyError("lost")

    stream.call(fail)
    stream.synchronize()
    array = device.full((1,), 1, "int8", stream)  # and the stream goes on
    stream.synchronize()
    assert values(array) == [1]
    assert [repr(error) for error in reported] == ["KeyError('lost')"]


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
def test_copies_to_and_from_the_host(in_order: bool) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    device = SimulatedDevice()
    stream = device.stream(in_order=in_order)
    array = device.empty((1000,), "int64")
    stream.hold()
    stream.copy(array, anystream.from_dlpack(numpy.arange(1000)))  # kept until it has been read
    gc.collect()
    stream.release()
    stream.synchronize()
    assert values(array) == list(range(1000))
    host = numpy.zeros(1000, "int64")
    stream.copy(anystream.from_dlpack(host), array)
    stream.synchronize()
    assert host.tolist() == list(range(1000))


def test_what_is_no_array_of_ours_is_refused() -> None:
    device = SimulatedDevice()
    stream, array = device.stream(), device.empty(2)
    for refused in (
        lambda: stream.fill([1, 2], 1),  # type: ignore[arg-type]
        lambda: stream.copy(array, b"12345678"),  # type: ignore[arg-type]
        lambda: stream.copy(None, array),  # type: ignore[arg-type]
        lambda: peek("array"),  # type: ignore[arg-type]
    ):
        with pytest.raises(
            TypeError, match=r"is an anystream.Array; got (a list|bytes|None|str)\b"
        ):
            refused()
    with pytest.raises(ValueError, match="two arrays of one size; got 8 and 12 bytes"):
        stream.copy(array, device.empty(3))
    assert stream.pending == 0


def any_of(kind: Any) -> Any:
    return kind


WRONG: dict[str, tuple[Any, str]] = {
    "seed": (lambda d, _: any_of(SimulatedDevice)("x"), r"\(seed=…\) takes an int; got str 'x'"),
    "delay": (
        lambda d, _: any_of(SimulatedDevice)(0, "x"),
        r"\(max_delay=…\) takes a number of seconds",
    ),
    "name": (lambda d, _: d.stream(5), r"\.stream\(name\) takes a str; got int 5"),
    "order": (lambda d, _: d.stream("a", in_order=1), r"\(in_order=…\) takes True or False; got"),
    "find": (lambda d, _: d.find_stream(5), r"\.find_stream\(name\) takes a str; got int 5"),
    "hold": (lambda d, _: d.hold(None), r"\.find_stream\(name\) takes a str; got None"),
    "shape": (lambda d, _: d.empty("2"), "a shape is an int, or a tuple or list of ints; got str"),
    "dtype": (lambda d, _: d.empty(2, 5), r"DType\(…\) takes a name, .*; got int 5 without bits"),
    "stream": (lambda d, _: d.empty(2, stream=5), "a simulated kDLExtDev array takes .*; got int"),
    "filler": (lambda d, _: d.full(2, 1, stream=5), r"full\(stream=…\) takes a SimulatedStream"),
    "call": (lambda _, s: s.call(5), "takes a function without parameters; got int 5"),
    "handle": (
        lambda d, _: any_of(SimulatedStream)(d.device, "x"),
        r"SimulatedDevice\.stream\(\) gives it",
    ),
}


@pytest.mark.parametrize(("call", "text"), WRONG.values(), ids=WRONG)
def test_arguments_of_a_wrong_type(call: Any, text: str) -> None:
    with SimulatedDevice() as device, pytest.raises(TypeError, match=text):
        call(device, device.stream())


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_can_be_printed(name: str) -> None:
    with SimulatedDevice() as device:
        for call in (device.stream, device.find_stream):
            with pytest.raises(ValueError, match="takes a str that can be printed; got str '"):
                call(name)


@pytest.mark.parametrize("delay", [-1.0, 1e6, float("inf"), float("nan")])
def test_delays_that_cannot_be(delay: float) -> None:
    with pytest.raises(ValueError, match="max_delay is a number of seconds from 0 to 4294; got"):
        SimulatedDevice(max_delay=delay)


def test_any_seed_will_do() -> None:
    for seed in (0, -1, 2**64 + 5):
        device = SimulatedDevice(seed=seed, max_delay=10e-6)
        array = device.full((2,), 1, "int8")
        device.default_stream.synchronize()
        assert values(array) == [1, 1]


def test_arrays_without_elements() -> None:
    device = SimulatedDevice()
    array = device.full((0, 3), 1.0)
    device.default_stream.synchronize()
    assert values(array) == []
    scalar = device.full((), 5, "int32")
    device.default_stream.synchronize()
    assert values(scalar) == [5]
