# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Array.__dlpack__: every argument, both forms of capsule, and what is refused before anything."""

from enum import IntEnum
from typing import Any

import pytest

import anystream
from anystream._core import Carrier, _array_from_capsule
from ctypes_tensors import IS_COPIED, PADDED, READ_ONLY, Producer, Taken, name_of
from export_rig import EXPORTERS
from python_api import new_capsule


def imported(**fields: Any) -> tuple[Producer, anystream.Array]:
    producer = Producer(**fields)
    return producer, _array_from_capsule(producer.capsule(), None, None)


class Kind(IntEnum):
    CPU = 1
    CUDA = 2
    NONSENSE = 99


@EXPORTERS
@pytest.mark.parametrize("max_version", [None, (0, 8), (0, 0)])
def test_before_version_1_the_capsule_has_no_version(exporter: Any, max_version: Any) -> None:
    _, array = imported()
    capsule = exporter(array).__dlpack__(max_version=max_version)
    assert name_of(capsule) == "dltensor"


@EXPORTERS
@pytest.mark.parametrize("max_version", [(1, 0), (1, 3), (1, 99), (2, 0), (2**31 - 1, 0)])
def test_from_version_1_on_it_is_stamped_with_the_headers(exporter: Any, max_version: Any) -> None:
    _, array = imported()
    taken = Taken.of(exporter(array).__dlpack__(max_version=max_version))
    assert taken.versioned
    assert taken.version == (1, 3)


@EXPORTERS
@pytest.mark.parametrize("versioned", [False, True])
def test_every_field_of_an_export(exporter: Any, *, versioned: bool) -> None:
    producer, array = imported(shape=(2, 3), strides=(-6, 0), byte_offset=64, dtype=(1, 16, 2))
    version = (1, 0) if versioned else None
    taken = Taken.of(exporter(array).__dlpack__(max_version=version))
    assert taken.data == producer.address
    assert taken.byte_offset == 64
    assert taken.device == (1, 0)
    assert taken.dtype == (1, 16, 2)
    assert taken.shape == (2, 3)
    assert taken.strides == (-6, 0)
    assert taken.flags == 0


@EXPORTERS
@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3), (1, 1)])
def test_strides_are_always_written(exporter: Any, shape: tuple[int, ...]) -> None:
    """NULL strides are forbidden from DLPack 1.2 on, and crash some who read older versions."""
    _, array = imported(shape=shape)
    for version in (None, (1, 0), (1, 3)):
        strides = Taken.of(exporter(array).__dlpack__(max_version=version)).strides
        assert strides is not None
        assert len(strides) == len(shape)


@EXPORTERS
def test_read_only_memory_needs_a_version(exporter: Any) -> None:
    producer, array = imported(flags=READ_ONLY)
    with pytest.raises(
        BufferError,
        match=r"an unversioned DLPack capsule cannot say that an array is read-only\.\n"
        r"  Ask for a versioned one: max_version=\(1, 0\) or later\.",
    ):
        exporter(array).__dlpack__()
    assert Taken.of(exporter(array).__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    copied = Taken.of(exporter(array).__dlpack__(copy=True))
    assert copied.data != producer.address


@EXPORTERS
def test_padded_elements_need_a_version(exporter: Any) -> None:
    _, array = imported(shape=(5,), dtype=(17, 4, 1), flags=PADDED)
    with pytest.raises(BufferError, match="cannot say that an array is padded"):
        exporter(array).__dlpack__()
    assert Taken.of(exporter(array).__dlpack__(max_version=(1, 1))).flags == PADDED


@EXPORTERS
@pytest.mark.parametrize("dl_device", [None, (1, 0), (Kind.CPU, 0)])
@pytest.mark.parametrize("copy", [None, False])
def test_where_it_is_it_is_exported_as_it_is(exporter: Any, dl_device: Any, copy: Any) -> None:
    producer, array = imported()
    capsule = exporter(array).__dlpack__(dl_device=dl_device, copy=copy, max_version=(1, 0))
    taken = Taken.of(capsule)
    assert taken.data == producer.address
    assert taken.flags == 0


@EXPORTERS
@pytest.mark.parametrize("dl_device", [None, (1, 0)])
def test_a_copy_is_one_and_says_so(exporter: Any, dl_device: Any) -> None:
    producer, array = imported(shape=(2, 2), strides=(-2, 1), byte_offset=8)
    producer.memory[:] = [bytes([index]) for index in range(len(producer.memory))]
    capsule = exporter(array).__dlpack__(copy=True, dl_device=dl_device, max_version=(1, 0))
    del array
    taken = Taken.of(capsule)
    assert taken.data != producer.address
    assert taken.flags == IS_COPIED
    again = _array_from_capsule(_recapsuled(taken), None, None)
    assert bytes_of(again) == bytes(range(8, 16)) + bytes(range(8))


def _recapsuled(taken: Taken) -> Any:
    """Put what was claimed into a capsule again."""
    import ctypes

    from ctypes_tensors import _NAMES

    name = ctypes.cast(_NAMES["dltensor_versioned"], ctypes.c_char_p)
    return new_capsule(taken.pointer, name, None)


def bytes_of(array: anystream.Array) -> bytes:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    return bytes(numpy.from_dlpack(array).tobytes())


@EXPORTERS
@pytest.mark.parametrize(
    ("keyword", "value", "error", "text"),
    [
        ("max_version", 1, TypeError, r"takes None or a pair \(major, minor\) of ints; got int 1"),
        ("max_version", (1,), TypeError, r"got tuple \(1,\)"),
        ("max_version", (1, 0, 0), TypeError, "got tuple"),
        ("max_version", [1, 0], TypeError, "got a list"),
        ("max_version", ("1", "0"), TypeError, "got tuple"),
        ("max_version", (1.0, 0), TypeError, "got tuple"),
        ("max_version", (True, 0), TypeError, "got tuple"),
        ("max_version", (-1, 0), ValueError, r"takes versions from \(0, 0\); got tuple"),
        ("max_version", (2**40, 0), ValueError, "takes an int from"),
        ("dl_device", 1, TypeError, r"None or a pair \(device type, device id\) of ints; got int"),
        ("dl_device", "cpu", TypeError, "got str 'cpu'"),
        ("dl_device", (1,), TypeError, "got tuple"),
        ("dl_device", (1, None), TypeError, "got tuple"),
        ("dl_device", (1, 1), BufferError, r"a kDLCPU array is exported where it is, \(1, 0\); "),
        ("dl_device", (Kind.CUDA, 0), BufferError, r"got \(2, 0\)"),
        ("dl_device", (Kind.NONSENSE, 0), BufferError, r"got \(99, 0\)"),
        ("copy", 1, TypeError, "takes None, True or False; got int 1"),
        ("copy", "yes", TypeError, "got str 'yes'"),
        ("stram", None, TypeError, "has no keyword argument 'stram'; it takes stream, max_version"),
    ],
)
def test_wrong_arguments(
    exporter: Any, keyword: str, value: Any, error: type[Exception], text: str
) -> None:
    producer, array = imported()
    with pytest.raises(error, match=text):
        exporter(array).__dlpack__(**{keyword: value})
    del array
    assert producer.deleted == 1


@EXPORTERS
def test_arguments_are_keywords(exporter: Any) -> None:
    _, array = imported()
    with pytest.raises(TypeError, match=r"takes 0 positional arguments; got 1\.\n  Everything"):
        exporter(array).__dlpack__(None)


def test_keywords_need_not_be_interned() -> None:
    _, array = imported()
    asked: dict[str, Any] = {"MAX_VERSION".lower(): (1, 0)}
    assert name_of(array.__dlpack__(**asked)) == "dltensor_versioned"


@pytest.mark.parametrize(
    ("stream", "error", "text"),
    [
        (0, ValueError, "got int 0"),
        (7, ValueError, "got int 7"),
        (-2, ValueError, "got int -2"),
        (2**80, ValueError, "got an int of 81 bits"),
        (True, TypeError, "got bool True"),
        (1.0, TypeError, "got float 1.0"),
        ("1", TypeError, "got str '1'"),
        (object(), TypeError, "got an object"),
    ],
)
def test_a_host_array_has_no_stream(stream: Any, error: type[Exception], text: str) -> None:
    _, array = imported()
    message = rf"__dlpack__\(stream=…\): a kDLCPU array takes None or -1; {text}"
    with pytest.raises(error, match=message):
        array.__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", [None, -1])
def test_a_host_array_takes_none_and_no_ordering(stream: Any) -> None:
    producer, array = imported()
    assert Taken.of(array.__dlpack__(stream=stream)).data == producer.address


@pytest.mark.parametrize("stream", [None, -1, 1, 2, 7, "anything", object()])
def test_a_carrier_looks_at_no_stream(stream: Any) -> None:
    producer, array = imported(device=(2, 0))
    assert Taken.of(Carrier(array).__dlpack__(stream=stream)).data == producer.address


def test_a_carrier_is_made_of_an_array() -> None:
    _, array = imported()
    for wrong in ((), (array, array), (3,)):
        with pytest.raises(TypeError, match="Carrier"):
            Carrier(*wrong)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        Carrier(array=array)  # type: ignore[call-arg]
    carrier = Carrier(array)
    assert carrier.__dlpack_device__() == (1, 0)
    assert repr(carrier) == f"anystream.Carrier({array!r})"
    assert not hasattr(carrier, "__sycl_usm_array_interface__")


# What is on a device that no one here can reach.


@pytest.mark.parametrize("device", [(2, 0), (10, 1), (13, 0), (4, 0), (8, 0), (7, 0), (77, 0)])
@pytest.mark.parametrize("stream", [None, -1])
def test_nothing_is_known_to_be_pending_without_a_stream(
    device: tuple[int, int], stream: Any
) -> None:
    producer, array = imported(device=device)
    taken = Taken.of(array.__dlpack__(stream=stream, max_version=(1, 0)))
    assert (taken.data, taken.device) == (producer.address, device)


def test_cuda_numbers_are_taken_where_nothing_is_pending() -> None:
    producer, array = imported(device=(2, 0))
    for stream in (1, 2, 0x7F0000001000):
        assert Taken.of(array.__dlpack__(stream=stream)).data == producer.address
    with pytest.raises(ValueError, match="a kDLCUDA array takes None, -1, 1"):
        array.__dlpack__(stream=0)


def cuda_array(handle: int) -> anystream.Array:
    stream = anystream.Stream.from_handle("cuda:0", handle)
    return _array_from_capsule(Producer(device=(2, 0)).capsule(), stream, None)


@pytest.mark.parametrize(("own", "asked"), [(1, 1), (1, None), (64, 64), (2, 2)])
def test_the_same_stream_needs_no_driver(own: int, asked: Any) -> None:
    assert Taken.of(cuda_array(own).__dlpack__(stream=asked)).device == (2, 0)


@pytest.mark.parametrize(("own", "asked"), [(64, 1), (64, None), (1, 2), (1, 64)])
def test_another_stream_needs_one_that_is_not_there(own: int, asked: Any) -> None:
    with pytest.raises(anystream.DriverUnavailable):
        cuda_array(own).__dlpack__(stream=asked)


def test_no_ordering_needs_no_driver() -> None:
    assert Taken.of(cuda_array(64).__dlpack__(stream=-1)).device == (2, 0)


@pytest.mark.parametrize("device", [(7, 0), (77, 1)])
def test_a_stream_of_a_stranger_cannot_be_ordered(device: tuple[int, int]) -> None:
    producer, array = imported(device=device)
    with pytest.raises(
        anystream.DriverUnavailable,
        match=r"__dlpack__\(stream=…\): nobody here can order .* before an object: .*\n"
        r"  Order it with the library that owns it, then pass stream=-1\.",
    ):
        array.__dlpack__(stream=object())
    assert producer.deleted == 0


@pytest.mark.parametrize("device", [(3, 0), (11, 0), (13, 0)])
def test_what_the_host_may_read_becomes_a_host_view(device: tuple[int, int]) -> None:
    producer, array = imported(device=device, flags=READ_ONLY)
    capsule = array.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 0))
    taken = Taken.of(capsule)
    assert (taken.data, taken.device, taken.flags) == (producer.address, (1, 0), READ_ONLY)


def test_what_the_host_may_not_read_is_not_exported_to_it_without_a_copy() -> None:
    _, array = imported(device=(2, 0))
    with pytest.raises(
        BufferError, match=r"copy=False\): the host cannot read a kDLCUDA array where it is"
    ):
        array.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(anystream.DriverUnavailable):
        array.__dlpack__(dl_device=(1, 0))


@pytest.mark.parametrize("stream", [-1, 1])
def test_on_the_way_to_the_host_stream_is_none(stream: int) -> None:
    _, array = imported(device=(3, 0))
    with pytest.raises(ValueError, match=r"__dlpack__\(stream=…, dl_device=\(1, 0\)\)"):
        array.__dlpack__(stream=stream, dl_device=(1, 0))
