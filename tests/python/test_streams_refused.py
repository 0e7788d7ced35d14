# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What users take for a stream, and is none: arrays, classes of streams, streams of the host."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import Device, Stream, _core
from anystream.testing import SimulatedDevice, SimulatedStream
from ctypes_tensors import Producer
from stream_values import HANDLE, stand_in, sycl_queue, with_protocol


class Indexed:
    def __index__(self) -> int:
        return 7


class OneNumber(Indexed):
    """An array of a library without any protocol: numbers have no length."""

    def __len__(self) -> int:
        return 1


class OfCuda(Indexed):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        raise AssertionError("it is not asked")


def of_library(name: str, make: Callable[[Any], Any]) -> Callable[[], Any]:
    return lambda: make(pytest.importorskip(name, reason=f"{name} is not installed"))


ARRAYS: dict[str, Callable[[], Any]] = {
    "numpy, many": of_library("numpy", lambda np: np.arange(3)),
    "numpy, one": of_library("numpy", lambda np: np.array(7)),
    "torch, many": of_library("torch", lambda torch: torch.arange(3)),
    "torch, one": of_library("torch", lambda torch: torch.tensor([7])),
    "torch, a float": of_library("torch", lambda torch: torch.tensor(1.5)),
    "jax, one": of_library("jax.numpy", lambda jnp: jnp.asarray(7)),
    "mlx, one": of_library("mlx.core", lambda mx: mx.array(7)),
    "ours": lambda: anystream.from_dlpack(Producer()),
    "a producer": Producer,
    "of no protocol": OneNumber,
    "of an interface": OfCuda,
}
TAKING: dict[str, Callable[[Any], object]] = {
    "Stream": Stream,
    "Stream on cuda": lambda stream: Stream(stream, "cuda:0"),
    "Stream on vulkan": lambda stream: Stream(stream, "vulkan:0"),
    "from_dlpack": lambda stream: anystream.from_dlpack(Producer(), stream=stream),
    "producer_stream": lambda stream: anystream.from_dlpack(
        Producer(device=(15, 0)), producer_stream=stream, ordering="none"
    ),
    "__dlpack__": lambda stream: anystream.from_dlpack(Producer()).__dlpack__(stream=stream),
    "use_stream": anystream.use_stream,
    "wait_stream": lambda stream: Stream(7, "cuda:0").wait_stream(stream),
    "order": lambda stream: anystream.order(producer=stream, consumer=Stream(7, "cuda:0")),
}


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_an_array_is_no_stream(make: Callable[[], Any], take: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"; got an? [\w.]+, which is an array and no stream\.\n"):
        take(make())


@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_an_array_is_no_handle(make: Callable[[], Any]) -> None:
    with pytest.raises(
        TypeError, match=r"^Stream\.from_handle\(…\): a handle is an int .*; got an?"
    ):
        Stream.from_handle("cuda:0", make())


def test_a_number_that_stands_for_an_int_is_one() -> None:
    assert Stream(Indexed(), "cuda:0").handle == 7
    indexed: Any = Indexed()
    assert Stream.from_handle("cuda:0", indexed).handle == 7


def test_a_number_of_numpy_is_one() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    assert Stream(np.int64(7), "cuda:0").handle == Stream(np.uint8(7), "cuda:0").handle == 7


CLASSES: dict[str, Callable[[], Any]] = {
    "dpctl.SyclQueue": lambda: type(sycl_queue()),
    "torch.cuda.streams.Stream": of_library("torch", lambda torch: torch.cuda.Stream),
    "anystream.Stream": lambda: Stream,
    "anystream.testing.SimulatedStream": lambda: SimulatedStream,
    "pyopencl.CommandQueue": lambda: type(stand_in("pyopencl._cl", "CommandQueue", int_ptr=HANDLE)),
    "stream_values.with_protocol.<locals>.Protocol": lambda: type(with_protocol((0, 7))),
    "int": lambda: int,
}


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
@pytest.mark.parametrize(("name", "make"), CLASSES.items(), ids=CLASSES)
def test_a_class_is_no_stream(
    name: str, make: Callable[[], Any], take: Callable[[Any], object]
) -> None:
    with pytest.raises(TypeError) as caught:
        take(make())
    first, _, fix = str(caught.value).partition("\n")
    assert first.endswith(f"; got the class {name}, not an instance of it.")
    assert fix


def test_an_instance_is_asked_for() -> None:
    with pytest.raises(
        TypeError, match=r"not an instance of it\.\n  Pass an instance of that class"
    ):
        Stream(SimulatedStream)


@pytest.mark.parametrize("value", [3, None, -1, True, object(), Stream(7), "s"], ids=str)
def test_the_host_has_no_streams(value: Any) -> None:
    with pytest.raises(ValueError, match="got cpu") as caught:
        Stream(value, "cpu")
    assert str(caught.value) == (
        "Stream(device=…) takes a device that has streams; got cpu, which has none.\n"
        "  What is in host memory is there: its arrays need no stream."
    )


def test_what_is_asked_without_an_array() -> None:
    """It refuses what no device takes, and nothing else."""
    with SimulatedDevice() as device:
        for taken in (None, -1, 0, 7, device.stream(), Stream(7), object(), with_protocol((0, 7))):
            _core.check_stream(taken, "stream")
    for wrong in (True, 1.0, "s", b"s", SimulatedStream, OneNumber()):
        with pytest.raises(TypeError, match=r"^here: a stream is an int"):
            _core.check_stream(wrong, "here")
    for number in (-2, 2**70, -(2**70)):
        with pytest.raises(ValueError, match=r"^here: a stream is an int"):
            _core.check_stream(number, "here")


# ---- no stream is made by the way of a broken one ------------------------------------------------


def test_what_has_no_stream_cannot_be_made() -> None:
    for kind in (Stream, anystream.Event, anystream.use_stream):
        made: Any = kind
        with pytest.raises(TypeError, match=r"\n  (Write|Take)"):
            made.__new__(made)
        with pytest.raises(TypeError):
            object.__new__(made)
    assert Device("cuda:0") == Stream(7, "cuda:0").device
