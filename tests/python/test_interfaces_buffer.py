# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The buffer protocol comes in: what has it, what its formats mean, and how long it is held."""

import array
import ctypes
import gc
import mmap
import pickle
import re
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import DType, _core

np = pytest.importorskip("numpy", reason="numpy is not installed")

LETTERS = "w" if sys.version_info >= (3, 13) else "u"  # the code of arrays of str


SQUARE: Any = ((ctypes.c_short * 2) * 2)(*[(ctypes.c_short * 2)(1, 2), (ctypes.c_short * 2)(3, 4)])


def values(x: Any) -> Any:
    return np.from_dlpack(anystream.from_dlpack(x))


@pytest.mark.parametrize(
    ("x", "name", "wanted", "readonly"),
    [
        (b"abc", "uint8", [97, 98, 99], True),
        (bytearray(b"abc"), "uint8", [97, 98, 99], False),
        (memoryview(b"abc"), "uint8", [97, 98, 99], True),
        (memoryview(bytearray(b"abc")).toreadonly(), "uint8", [97, 98, 99], True),
        (array.array("d", [1.5, 2.5]), "float64", [1.5, 2.5], False),
        (array.array("h", [-1, 2]), "int16", [-1, 2], False),
        (array.array("l", [-1, 2]), f"int{8 * ctypes.sizeof(ctypes.c_long)}", [-1, 2], False),
        ((ctypes.c_float * 2)(1, 2), "float32", [1.0, 2.0], False),
        ((ctypes.c_int64 * 2)(-1, 2), "int64", [-1, 2], False),
        ((ctypes.c_long * 2)(-1, 2), f"int{8 * ctypes.sizeof(ctypes.c_long)}", [-1, 2], False),
        ((ctypes.c_bool * 2)(True, False), "bool", [True, False], False),
        ((ctypes.c_char * 2)(b"a", b"b"), "uint8", [97, 98], False),
        (ctypes.c_double(2.5), "float64", 2.5, False),
        (SQUARE, "int16", [[1, 2], [3, 4]], False),
        (pickle.PickleBuffer(b"ab"), "uint8", [97, 98], True),
        (b"", "uint8", [], True),
        (bytearray(), "uint8", [], False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_it(x: Any, name: str, wanted: Any, readonly: bool) -> None:
    got = anystream.from_dlpack(x)
    assert got.dtype == DType(name)
    assert got.readonly is readonly
    assert got.device == anystream.Device("cpu")
    assert np.from_dlpack(got).tolist() == wanted
    assert anystream.handoff(x, to="numpy").tolist() == wanted
    if memoryview(x).nbytes:
        assert got.data_ptr == _core._view_address(memoryview(x))


def test_the_plan_says_so() -> None:
    plan = anystream.explain(bytearray(b"abc"))
    assert plan.protocol.what == "the buffer protocol"
    assert plan.ordering.what == "nothing to order"


def test_writes_are_seen_on_both_sides() -> None:
    x = bytearray(b"abc")
    values(x)[0] = 122
    assert x == b"zbc"


def test_a_mapped_file(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(bytes(range(16)))
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    got = anystream.from_dlpack(mapped)
    assert got.readonly
    assert np.from_dlpack(got).tolist() == list(range(16))
    with pytest.raises(BufferError):
        mapped.close()
    del got
    gc.collect()
    mapped.close()


# ---- layouts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x[::-1, ::2],
        lambda x: x.T,
        lambda x: x[1:2],
        lambda x: x[:0],
        lambda x: x[1, 1],
        lambda x: np.broadcast_to(x[0], (3, 4)),
    ],
)
@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d"])
def test_layouts_and_types_through_a_memoryview(view: Any, dtype: str) -> None:
    x = np.asarray(view(np.arange(12).reshape(3, 4).astype(dtype)))
    got = anystream.from_dlpack(memoryview(x))
    assert str(got.dtype) == x.dtype.name
    if x.size:
        steps = zip(got.shape, got.strides, x.strides, strict=True)
        assert all(ours * x.itemsize == theirs for n, ours, theirs in steps if n > 1)
        assert got.data_ptr + got.byte_offset == x.ctypes.data
    assert np.from_dlpack(got).tolist() == x.tolist()
    assert got.readonly is not x.flags.writeable


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex(dtype: str) -> None:
    x = np.array([1 + 2j, 3], dtype)
    got = anystream.from_dlpack(memoryview(x))
    assert str(got.dtype) == x.dtype.name
    assert np.from_dlpack(got).tolist() == x.tolist()


def test_strides_of_no_whole_element_are_refused() -> None:
    records = np.zeros(3, [("a", "i1"), ("b", "i2")])
    text = "multiples of the 2 bytes of an element; got (3,).\n  DLPack counts strides"
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(memoryview(records["b"]))


# ---- formats that are refused --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [">f8", ">i2", ">u4", ">c16"])
def test_a_foreign_byte_order_is_refused(dtype: str) -> None:
    with pytest.raises(BufferError, match=r"of this machine's byte order; got the format '>"):
        anystream.from_dlpack(memoryview(np.zeros(2, dtype)))


@pytest.mark.parametrize("kind", [ctypes.c_int32.__ctype_be__, ctypes.c_double.__ctype_be__])
def test_a_foreign_byte_order_of_ctypes_is_refused(kind: Any) -> None:
    with pytest.raises(BufferError, match=r"of this machine's byte order; got the format '>"):
        anystream.from_dlpack((kind * 2)())


@pytest.mark.parametrize(
    "x",
    [
        memoryview(np.zeros(2, "g")),
        memoryview(np.zeros(2, "G")),
        memoryview(np.zeros(2, [("a", "i4"), ("b", "f4")])),
        memoryview(np.zeros(2, "S3")),
        memoryview(np.zeros(2, "U3")),
        memoryview(np.zeros(2, "V3")),
        memoryview(np.zeros(2, object)),
        array.array(LETTERS, "ab"),
        (ctypes.c_void_p * 2)(),
        (ctypes.c_longdouble * 2)(),
    ],
)
def test_elements_that_are_no_numbers_are_refused(x: Any) -> None:
    text = f"got the format {memoryview(x).format!r} with {memoryview(x).itemsize} bytes an element"
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(x)


def test_a_format_of_one_pad_byte_is_no_number() -> None:
    with pytest.raises(BufferError, match="has numbers or bools as elements"):
        anystream.from_dlpack(memoryview(np.zeros(2, "V1")))


def test_suboffsets_are_refused() -> None:
    testbuffer = pytest.importorskip("_testbuffer", reason="this Python has no test modules")
    x = testbuffer.ndarray(list(range(12)), shape=[3, 4], format="L", flags=testbuffer.ND_PIL)
    assert memoryview(x).suboffsets
    with pytest.raises(BufferError, match="got one with suboffsets"):
        anystream.from_dlpack(x)


@pytest.mark.parametrize("x", [3, 3.0, None, "text", object(), {1}, np.dtype("f4")])
def test_what_has_no_protocol_is_no_array(x: Any) -> None:
    text = (
        "anystream takes an array: an object with __dlpack__ and __dlpack_device__, with "
        "__cuda_array_interface__, __sycl_usm_array_interface__, __array_interface__ or with the "
        'buffer protocol; a "dltensor" or "dltensor_versioned" capsule; or an anystream.Array; or '
        "a list, a tuple or a dict of these; got "
    )
    with pytest.raises(TypeError, match=re.escape(text)):
        anystream.explain(x)


# ---- how long it is held -------------------------------------------------------------------------


def test_it_is_held_while_the_array_lives_and_no_longer() -> None:
    x = bytearray(b"abc")
    got = anystream.from_dlpack(x)
    with pytest.raises(BufferError):
        x.append(0)
    del got
    x.append(0)
    assert x == b"abc\0"


def test_it_is_held_while_an_export_lives() -> None:
    x = bytearray(b"abc")
    got = anystream.handoff(x, to="numpy")
    gc.collect()
    with pytest.raises(BufferError):
        x.append(0)
    assert got.tolist() == [97, 98, 99]
    del got
    x.append(0)


def test_a_cycle_through_the_buffer_is_collected() -> None:
    class Holds(bytearray):
        array: Any

    x = Holds(b"abc")
    x.array = anystream.from_dlpack(x)
    there = weakref.ref(x)
    del x
    gc.collect()
    assert there() is None


def test_a_copy_holds_nothing() -> None:
    x = bytearray(b"abc")
    got = anystream.from_dlpack(x, copy=True)
    x.append(0)
    x[0] = 0
    assert np.from_dlpack(got).tolist() == [97, 98, 99]


def test_explain_holds_nothing() -> None:
    x = bytearray(b"abc")
    plan = anystream.explain(x)
    x.append(0)
    assert plan.copy.what == "view"


def test_a_refused_one_is_given_back_at_once() -> None:
    x = array.array(LETTERS, "ab")
    with pytest.raises(BufferError) as caught:
        anystream.from_dlpack(x)
    x.append("c")  # while the error, and with it its frames, still lives
    assert "format" in str(caught.value)


class Exports:
    """A class of Python with the protocol (PEP 688)."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.calls = self.released = 0

    def __buffer__(self, flags: int) -> memoryview:
        self.calls += 1
        if isinstance(self.inner, Exception):
            raise self.inner
        return memoryview(self.inner)

    def __release_buffer__(self, view: memoryview) -> None:
        self.released += 1
        view.release()


needs_3_12 = pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 688 is of Python 3.12")


@needs_3_12
def test_a_class_of_python_is_asked_once_and_given_back() -> None:
    x = Exports(bytearray(b"abc"))
    got = anystream.from_dlpack(x)
    assert (x.calls, x.released) == (1, 0)
    assert np.from_dlpack(got).tolist() == [97, 98, 99]
    del got
    gc.collect()
    assert (x.calls, x.released) == (1, 1)


@needs_3_12
@pytest.mark.parametrize("error", [TypeError("mine"), ValueError("mine"), BufferError("mine")])
def test_its_own_error_comes_through(error: Exception) -> None:
    x = Exports(error)
    with pytest.raises(type(error)) as caught:
        anystream.from_dlpack(x)
    assert caught.value is error
    assert x.calls == 1
