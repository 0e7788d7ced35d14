# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""__dlpack_stream__(): an object says itself which stream it is; Streams say it too."""

import gc
import sys
from typing import Any

import pytest

import anystream
from anystream import Device, Stream
from python_api import capsule_name
from simulated_rig import Race
from stream_values import HANDLE, capsule, stand_in, sycl_queue


class Tells:
    """A stream of a library that nobody knows."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    def __dlpack_stream__(self) -> Any:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def named(stream: Any, device: str, platform: str = "") -> tuple[str, Any]:
    place = Device(device)
    return anystream._core.resolve_stream(
        stream, place.type, place.id, platform=platform or place.platform, where="stream"
    )


@pytest.mark.parametrize(
    ("device", "triple", "handle"),
    [
        ("cuda:0", (2, 0, capsule("cudaStream_t")), HANDLE),
        ("cuda:0", (2, 0, capsule("CUstream")), HANDLE),
        ("cuda_host:0", (2, 0, capsule("cudaStream_t")), HANDLE),
        ("cuda:0", (3, 0, capsule("cudaStream_t")), HANDLE),
        ("cuda:0", (2, 0, None), 1),
        ("rocm:0", (10, 0, capsule("hipStream_t")), HANDLE),
        ("rocm:0", [10, 0, None], 0),
    ],
)
def test_it_is_taken_on_its_device(device: str, triple: Any, handle: int) -> None:
    form, stream = named(Tells(triple), device)
    assert (form, stream.handle) == ("stream", handle)
    made = Stream(Tells(triple))
    assert made.handle == handle
    assert made.device.type == triple[0]


def test_it_tells_the_device_of_a_stream_that_could_not() -> None:
    """A CUDA number has no device; the triple has one."""
    assert Stream(HANDLE).device is None
    assert str(Stream(Tells((2, 3, capsule("cudaStream_t")))).device) == "cuda:3"


def test_it_comes_before_what_is_known_of_the_class() -> None:
    """And before __cuda_stream__."""

    def tell(_: Any) -> Any:
        return 2, 0, capsule("cudaStream_t", 8192)

    known = stand_in("torch.cuda.streams", "Stream", cuda_stream=HANDLE, __dlpack_stream__=tell)
    protocol = stand_in(
        "some.library", "S", __cuda_stream__=lambda _: (0, HANDLE), __dlpack_stream__=tell
    )
    for object_ in (known, protocol):
        assert named(object_, "cuda:0")[1].handle == 8192


def test_a_method_of_the_instance_alone_does_not_count() -> None:
    class Silent:
        pass

    odd = Silent()
    odd.__dlpack_stream__ = lambda: (2, 0, None)  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="a CUDA stream object"):
        named(odd, "cuda:0")


@pytest.mark.parametrize(
    ("device", "triple", "error", "text"),
    [
        ("rocm:0", (2, 0, capsule("cudaStream_t")), TypeError, "That stream is on cuda:0"),
        ("oneapi:0", (2, 0, capsule("cudaStream_t")), TypeError, "That stream is on cuda:0"),
        (
            "cuda:0",
            (2, 0, capsule("hipStream_t")),
            TypeError,
            'names a "hipStream_t" capsule of cuda:0',
        ),
        ("cuda:0", (2, 0, capsule("used_cudaStream_t")), ValueError, "It was used up"),
        ("cpu", (2, 0, capsule("cudaStream_t")), TypeError, "That stream is on cuda:0"),
        ("cuda:0", (1, 0, capsule("cudaStream_t")), TypeError, "a kDLCPU array takes"),
        (
            "cuda:0",
            (7, 0, capsule("VkQueue")),
            TypeError,
            r"Tells that names a \"VkQueue\" capsule of vulkan:0",
        ),
    ],
)
def test_of_another_device_type(
    device: str, triple: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        named(Tells(triple), device)


@pytest.mark.parametrize(
    ("answer", "error", "got"),
    [
        (None, TypeError, "got None"),
        (7, TypeError, "got int 7"),
        ((2, 0), TypeError, "got a sequence of 2"),
        ((2, 0, None, None), TypeError, "got a sequence of 4"),
        ((True, 0, None), TypeError, "got bool True in place of an int"),
        ((2, "0", None), TypeError, "in place of an int"),
        ((2, 0, HANDLE), TypeError, "got int 4096 in place of a capsule"),
        ((-1, 0, None), ValueError, "0 or more; got int -1"),
        ((2, 2**40, None), ValueError, "0 or more; got int 1099511627776"),
        ((8, 0, None), TypeError, "got it for metal:0"),
        (KeyError("its own"), KeyError, "its own"),
    ],
)
def test_a_wrong_answer(answer: Any, error: type[Exception], got: str) -> None:
    for use in (lambda s: named(s, "cuda:0"), Stream):
        with pytest.raises(error, match=got):
            use(Tells(answer))


def test_where_nobody_agreed_it_is_passed_on() -> None:
    told = Tells((7, 0, capsule("VkQueue")))
    assert named(told, "vulkan:0") == ("foreign", told)
    with pytest.raises(anystream.DriverUnavailable, match="has no backend for vulkan:0"):
        Stream(told)


# ---- Streams say it ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "number", "name"),
    [
        ("cuda:1", HANDLE, "cudaStream_t"),
        ("cuda:0", 2, "cudaStream_t"),
        ("rocm:0", HANDLE, "hipStream_t"),
    ],
)
def test_a_stream_says_it(device: str, number: int, name: str) -> None:
    stream = Stream.from_handle(device, number)
    place = Device(device)
    kind, index, told = stream.__dlpack_stream__()
    assert (kind, index) == (place.type, place.id)
    assert capsule_name(told) == name.encode()
    assert named(Tells((kind, index, told)), device)[1] == stream


def test_the_default_stream_of_rocm_has_no_capsule() -> None:
    assert Stream.from_handle("rocm:0", 0).__dlpack_stream__() == (10, 0, None)


def test_an_unresolved_one_cannot() -> None:
    assert not hasattr(Stream(HANDLE), "__dlpack_stream__")
    with pytest.raises(AttributeError, match="has no __dlpack_stream__: resolved streams"):
        Stream(HANDLE).__dlpack_stream__()


def test_its_capsule_keeps_the_stream_alive() -> None:
    class Owner:
        pass

    owner = Owner()
    before = sys.getrefcount(owner)
    told = Stream.from_handle("cuda:0", HANDLE, owner=owner).__dlpack_stream__()
    gc.collect()
    assert sys.getrefcount(owner) == before + 1
    again = Stream(Tells(told))
    del told
    gc.collect()
    assert sys.getrefcount(owner) == before + 1
    del again
    gc.collect()
    assert sys.getrefcount(owner) == before


def test_of_a_sycl_queue() -> None:
    queue = sycl_queue()
    kind, index, told = Stream(queue).__dlpack_stream__()
    assert (kind, capsule_name(told)) == (14, b"SyclQueueRef")
    assert Stream(Tells((kind, index, told))) == Stream(queue)


def test_a_hand_off_by_it_is_ordered_on_the_device() -> None:
    race = Race()
    array = race.produce()
    told = Tells(Stream(race.consumer).__dlpack_stream__())
    array.__dlpack__(stream=told)
    assert told.asked == 1
    assert race.producer.pending > 0
    assert race.finish(race.read(array))
