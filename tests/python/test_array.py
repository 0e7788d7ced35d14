# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The class Array: what it says of its memory, and what it does not let happen to it."""

import copy
import pickle
import weakref
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule, _array_from_pointer
from anystream.testing import SimulatedDevice
from ctypes_tensors import PADDED, READ_ONLY, Producer

PUBLIC = [name for name in dir(anystream.Array) if name not in dir(object)]


def array_of(producer: Producer, plan: Any = None) -> anystream.Array:
    return _array_from_capsule(producer.capsule(), None, plan)


def test_it_says_what_the_producer_said() -> None:
    producer = Producer((2, 3), (6, 2), byte_offset=8)
    array = array_of(producer)
    assert array.shape == (2, 3)
    assert array.strides == (6, 2)
    assert array.ndim == 2
    assert array.size == 6
    assert array.nbytes == 24
    assert array.itemsize == 4
    assert array.data_ptr == producer.address
    assert array.byte_offset == 8
    assert array.readonly is False
    assert array.stream is None
    assert array.plan is None
    assert array.memory_kind == "host"
    assert array.__dlpack_device__() == (1, 0)


def test_device_and_dtype_are_the_packages_own() -> None:
    array = array_of(Producer(dtype=(4, 16, 1)))
    assert isinstance(array.device, anystream.Device)
    assert isinstance(array.dtype, anystream.DType)
    assert str(array.device) == "cpu"
    assert str(array.dtype) == "bfloat16"


@pytest.mark.parametrize(
    ("shape", "size", "strides"),
    [
        ((), 1, ()),
        ((0,), 0, (1,)),
        ((3, 0), 0, (1, 1)),
        ((1, 1), 1, (1, 1)),
        ((4, 1, 2), 8, (2, 2, 1)),
    ],
)
def test_null_strides_become_row_major_ones(
    shape: tuple[int, ...], size: int, strides: tuple[int, ...]
) -> None:
    array = array_of(Producer(shape))
    assert (array.shape, array.size, array.ndim) == (shape, size, len(shape))
    assert array.nbytes == 4 * size
    # Of an axis without extent, or of one element, the step means nothing.
    told = [s for s, extent in zip(array.strides, shape, strict=True) if extent > 1]
    assert told == [s for s, extent in zip(strides, shape, strict=True) if extent > 1]
    assert len(array.strides) == len(shape)


@pytest.mark.parametrize(
    ("dtype", "flags", "itemsize", "nbytes"),
    [
        ((17, 4, 1), 0, 1, 3),  # five elements of four bits, packed
        ((17, 4, 1), PADDED, 1, 5),
        ((17, 4, 2), 0, 1, 5),
        ((2, 32, 4), 0, 16, 80),
        ((5, 128, 1), 0, 16, 80),
        ((6, 8, 1), 0, 1, 5),
        ((15, 6, 1), 0, 1, 4),
    ],
)
def test_bytes_are_counted_in_bits(
    dtype: tuple[int, int, int], flags: int, itemsize: int, nbytes: int
) -> None:
    array = array_of(Producer((5,), dtype=dtype, flags=flags))
    assert (array.itemsize, array.nbytes) == (itemsize, nbytes)


def test_repr() -> None:
    array = array_of(Producer((2, 3)))
    assert repr(array) == "anystream.Array(shape=(2, 3), dtype=float32, device=cpu, strides=(3, 1))"


def test_repr_of_a_read_only_scalar() -> None:
    array = array_of(Producer((), flags=READ_ONLY))
    expected = "anystream.Array(shape=(), dtype=float32, device=cpu, strides=(), readonly)"
    assert repr(array) == expected


def test_repr_shows_device_and_stream() -> None:
    with SimulatedDevice() as device:
        array = device.empty((4,), "int32", device.stream("s"))
        expected = (
            f"anystream.Array(shape=(4,), dtype=int32, device={device.device}, strides=(1,), "
            f"stream={array.stream!r})"
        )
        assert repr(array) == expected


def test_it_keeps_the_very_stream_and_plan() -> None:
    with SimulatedDevice() as device:
        stream = anystream.Stream(device.stream())
        plan = object()
        producer = Producer(device=(12, device.device.id))
        array = _array_from_capsule(producer.capsule(), stream, plan, "simulated")
        assert array.stream is stream
        assert array.plan is plan
        assert array.device.platform == "simulated"


def test_a_stream_that_the_core_knows_is_made_once() -> None:
    with SimulatedDevice() as device:
        array = device.empty(4, "int32", device.stream())
        assert array.stream is not None
        assert array.stream is array.stream


def test_a_stream_of_another_platform_is_refused() -> None:
    producer = Producer()
    with SimulatedDevice() as device:
        stream = anystream.Stream(device.stream())
        with pytest.raises(TypeError, match="cannot carry the work of a kDLCPU array"):
            _array_from_capsule(producer.capsule(), stream, None)
    assert producer.deleted == 1


def test_nothing_of_it_can_be_changed() -> None:
    array = array_of(Producer())
    for name in PUBLIC:
        if not callable(getattr(anystream.Array, name)):
            with pytest.raises(AttributeError):
                setattr(array, name, None)
    with pytest.raises(AttributeError):
        array.extra = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        anystream.Array.shape = ()  # type: ignore[assignment]


def test_it_is_made_by_imports_only() -> None:
    with pytest.raises(
        TypeError, match=r"^Array\(\) makes no array: .*\n  Write anystream\.from_dlpack\(x\)"
    ):
        anystream.Array()
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Mine", (anystream.Array,), {})


def test_it_is_not_copied_or_pickled_by_accident() -> None:
    array = array_of(Producer())
    with pytest.raises(TypeError, match=r"cannot pickle '?anystream\.Array'? object"):
        pickle.dumps(array)
    with pytest.raises(TypeError, match=r"cannot pickle '?anystream\.Array'? object"):
        copy.copy(array)


def test_it_is_compared_by_identity() -> None:
    array, other = array_of(Producer()), array_of(Producer())
    assert len({array, other, array}) == 2
    assert array != other


def test_weak_references_and_their_callbacks() -> None:
    gone: list[int] = []
    array = array_of(Producer())
    reference = weakref.ref(array, lambda _: gone.append(1))
    assert reference() is array
    del array
    assert reference() is None
    assert gone == [1]


def test_everything_public_says_what_it_is() -> None:
    for name in PUBLIC:
        assert getattr(anystream.Array, name).__doc__, name
    assert anystream.Array.__doc__
    assert anystream.from_dlpack.__doc__


def test_the_class_is_where_users_find_it() -> None:
    assert anystream.Array.__module__ == "anystream"
    assert anystream.Array.__qualname__ == "Array"


def test_memory_by_address() -> None:
    producer = Producer((6,))
    array = _array_from_pointer(
        producer.address,
        (2, 2),
        (-1, 0),
        (2, 32, 1),
        (1, 0),
        byte_offset=8,
        readonly=True,
        owner=producer,
        stream=None,
        plan="mine",
    )
    assert (array.data_ptr, array.byte_offset) == (producer.address, 8)
    assert array.strides == (-1, 0)
    assert array.readonly is True
    assert array.plan == "mine"


def test_memory_by_address_needs_to_know_the_owner() -> None:
    with pytest.raises(TypeError, match=r"_array_from_pointer\(\) needs owner=…\."):
        _array_from_pointer(  # type: ignore[call-arg]
            16, (1,), None, (2, 32, 1), (1, 0), readonly=False, stream=None, plan=None
        )


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"pointer": "16"}, TypeError, r"\(pointer\) takes an int; got str '16'"),
        ({"pointer": -1}, ValueError, r"\(pointer\) takes an int from 0 to"),
        ({"shape": 3}, TypeError, r"\(shape\) takes a tuple of ints; got int 3"),
        ({"shape": (1.5,)}, TypeError, r"\(shape\) takes an int; got float 1.5"),
        ({"shape": (-1,)}, BufferError, "an extent is 0 or more"),
        ({"strides": (1, 1)}, ValueError, "takes a stride for each of 1 axes; got 2"),
        ({"dtype": (2, 32)}, TypeError, r"takes a tuple \(code, bits, lanes\)"),
        ({"dtype": (2, 256, 1)}, ValueError, "takes an int from 0 to 255; got int 256"),
        ({"device": (1,)}, TypeError, r"takes a pair \(device type, device id\) of ints"),
        ({"readonly": 1}, TypeError, r"\(readonly\) takes True or False; got int 1"),
        ({"stream": 1}, TypeError, "Stream"),
        ({"pointer": 0}, BufferError, "an array with elements needs data"),
    ],
)
def test_memory_by_address_checks_what_it_is_told(
    change: dict[str, Any], error: type[Exception], text: str
) -> None:
    given: dict[str, Any] = {
        "pointer": 16,
        "shape": (1,),
        "strides": None,
        "dtype": (2, 32, 1),
        "device": (1, 0),
        "readonly": False,
        "owner": None,
        "stream": None,
        "plan": None,
    }
    with pytest.raises(error, match=text):
        _array_from_pointer(**(given | change))
