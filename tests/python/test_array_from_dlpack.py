# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The function from_dlpack: its arguments, bare capsules, and what it leaves to the producer."""

import inspect
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice
from ctypes_tensors import READ_ONLY, Producer

ACCEPTED = ["device", "copy", "stream", "producer_stream", "ordering", "strict", "release"]


def test_it_is_the_c_function_itself() -> None:
    assert inspect.isbuiltin(anystream.from_dlpack)
    signature = inspect.signature(anystream.from_dlpack)
    assert list(signature.parameters) == ["x", *ACCEPTED]
    assert signature.parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert signature.parameters["strict"].default is None


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"copy": 1}, TypeError, r"from_dlpack\(copy=…\) takes None, True or False; got int 1"),
        ({"copy": "no"}, TypeError, "got str 'no'"),
        ({"strict": "no"}, TypeError, r"strict=…\) takes None, True or False; got str 'no'"),
        ({"strict": 1}, TypeError, "got int 1"),
        ({"ordering": None}, TypeError, r'"device", "host" or "none"; got None'),
        ({"ordering": 1}, TypeError, "got int 1"),
        ({"ordering": "Device"}, ValueError, "got str 'Device'"),
        ({"ordering": ""}, ValueError, "got str ''"),
        ({"orderin": "host"}, TypeError, "no keyword argument 'orderin'; it takes device, copy, "),
        ({"x": 1}, TypeError, "no keyword argument 'x'"),
    ],
)
def test_wrong_arguments(keywords: dict[str, Any], error: type[Exception], text: str) -> None:
    producer = Producer()
    with pytest.raises(error, match=text):
        anystream.from_dlpack(producer, **keywords)
    assert producer.asked == []  # refused before the producer is asked


@pytest.mark.parametrize("given", [0, 2, 3])
def test_only_the_array_has_no_keyword(given: int) -> None:
    with pytest.raises(TypeError, match=rf"takes 1 positional argument; got {given}\."):
        anystream.from_dlpack(*[Producer()] * given)


@pytest.mark.parametrize("ordering", ["device", "host", "none", "HOST".lower()])
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("copy", [None, False])
def test_accepted_arguments(ordering: Any, copy: Any, *, strict: bool) -> None:
    producer = Producer()
    array = anystream.from_dlpack(producer, ordering=ordering, strict=strict, copy=copy)
    assert array.data_ptr == producer.address
    assert len(producer.asked) == 1
    assert producer.asked[0]["max_version"] is not None
    assert producer.asked[0]["stream"] is None
    assert isinstance(array.plan, anystream.Plan)
    del array
    assert producer.deleted == 1


def test_a_copy_when_one_is_asked_for() -> None:
    producer = Producer()
    array = anystream.from_dlpack(producer, copy=True)
    assert array.data_ptr != producer.address or producer.asked[0]["copy"] is True


def test_what_is_no_array() -> None:
    for wrong in (None, 3, "array", object(), [1, 2]):
        with pytest.raises((TypeError, AttributeError)):
            anystream.from_dlpack(wrong)


def test_a_producers_own_error_comes_through() -> None:
    class LostError(Exception):
        pass

    class Broken(Producer):
        def __dlpack__(self, **_: Any) -> Any:
            raise LostError("the device was unplugged")

    with pytest.raises(LostError, match="the device was unplugged"):
        anystream.from_dlpack(Broken())


@pytest.mark.parametrize("versioned", [False, True])
def test_a_bare_capsule_of_host_memory(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    array = anystream.from_dlpack(producer.capsule(), strict=True)
    assert (array.data_ptr, array.shape) == (producer.address, (2, 3))
    del array
    assert producer.deleted == 1


@pytest.mark.parametrize("device", [(2, 0), (14, 0), (12, 0), (77, 0)])
def test_of_a_devices_bare_capsule_nobody_knows_the_order(device: tuple[int, int]) -> None:
    producer = Producer(device=device)
    with pytest.raises(anystream.OrderingError):
        anystream.from_dlpack(producer.capsule(), strict=True)
    assert producer.deleted == 0
    array = anystream.from_dlpack(producer.capsules[-1])
    assert array.__dlpack_device__() == device
    assert array.stream is None


def test_a_used_capsule() -> None:
    producer = Producer()
    capsule = producer.capsule()
    anystream.from_dlpack(capsule)
    with pytest.raises(ValueError, match="a DLPack capsule can be taken once"):
        anystream.from_dlpack(capsule)
    assert producer.deleted == 1


def test_an_array_of_ours_is_taken_like_any_other() -> None:
    producer = Producer(flags=READ_ONLY)
    first = anystream.from_dlpack(producer)
    second = anystream.from_dlpack(first)
    assert second.data_ptr == producer.address
    assert second.readonly is True
    del first
    assert producer.deleted == 0
    del second
    assert producer.deleted == 1


def test_an_array_of_ours_stays_on_its_stream() -> None:
    with SimulatedDevice() as device:
        array = device.full(4, 1, "int32")
        again = anystream.from_dlpack(array)
        assert again.stream == array.stream
        assert again.device == array.device
        assert again.data_ptr == array.data_ptr
