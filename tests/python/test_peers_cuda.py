# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What producers on CUDA and ROCm are asked, with stand-ins, where no driver is.

What a producer's row, or nobody's, says that it orders is left to it; ordering that is anystream's
to do is DriverUnavailable.
"""

import sys
from enum import IntEnum
from typing import Any

import pytest

import anystream
from stand_ins import CudaStream, Producer, TorchTensor, named, torch_module

CUDA, ROCM = (2, 0), (10, 0)


class JaxArray(Producer):
    """Goes by jax's name."""


JaxArray.__module__, JaxArray.__qualname__ = "jaxlib._jax", "ArrayImpl"


class TvmTensor(Producer):
    """Goes by tvm_ffi's name: ignores the stream."""


TvmTensor.__module__, TvmTensor.__qualname__ = "tvm_ffi.core", "Tensor"


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """torch with a current CUDA stream."""
    module = torch_module(cuda=CudaStream(0x7F00))
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


class Number(IntEnum):
    STREAM = 0x5000


@pytest.mark.parametrize(
    ("device", "stream", "sent"),
    [
        (CUDA, None, 1),  # nobody names one: the legacy default stream, in so many words
        (CUDA, 1, 1),
        (CUDA, 2, 2),
        (CUDA, 0x5000, 0x5000),
        (CUDA, Number.STREAM, 0x5000),
        (CUDA, CudaStream(0x5000), 0x5000),
        (CUDA, CudaStream(0), 1),
        (ROCM, None, 0),
        (ROCM, 0, 0),
        (ROCM, 0x5000, 0x5000),
        (ROCM, CudaStream(0), 0),
    ],
)
def test_what_an_unknown_producer_is_sent(device: Any, stream: Any, sent: int) -> None:
    x = Producer(device)
    array = anystream.from_dlpack(x, stream=stream)
    assert type(x.asked["stream"]) is int
    assert x.asked["stream"] == sent
    assert array.stream is not None
    assert array.stream.handle == sent
    assert array.device == anystream.Device(device)


@pytest.mark.parametrize("device", [CUDA, ROCM])
def test_no_ordering_wanted(device: Any) -> None:
    x = Producer(device)
    anystream.from_dlpack(x, stream=-1)
    assert "stream" not in x.asked  # no value is known that makes it do nothing


def test_torch_keeps_its_stream_where_nobody_names_one(torch: Any) -> None:
    x = TorchTensor(CUDA)
    array = anystream.from_dlpack(x)
    assert x.asked["stream"] == -1
    assert array.stream is not None
    assert array.stream.handle == 0x7F00
    assert array.plan.ordering.what == "nothing yet"


def test_torch_is_sent_the_consumers_stream_as_an_exact_int(torch: Any) -> None:
    x = TorchTensor(CUDA)
    array = anystream.from_dlpack(x, stream=CudaStream(0x5000))
    assert x.asked["stream"] == 0x5000
    assert array.plan.ordering.what == "by the producer"
    anystream.from_dlpack(
        TorchTensor(CUDA), stream=CudaStream(0x5000), strict=True
    )  # its row says so


def test_torch_is_not_sent_the_calling_threads_stream(torch: Any) -> None:
    """It refuses the 2; to order by hand takes the driver, which is not here."""
    x = TorchTensor(CUDA)
    with pytest.raises(anystream.DriverUnavailable, match=r"libcuda\.so"):
        anystream.from_dlpack(x, stream=2)
    assert x.calls == []


def test_torchs_own_stream_needs_nothing(torch: Any) -> None:
    x = TorchTensor(CUDA)
    array = anystream.from_dlpack(x, stream=0x7F00)
    assert x.asked["stream"] == -1
    assert array.plan.ordering.what == "nothing"


def test_torch_to_torch_on_its_current_stream(torch: Any) -> None:
    x = TorchTensor(CUDA)
    carrier = anystream.handoff(x, to="torch")
    assert x.asked["stream"] == -1
    assert carrier.__dlpack_device__() == CUDA


def test_jax_is_never_sent_minus_one() -> None:
    x = JaxArray(CUDA)
    anystream.from_dlpack(x)
    assert x.asked["stream"] == 1
    y = JaxArray(CUDA)
    anystream.from_dlpack(y, stream=-1)
    assert "stream" not in y.asked


def test_a_stream_that_torch_does_not_order_from_is_ours_to_order(torch: Any) -> None:
    x = TorchTensor(CUDA)
    with pytest.raises(anystream.DriverUnavailable, match=r"libcuda\.so"):
        anystream.from_dlpack(x, stream=0x5000, producer_stream=0x6000)
    assert x.calls == []
    with pytest.raises(anystream.DriverUnavailable):
        anystream.explain(x, stream=0x5000, producer_stream=0x6000)
    anystream.from_dlpack(x, stream=0x5000, producer_stream=0x6000, ordering="none")
    assert x.asked["stream"] == -1


def test_one_that_ignores_the_stream_is_ours_to_order(monkeypatch: pytest.MonkeyPatch) -> None:
    tvm = type(sys)("tvm_ffi")
    tvm.device, tvm.get_raw_stream = str, lambda device: 0x7000  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tvm_ffi", tvm)
    x = TvmTensor(CUDA)
    array = anystream.from_dlpack(x)
    assert array.stream is not None
    assert array.stream.handle == 0x7000
    with pytest.raises(anystream.DriverUnavailable):
        anystream.from_dlpack(TvmTensor(CUDA), stream=0x5000)
    anystream.from_dlpack(TvmTensor(CUDA), stream=0x7000)  # one stream: nothing to order


def test_the_host_cannot_read_it_without_the_driver(torch: Any) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    with pytest.raises(anystream.DriverUnavailable):
        anystream.handoff(TorchTensor(CUDA), to="numpy")


@pytest.mark.parametrize(
    ("library", "members"),
    [
        ("cupy", {"cuda": {"get_current_stream": lambda index: CudaStream(0x100 + index)}}),
        ("warp", {"get_stream": lambda name: CudaStream({"cuda:3": 0x103}[name])}),
        ("paddle", {"device": {"current_stream": lambda name: CudaStream({"gpu:3": 0x103}[name])}}),
        ("torch", {"cuda": {"current_stream": lambda index: CudaStream(0x100 + index)}}),
        ("tvm_ffi", {"device": str, "get_raw_stream": lambda device: {"cuda:3": 0x103}[device]}),
    ],
)
def test_current_streams(library: str, members: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)(library)
    for name, member in members.items():
        space = named("x", "Space")
        setattr(
            module,
            name,
            type("S", (space,), {k: staticmethod(v) for k, v in member.items()})
            if isinstance(member, dict)
            else member,
        )
    monkeypatch.setitem(sys.modules, library, module)
    stream = anystream.current_stream(library, "cuda:3")
    assert stream is not None
    assert stream.handle == 0x103
    assert stream.device == anystream.Device("cuda:3")
    assert anystream.current_stream(library, "cpu") is None
