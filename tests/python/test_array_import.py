# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Capsules built by hand come in right, or are refused by name; their deleter is called once."""

from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule, _capsule_device
from ctypes_tensors import (
    IS_COPIED,
    PADDED,
    READ_ONLY,
    Producer,
    Taken,
    name_of,
    named_capsule,
)

FORMS = pytest.mark.parametrize("versioned", [False, True], ids=["legacy", "versioned"])


def take(producer: Producer, **options: Any) -> anystream.Array:
    return _array_from_capsule(producer.capsule(), None, None, **options)


@FORMS
@pytest.mark.parametrize("version", [(1, 0), (1, 1), (1, 3), (1, 99)])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (1, 1), (3, 0), (0,)])
@pytest.mark.parametrize("strided", [False, True])
def test_layouts_in_both_forms(
    shape: tuple[int, ...], version: tuple[int, int], *, versioned: bool, strided: bool
) -> None:
    strides = tuple(7 * (axis + 1) for axis in range(len(shape))) if strided else None
    producer = Producer(shape, strides, versioned=versioned, version=version)
    array = take(producer)
    assert array.shape == shape
    assert len(array.strides) == len(shape)
    if strided:
        assert array.strides == strides
    assert array.data_ptr == producer.address
    assert producer.deleted == 0
    del array
    assert producer.deleted == 1


@FORMS
def test_a_scalar_may_have_no_shape(*, versioned: bool) -> None:
    producer = Producer((), versioned=versioned, null_shape=True)
    assert take(producer).shape == ()
    assert producer.deleted == 1


@pytest.mark.parametrize("strides", [(-3, -1), (0, 1), (1, 0), (0, 0), (1, 2), (-1, 5)])
def test_strides_of_every_sign(strides: tuple[int, int]) -> None:
    assert take(Producer((2, 3), strides, byte_offset=64)).strides == strides


@FORMS
def test_shape_and_strides_are_copies(*, versioned: bool) -> None:
    """The deleter frees the structure: what was read from it must not be looked at again."""
    producer = Producer((2, 3), (3, 1), versioned=versioned)
    array = take(producer)
    producer._shape[0] = 99
    producer._strides[0] = 99  # type: ignore[index]
    assert (array.shape, array.strides) == ((2, 3), (3, 1))


@FORMS
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
@pytest.mark.parametrize("data", [None, -1])
def test_no_elements_with_or_without_data(
    shape: tuple[int, ...], data: int | None, *, versioned: bool
) -> None:
    producer = Producer(shape, versioned=versioned, data=data)
    array = take(producer)
    assert (array.size, array.nbytes) == (0, 0)
    assert array.data_ptr == (0 if data is None else producer.address)
    del array
    assert producer.deleted == 1


@FORMS
def test_a_deleter_may_be_null(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned, deleter=False)
    array = take(producer)
    del array
    bad = Producer(versioned=versioned, deleter=False, ndim=-1)
    with pytest.raises(BufferError):
        take(bad)
    assert (producer.deleted, bad.deleted) == (0, 0)


@FORMS
@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ndim": -1}, "an array has 0 to 64 dimensions; got ndim -1"),
        ({"ndim": 65}, "an array has 0 to 64 dimensions; got ndim 65"),
        ({"ndim": 2**31 - 1}, "an array has 0 to 64 dimensions"),
        ({"shape": (2, -3)}, r"an extent is 0 or more; got the shape \(2, -3\)"),
        ({"null_shape": True}, "an array with ndim 2 needs a shape; got NULL"),
        ({"shape": (2**40, 2**40)}, "number of elements of an array must fit 63 bits"),
        ({"shape": (2**61,), "dtype": (5, 128, 1)}, "must fit 63 bits"),
        ({"shape": (2, 2), "strides": (2**62, 1)}, "must fit 63 bits"),
        ({"shape": (2, 2), "strides": (-(2**62), 1)}, "must fit 63 bits"),
        ({"data": None}, r"an array with elements needs data; got NULL for the shape \(2, 3\)"),
        ({"byte_offset": 2**63}, "a byte_offset is counted upwards from data"),
        ({"dtype": (2, 0, 1)}, "at least one bit and one lane"),
        ({"dtype": (2, 32, 0)}, "at least one bit and one lane"),
        ({"dtype": (17, 8, 1)}, "the width of its type; got"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], text: str, *, versioned: bool) -> None:
    producer = Producer(versioned=versioned, **fields)
    capsule = producer.capsule()
    with pytest.raises(BufferError, match=text):
        _array_from_capsule(capsule, None, None)
    assert producer.deleted == 1
    assert name_of(capsule).startswith("used_")
    producer.drop()
    assert producer.deleted == 1


def test_of_another_major_version_only_the_deleter_is_used() -> None:
    """The fields after `flags` may mean anything; these would crash whoever looked at them."""
    producer = Producer(version=(2, 0), ndim=2**30, data=1)
    producer.managed.tensor.shape = None
    with pytest.raises(BufferError, match=r"anystream takes DLPack 1; got .* version 2\.0"):
        take(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize("bits", [0, 1, 4, 6, 8, 12, 16, 24, 32, 64, 128, 255])
def test_every_element_type_comes_in_as_it_is_or_is_refused(bits: int) -> None:
    for code in range(41):
        for lanes in (0, 1, 2, 4, 65535):
            producer = Producer((1,), dtype=(code, bits, lanes))
            try:
                array = take(producer)
            except BufferError:
                # dlpack.h gives these a width of their own; bits of a complex number count halves.
                fixed = {4: 16, 6: 8, 15: 6, 16: 6, 17: 4} | dict.fromkeys(range(7, 15), 8)
                wrong = bits != fixed.get(code, bits) or (code == 5 and bits % 2 == 1)
                assert bits == 0 or lanes == 0 or wrong, (code, bits, lanes)
            else:
                exported = Taken.of(array.__dlpack__(max_version=(1, 3)))
                assert exported.dtype == (code, bits, lanes)
                assert array.itemsize == (bits * lanes + 7) // 8
                exported.delete()
                del array
            assert producer.deleted == 1


@pytest.mark.parametrize("flags", [0, READ_ONLY, IS_COPIED, READ_ONLY | IS_COPIED, 2**40])
def test_flags(flags: int) -> None:
    array = take(Producer(flags=flags))
    assert array.readonly is bool(flags & READ_ONLY)
    # The array goes on using the memory: it is nobody's own copy. Nobody vouches for new flags.
    assert Taken.of(array.__dlpack__(max_version=(1, 3))).flags == flags & READ_ONLY


def test_the_padded_flag_is_kept() -> None:
    array = take(Producer((5,), dtype=(17, 4, 1), flags=PADDED))
    assert Taken.of(array.__dlpack__(max_version=(1, 3))).flags == PADDED


@FORMS
def test_memory_can_be_marked_read_only_by_who_imports_it(*, versioned: bool) -> None:
    array = take(Producer(versioned=versioned), readonly=True)
    assert array.readonly is True
    with pytest.raises(BufferError, match="read-only"):
        array.__dlpack__()


@FORMS
def test_a_capsule_is_taken_once(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    capsule = producer.capsule()
    array = _array_from_capsule(capsule, None, None)
    assert name_of(capsule) == ("used_dltensor_versioned" if versioned else "used_dltensor")
    for again in (_array_from_capsule, _capsule_device):
        arguments = (None, None) if again is _array_from_capsule else ()
        with pytest.raises(ValueError, match="a DLPack capsule can be taken once; got one named"):
            again(capsule, *arguments)
    del array, capsule
    producer.drop()
    assert producer.deleted == 1


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (7, "got int 7"),
        (None, "got None"),
        ("dltensor", "got str 'dltensor'"),
        (object(), "got an object"),
        (named_capsule("SyclQueueRef"), 'got a capsule named "SyclQueueRef"'),
        (named_capsule(""), 'got a capsule named ""'),
    ],
)
def test_what_is_no_capsule_of_dlpack(given: Any, text: str) -> None:
    message = f'a DLPack capsule is named "dltensor" or "dltensor_versioned"; {text}'
    with pytest.raises(TypeError, match=message):
        _array_from_capsule(given, None, None)
    with pytest.raises(TypeError, match=message):
        _capsule_device(given)


@FORMS
def test_a_capsule_is_whole_after_a_wrong_call(*, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    capsule = producer.capsule()
    with pytest.raises(TypeError):
        _array_from_capsule(capsule, "no stream", None)  # type: ignore[arg-type]
    assert not name_of(capsule).startswith("used_")
    assert producer.deleted == 0
    assert _array_from_capsule(capsule, None, None).shape == (2, 3)


@FORMS
@pytest.mark.parametrize("device", [(1, 0), (2, 3), (14, 1), (12, 0), (77, -2)])
def test_the_device_of_a_capsule_can_be_asked(device: tuple[int, int], *, versioned: bool) -> None:
    producer = Producer(versioned=versioned, device=device)
    capsule = producer.capsule()
    assert _capsule_device(capsule) == device
    assert not name_of(capsule).startswith("used_")
    array = _array_from_capsule(capsule, None, None)
    assert array.__dlpack_device__() == device


def test_the_device_of_another_major_version_is_not_known() -> None:
    producer = Producer(version=(3, 0))
    with pytest.raises(BufferError, match=r"version 3\.0"):
        _capsule_device(producer.capsule())
    assert producer.deleted == 0
    producer.drop()
    assert producer.deleted == 1


def test_numbers_of_devices_that_nobody_knows_are_carried() -> None:
    array = take(Producer(device=(77, 5)))
    assert array.__dlpack_device__() == (77, 5)
    assert str(array.device) == "device_type_77:5"
    assert array.memory_kind == "unknown"
    assert Taken.of(array.__dlpack__(max_version=(1, 0))).device == (77, 5)


def test_an_unknown_platform_is_refused() -> None:
    producer = Producer()
    with pytest.raises(ValueError, match='there is no platform "nowhere"'):
        take(producer, platform="nowhere")
    assert producer.deleted == 1
