# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of anystream, and which failure of the core becomes which."""

import pickle
from typing import Any

import pytest

import anystream
from anystream import DriverError, DriverUnavailable, OrderingError, Stream, _core
from anystream.testing import SimulatedDevice
from stream_values import HANDLE, sycl_queue

CLASSES = {
    OrderingError: BufferError,
    DriverError: RuntimeError,
    DriverUnavailable: DriverError,
}


@pytest.mark.parametrize(("cls", "base"), CLASSES.items())
def test_classes(cls: type[Exception], base: type[Exception]) -> None:
    assert cls.__bases__ == (base,)
    assert cls.__module__ == "anystream"
    assert getattr(anystream, cls.__qualname__) is cls
    assert cls.__doc__
    assert type(pickle.loads(pickle.dumps(cls("text")))) is cls


def test_what_a_driver_error_has_where_nothing_is_known() -> None:
    error = DriverError("text")
    assert (error.api, error.code, error.code_name) == ("", 0, "")
    assert str(error) == "text"


def test_a_vendors_function_that_fails() -> None:
    sycl_queue()
    with pytest.raises(DriverError) as caught:
        _core._array_empty((1 << 45,), (0, 8, 1), (14, 0))
    error = caught.value
    assert type(error) is DriverError
    assert error.api == "DPCTLmalloc_device"
    assert isinstance(error.code, int)
    assert isinstance(error.code_name, str)
    assert str(error).startswith("DPCTLmalloc_device failed: ")


def test_a_driver_that_is_not_there() -> None:
    with pytest.raises(DriverUnavailable) as caught:
        Stream.from_handle("metal:0", HANDLE).record()
    assert (caught.value.api, caught.value.code) == ("", 0)


FAILURES: dict[str, tuple[Any, type[Exception]]] = {
    "TypeError": (lambda: _core.resolve_stream(7, 14, 0), TypeError),
    "ValueError": (lambda: _core.resolve_stream(0, 2, 0), ValueError),
    "BufferError": (lambda: _core._array_empty((1 << 62, 8), (0, 8, 1), (1, 0)), BufferError),
    "DriverUnavailable": (Stream.from_handle("metal:0", HANDLE).query, DriverUnavailable),
    "MemoryError": (lambda: _core._array_empty((1 << 55,), (0, 8, 1), (1, 0)), MemoryError),
}


@pytest.mark.parametrize(("fail", "error"), FAILURES.values(), ids=FAILURES)
def test_each_failure_has_its_class(fail: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        fail()
    assert type(caught.value) is error


def test_memory_that_cannot_be_had_is_told_in_bytes_and_by_its_device() -> None:
    with pytest.raises(MemoryError) as caught:
        _core._array_empty((1 << 55,), (0, 8, 1), (1, 0))
    assert str(caught.value) == (
        "there is no memory for 36028797018963968 bytes on cpu.\n"
        "  Take less at a time, or let go of what is there first."
    )
    with SimulatedDevice() as device, pytest.raises(MemoryError) as caught:
        device.empty(1 << 55, "uint8")
    assert f"36028797018963968 bytes on {device.device}." in str(caught.value)


def imported(x: Any) -> anystream.Array:
    array: anystream.Array = anystream.from_dlpack(x)
    return array


COPIES: dict[str, Any] = {
    "from_dlpack": lambda x, _: anystream.from_dlpack(x, copy=True),
    "handoff": lambda x, _: anystream.handoff(x, to="numpy", copy=True),
    "__dlpack__": lambda x, _: imported(x).__dlpack__(copy=True),
    "to a device": lambda x, device: anystream.from_dlpack(
        x, device=device.device, stream=device.stream()
    ),
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_that_does_not_fit(copied: Any) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    x = np.broadcast_to(np.float64(1), (1 << 52,))
    text = rf"memory for {1 << 55} bytes on (cpu|ext_dev:\d+)\."
    with SimulatedDevice() as device, pytest.raises(MemoryError, match=text):
        copied(x, device)


def test_a_platform_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match='there is no platform "simulatd"') as caught:
        _core.resolve_stream(None, 12, 0, platform="simulatd")
    assert " simulated" in str(caught.value)


@pytest.mark.parametrize("name", ["sycl", "cuda", "hip", "opencl", "metal"])
def test_every_driver_tells_of_itself(name: str) -> None:
    facts = {row["name"]: row for row in _core.drivers()}[name]
    assert set(facts) == {
        "name",
        "library",
        "available",
        "has_backend",
        "orders",
        "reason",
        "otherwise",
    }
    assert facts["library"]
    assert facts["otherwise"]
    assert facts["available"] or facts["reason"]
    assert facts["has_backend"]


def test_a_search_path_of_an_unknown_driver() -> None:
    with pytest.raises(ValueError, match="sycl") as caught:
        _core._add_search_path("sykl", "/nowhere")
    assert '"sykl"' in str(caught.value)


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="there is no device cpu:7"):
        _core.device_info(1, 7)
    assert _core.device_info(1, 0)["kind"] == "cpu"


# ---- names


@pytest.mark.parametrize(
    ("pair", "name"),
    [((2, 0), "cuda:0"), ((1, 0), "cpu"), ((14, 3), "oneapi:3"), ((77, 1), "device_type_77:1")],
)
def test_device_names(pair: tuple[int, int], name: str) -> None:
    assert _core.device_name(*pair) == name
    assert _core.parse_device(name) == pair


@pytest.mark.parametrize("name", ["", "cuda:", "cuda:x", "cuda:-1", "CUDA:0", "gpu", "cuda:0:0"])
def test_device_names_that_are_none(name: str) -> None:
    with pytest.raises(ValueError, match="a device string is a word and a number") as caught:
        _core.parse_device(name)
    assert f'got "{name}".' in str(caught.value)


@pytest.mark.parametrize(
    ("triple", "name"),
    [
        ((2, 32, 1), "float32"),
        ((5, 64, 1), "complex64"),
        ((6, 8, 1), "bool"),
        ((0, 8, 4), "int8x4"),
    ],
)
def test_dtype_names(triple: tuple[int, int, int], name: str) -> None:
    assert _core.dtype_name(*triple) == name
    assert _core.parse_dtype(name) == triple


def test_dtype_names_that_are_none() -> None:
    with pytest.raises(ValueError, match="float33q"):
        _core.parse_dtype("float33q")


@pytest.mark.parametrize("triple", [(256, 8, 1), (0, 300, 1), (0, 8, 70000), (-1, 8, 1)])
def test_numbers_that_are_no_dtype(triple: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="takes an int from 0 to"):
        _core.dtype_name(*triple)
