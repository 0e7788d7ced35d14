# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`__array_interface__` comes in: by pointer, by a buffer, by the object's own buffer."""

import gc
import re
import weakref
from typing import Any

import pytest

import anystream
from anystream import DType
from ctypes_tensors import Taken
from interface_rig import CUDA, HOST, IDS, MISSING, VALUES, WRONG, Described, Fresh

np = pytest.importorskip("numpy", reason="numpy is not installed")

# "data" may be missing here: then the object's own buffer counts.
_OWN = "an object with the buffer protocol, or None for the buffer of the object itself; got"
HOST_WRONG = [
    (key, value, _OWN if value is MISSING and key == "data" else text) for key, value, text in WRONG
]


def described(**changes: Any) -> Described:
    return Described(HOST, **changes)


def values(x: Any) -> Any:
    return np.from_dlpack(anystream.from_dlpack(x))


# ---- by pointer ----------------------------------------------------------------------------------


def test_every_field() -> None:
    x = described(strides=(4, 8))
    array = anystream.from_dlpack(x)
    assert array.device == anystream.Device("cpu")
    assert (array.shape, array.strides) == ((2, 3), (1, 2))
    assert array.dtype == DType("float32")
    assert array.data_ptr + array.byte_offset == x.address
    assert not array.readonly
    assert array.stream is None
    assert array.plan.protocol.what == HOST
    assert values(described()).tolist() == [VALUES[:3], VALUES[3:]]
    assert x.reads == 1


def test_negative_and_zero_strides() -> None:
    x = described()
    x.fields |= {"data": (x.address + 20, False), "strides": (-12, -4)}
    assert values(x).tolist() == [[6, 5, 4], [3, 2, 1]]
    assert values(described(strides=(0, 4))).tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("flag", [True, False, 0, 1, np.bool_(True), np.bool_(False)])
def test_read_only(flag: Any) -> None:
    x = described()
    x.fields["data"] = (x.address, flag)
    assert anystream.from_dlpack(x).readonly is bool(flag)
    assert np.from_dlpack(anystream.from_dlpack(x)).flags.writeable is not bool(flag)


def test_a_null_pointer_with_no_elements() -> None:
    array = anystream.from_dlpack(described(shape=(0, 3), data=(0, False)))
    assert (array.shape, array.size, array.data_ptr) == ((0, 3), 0, 0)


def test_it_lives_as_long_as_the_array() -> None:
    x = described()
    there = weakref.ref(x)
    array = anystream.from_dlpack(x)
    del x
    gc.collect()
    assert there() is not None
    assert np.from_dlpack(array).tolist() == [VALUES[:3], VALUES[3:]]
    del array
    gc.collect()
    assert there() is None


def test_a_cycle_through_the_object_is_collected() -> None:
    x = described()
    x.__dict__["array"] = anystream.from_dlpack(x)
    there = weakref.ref(x)
    del x
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("way", ["pointer", "buffer"])
def test_what_the_dict_holds_lives_as_long_too(way: str) -> None:
    x = Fresh(HOST)
    if way == "buffer":
        x.fields["data"] = np.array(VALUES, "float32").tobytes()
    array = anystream.from_dlpack(x)
    taken = Taken.of(array.__dlpack__(max_version=(1, 3)))
    gc.collect()
    assert x.home() is not None
    assert np.from_dlpack(array).tolist() == [VALUES[:3], VALUES[3:]]
    del array
    gc.collect()
    assert x.home() is not None  # an export holds it as well
    taken.delete()
    gc.collect()
    assert x.home() is None


# ---- by a buffer ---------------------------------------------------------------------------------


def test_data_that_is_a_buffer() -> None:
    data = bytearray(np.arange(8, dtype="float32").tobytes())
    x = described(data=data, offset=4)
    assert values(x).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert not anystream.from_dlpack(x).readonly
    values(x)[0, 0] = 9
    assert np.frombuffer(data, "float32")[1] == 9


def test_data_of_bytes_is_read_only() -> None:
    x = described(data=bytes(24))
    assert anystream.from_dlpack(x).readonly
    assert values(x).tolist() == [[0] * 3] * 2


class OwnBuffer(bytearray):
    """Its interface says nothing of data: the object itself is the buffer."""

    fields: dict[str, Any]

    @property
    def __array_interface__(self) -> Any:
        return self.fields


@pytest.mark.parametrize("data", [{}, {"data": None}])
def test_no_data_is_the_objects_own_buffer(data: dict[str, Any]) -> None:
    x = OwnBuffer(np.arange(8, dtype="float32").tobytes())
    x.fields = {"shape": (2, 3), "typestr": "<f4", "version": 3, "offset": 8, **data}
    assert values(x).tolist() == [[2, 3, 4], [5, 6, 7]]
    array = anystream.from_dlpack(x)
    with pytest.raises(BufferError):
        x.append(0)
    del array
    x.append(0)  # the buffer was given back


@pytest.mark.parametrize(
    ("changes", "first", "end"),
    [
        ({"offset": 4}, 4, 28),
        ({"shape": (3, 3)}, 0, 36),
        ({"strides": (16, 4)}, 0, 28),
        ({"strides": (-12, 4)}, -12, 12),
        ({"typestr": "<f8"}, 0, 48),
        ({"shape": (2**40,)}, 0, 2**42),
    ],
)
def test_elements_lie_within_the_buffer(changes: Any, first: int, end: int) -> None:
    text = (
        f"{HOST}: the elements lie within the buffer, which has 24 bytes; got elements from byte "
        f"{first} to {end}."
    )
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(described(data=bytearray(24), **changes))


@pytest.mark.parametrize("offset", [-1, 1.0, "1", True])
def test_the_offset_is_a_number_of_bytes(offset: Any) -> None:
    with pytest.raises(BufferError, match=re.escape('["offset"] is an int from 0; got ')):
        anystream.from_dlpack(described(data=bytearray(64), offset=offset))


def test_a_buffer_in_pieces_is_refused() -> None:
    with pytest.raises(BufferError, match="a contiguous buffer; got a memoryview"):
        anystream.from_dlpack(described(data=memoryview(bytearray(64))[::2]))


def test_the_view_is_given_back_when_it_is_refused() -> None:
    data = bytearray(8)
    with pytest.raises(BufferError) as caught:
        anystream.from_dlpack(described(data=data))
    data.append(0)  # while the error, and with it its frames, still lives
    assert "within the buffer" in str(caught.value)


# ---- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "value", "text"), HOST_WRONG, ids=IDS)
def test_a_key_that_is_missing_or_wrong(key: str, value: Any, text: str) -> None:
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(described(**{key: value}))


@pytest.mark.parametrize("version", [0, 1, 2, 4, True])
def test_version_3_only(version: Any) -> None:
    with pytest.raises(BufferError, match=re.escape(f'{HOST}["version"] is the int 3; got ')):
        anystream.from_dlpack(described(version=version))


@pytest.mark.parametrize(
    ("typestr", "name"),
    [
        ("<f8", "float64"),
        ("=f8", "float64"),
        ("<f2", "float16"),
        ("|b1", "bool"),
        ("<b1", "bool"),
        (">b1", "bool"),
        ("|u1", "uint8"),
        (">i1", "int8"),
        ("<i8", "int64"),
        ("<u2", "uint16"),
        ("<c8", "complex64"),
        ("<c16", "complex128"),
    ],
)
def test_type_strings(typestr: str, name: str) -> None:
    array = anystream.from_dlpack(described(typestr=typestr, shape=(1,)))
    assert array.dtype == DType(name)


@pytest.mark.parametrize("typestr", [">f8", ">i2", ">u4", ">c16", "|f8", "|i4"])
def test_a_foreign_or_unsaid_byte_order_is_refused(typestr: str) -> None:
    with pytest.raises(BufferError, match=re.escape(f'{HOST}["typestr"]: {typestr!r}')):
        anystream.from_dlpack(described(typestr=typestr, shape=(1,)))


# ---- which interface counts ----------------------------------------------------------------------


def test_the_order_of_the_protocols() -> None:
    memory = np.arange(3, dtype="float32")
    host = {"shape": (3,), "typestr": "<f4", "data": (memory.ctypes.data, False), "version": 3}

    class All(bytearray):
        pass

    def protocol() -> str:
        return str(anystream.explain(All(b"abc")).protocol.what)

    assert protocol() == "the buffer protocol"
    All.__array_interface__ = host  # type: ignore[attr-defined]
    assert protocol() == HOST
    setattr(All, CUDA, host)
    assert protocol() == CUDA
    All.__dlpack__ = lambda self: memory.__dlpack__()  # type: ignore[attr-defined]
    assert protocol() == CUDA  # half of DLPack is none
    All.__dlpack_device__ = lambda self: (1, 0)  # type: ignore[attr-defined]
    assert protocol() == "__dlpack__"
    All.__dlpack__ = None  # type: ignore[attr-defined]
    assert protocol() == CUDA  # a method that is None says that there is none


def test_scalars_come_in_by_it() -> None:
    for x in (np.float32(2.5), np.int64(-3), np.bool_(True), np.complex64(1 + 2j)):
        array = anystream.from_dlpack(x)
        assert (array.shape, str(array.dtype)) == ((), x.dtype.name)
        assert np.from_dlpack(array).item() == x.item()


def test_a_class_is_no_array() -> None:
    with pytest.raises(
        TypeError, match=r"takes an array: .*; got the class numpy\.ndarray\.\n  Pass an inst"
    ):
        anystream.from_dlpack(np.ndarray)
