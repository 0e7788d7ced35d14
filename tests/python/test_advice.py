# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the messages advise: about the keyword that was used, and such that it works."""

from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice
from stand_ins import Producer


def refusal(call: Any, error: type[Exception]) -> tuple[str, str]:
    """Give the first line of a message and the rest."""
    with pytest.raises(error) as caught:
        call()
    first, _, rest = str(caught.value).partition("\n")
    return first, rest.strip()


# ---- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "error"), [(1, ValueError), (object(), TypeError)])
def test_a_stream_for_a_result_on_the_host(value: Any, error: type[Exception]) -> None:
    first, advice = refusal(lambda: anystream.from_dlpack(Producer(), stream=value), error)
    assert first.startswith("from_dlpack(stream=…): a kDLCPU array takes None or -1; got ")
    assert advice == "The result is on the host, where there is no stream: leave stream out."
    first, advice = refusal(lambda: anystream.from_dlpack(Producer(), producer_stream=value), error)
    assert first.startswith("from_dlpack(producer_stream=…): a kDLCPU array takes None or -1; ")
    assert advice == "x is on the host, where there is no stream: leave producer_stream out."


def test_a_stream_for_a_copy_to_the_host() -> None:
    with SimulatedDevice() as device:
        x, stream = device.full(4, 1.0), device.stream()
        _, advice = refusal(
            lambda: anystream.from_dlpack(x, device="cpu", stream=stream), TypeError
        )
        assert advice == "The result is on the host, where there is no stream: leave stream out."
        assert str(anystream.from_dlpack(x, device="cpu").device) == "cpu"


@pytest.mark.parametrize("streams", [object(), [object()]], ids=["one", "a list"])
def test_the_producers_stream_on_the_simulated_device(streams: Any) -> None:
    with SimulatedDevice() as device:
        x = device.full(4, 1.0)
        call = lambda: anystream.from_dlpack(x, producer_stream=streams)  # noqa: E731
        assert refusal(call, TypeError)[1] == (
            "register_stream_type makes a class of streams known. "
            "Pass the stream itself: producer_stream=s."
        )


def test_the_argument_of_wait_stream_has_no_keyword() -> None:
    with SimulatedDevice() as device:
        stream = anystream.Stream(device.stream())
        call = lambda: stream.wait_stream(1)  # noqa: E731
        assert refusal(call, TypeError)[1].endswith("Pass the stream itself.")


def test_the_producers_queue_may_be_out_of_order(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())
    first, advice = refusal(lambda: anystream.from_dlpack(x, producer_stream=3), TypeError)
    assert "takes None, -1, a dpctl.SyclQueue or torch.xpu.Stream, or a" in first
    assert advice.endswith(" Pass the queue itself: producer_stream=q.")
    queue = sycl.queue(in_order=False)
    assert anystream.from_dlpack(x, producer_stream=queue).stream == anystream.Stream(queue)


# ---- devices without a backend -------------------------------------------------------------------


@pytest.mark.parametrize("device", ["vulkan:0", "ext_dev:0", "webgpu:0", (77, 0)], ids=str)
@pytest.mark.parametrize("policy", [{}, {"stream": object()}, {"ordering": "none"}], ids=repr)
def test_a_copy_to_where_nobody_here_copies(device: Any, policy: dict[str, Any]) -> None:
    for call in (anystream.from_dlpack, anystream.explain):
        x = Producer()
        first, advice = refusal(
            lambda: call(x, device=device, **policy),  # noqa: B023 - called at once
            anystream.DriverUnavailable,
        )
        name = anystream.Device(device)
        assert first.startswith(f"from_dlpack(device=…): x is not on {name}, and this version of")
        assert advice == "Copy x there with a library that can, and hand over that copy."
        assert not x.calls


def test_a_copy_from_where_nobody_here_copies() -> None:
    policy: dict[str, Any] = {"copy": True, "ordering": "none"}
    for call in (anystream.from_dlpack, anystream.explain):
        x = Producer((7, 0))
        first, advice = refusal(
            lambda: call(x, **policy),  # noqa: B023 - called at once
            anystream.DriverUnavailable,
        )
        assert first.startswith("nothing here can order or copy on a kDLVulkan array: ")
        assert advice.endswith("or copy it with a library that can, and hand over that copy.")
        assert not x.calls


def test_a_copy_to_a_device_type_without_a_backend() -> None:
    _, advice = refusal(
        lambda: anystream.from_dlpack(Producer(), device="vulkan:0"), anystream.DriverUnavailable
    )
    assert advice == "Copy x there with a library that can, and hand over that copy."


# ---- strides in bytes ----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [{}, {"copy": True}, {"copy": False}], ids=repr)
def test_the_advice_for_a_field_of_records_is_a_copy(policy: dict[str, Any]) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    records = np.zeros((2, 3), dtype=[("a", "<i4"), ("b", "i1")])
    records["a"] = np.arange(6).reshape(2, 3)
    x = records["a"]
    for _ in range(2):  # its class is remembered by now
        for call in (
            anystream.from_dlpack,
            lambda x, **how: anystream.handoff(x, to="numpy", **how),
        ):
            first, advice = refusal(lambda: call(x, **policy), BufferError)  # noqa: B023
            assert first == (
                "this numpy array cannot be handed over: its strides of (15, 5) bytes are no "
                "multiples of the 4 bytes of an element, and DLPack counts whole elements."
            )
            assert advice == "Pass a copy: x.copy()."
        assert anystream.handoff(x.copy(), to="numpy").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_strides_along_which_no_step_is_taken_do_not_matter() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    records = np.ones((1, 3), dtype=[("a", "<i4"), ("b", "i1")])
    assert anystream.handoff(records["a"][:, :1], to="numpy").tolist() == [[1]]
