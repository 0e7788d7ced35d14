# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy's element types: those of ml_dtypes come and go as views, those of nobody are refused."""

import re
import subprocess
import sys
from typing import Any

import pytest

import anystream
from ctypes_tensors import PADDED, Taken
from dtype_rig import SMALL, WHOLE, array_of
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture
def ml_dtypes() -> Any:
    return pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")


def kind_of(ml_dtypes: Any, name: str) -> Any:
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    return np.dtype(getattr(ml_dtypes, name))


def of_bytes(kind: Any, count: int = 24) -> Any:
    return np.arange(1, 1 + count * kind.itemsize, dtype="uint8").view(kind)


@pytest.mark.parametrize("name", WHOLE)
def test_numpy_to_numpy_is_the_same_memory(ml_dtypes: Any, name: str) -> None:
    x = of_bytes(kind_of(ml_dtypes, name)).reshape(4, 6)[::-1, ::2]
    array = anystream.from_dlpack(x)
    assert str(array.dtype) == name
    assert (array.shape, array.strides) == ((4, 3), (-6, 2))
    assert array.data_ptr + array.byte_offset == x.ctypes.data
    assert array.plan.producer.what == "numpy"
    y = anystream.handoff(x, to="numpy")
    assert y.dtype == x.dtype
    assert y.strides == x.strides
    assert y.ctypes.data == x.ctypes.data
    assert y.tobytes() == x.tobytes()


@pytest.mark.parametrize("view", [lambda x: x[()], lambda x: x[1], lambda x: x[:0], lambda x: x.T])
def test_its_layouts(ml_dtypes: Any, view: Any) -> None:
    x = np.asarray(view(of_bytes(kind_of(ml_dtypes, "bfloat16")).reshape(4, 6)))
    y = anystream.handoff(x, to="numpy")
    assert (y.dtype, y.shape) == (x.dtype, x.shape)
    assert y.tobytes() == x.tobytes()
    assert anystream.handoff(x, to="numpy", copy=True).tobytes() == x.tobytes()


@pytest.mark.parametrize("name", SMALL)
def test_small_ones_have_a_byte_each(ml_dtypes: Any, name: str) -> None:
    kind = kind_of(ml_dtypes, name)
    x = np.array([0, 1, 0, 1, 1], "int8").astype(kind)
    array = anystream.from_dlpack(x)
    assert (str(array.dtype), array.nbytes) == (name, 5)
    taken = Taken.of(array.__dlpack__(max_version=(1, 3)))
    assert taken.flags == PADDED
    taken.delete()
    with pytest.raises(BufferError, match="cannot say that an array is padded") as caught:
        array.__dlpack__()
    assert str(caught.value).endswith("where a library asks, write anystream.handoff(a, to=…).")
    y = anystream.handoff(array, to="numpy")
    assert (y.dtype, y.tobytes()) == (kind, x.tobytes())
    assert y.ctypes.data == x.ctypes.data
    with pytest.raises(BufferError, match="has no elements of type"):
        anystream.handoff(x, to=LIBRARIES["torch"].require().name)


@pytest.mark.parametrize("name", SMALL)
def test_packed_ones_are_no_bytes(ml_dtypes: Any, name: str) -> None:
    kind = kind_of(ml_dtypes, name)
    text = f"numpy has a byte for each element of type {name}; got elements that are packed"
    with pytest.raises(BufferError, match=text):
        anystream.handoff(array_of(name), to="numpy")
    assert np.asarray(array_of(name)).dtype == kind  # what the message advises
    assert anystream.handoff(array_of(name, padded=True), to="numpy").shape == (4,)


TORCH = [
    *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
    *("float8_e8m0fnu", "complex32"),
]


@pytest.mark.parametrize("name", TORCH)
def test_torch_to_numpy_and_back_is_a_view(ml_dtypes: Any, name: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    kind, theirs = kind_of(ml_dtypes, name), getattr(torch, name)
    x = torch.arange(1, 1 + 24 * kind.itemsize, dtype=torch.uint8).view(theirs)
    y = anystream.handoff(x, to="numpy")
    assert (y.dtype, y.ctypes.data) == (kind, x.data_ptr())
    z = anystream.handoff(y, to="torch")
    assert (z.dtype, z.data_ptr()) == (theirs, x.data_ptr())
    assert y.tobytes() == bytes(range(1, 1 + 24 * kind.itemsize))
    del x, y
    assert bytes(z.view(torch.uint8).tolist()) == bytes(range(1, 1 + 24 * kind.itemsize))


def test_values_are_the_same_numbers(ml_dtypes: Any) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.tensor([1.5, -2.0, 0.0, float("inf")], dtype=torch.bfloat16)
    assert anystream.handoff(x, to="numpy").astype("f4").tolist() == x.tolist()
    y = np.array([1.5, -2.0, 448.0], ml_dtypes.float8_e4m3fn)
    assert anystream.handoff(y, to="torch").float().tolist() == [1.5, -2.0, 448.0]


def test_read_only_stays_so(ml_dtypes: Any) -> None:
    x = of_bytes(kind_of(ml_dtypes, "bfloat16"))
    x.flags.writeable = False
    assert anystream.from_dlpack(x).readonly
    assert not anystream.handoff(x, to="numpy").flags.writeable


def test_a_missing_ml_dtypes_is_named_with_what_installs_it() -> None:
    code = """
import sys
sys.modules["ml_dtypes"] = None
import numpy
import anystream
from anystream import _core
memory = bytearray(8)
array = anystream.from_dlpack(memory)
array = _core._array_from_pointer(array.data_ptr, (4,), None, (4, 16, 1), (1, 0),
    readonly=False, owner=array, stream=None, plan=None)
try:
    anystream.handoff(array, to="numpy")
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == (
        "numpy has no elements of type bfloat16 but by ml_dtypes, which is not installed.\n"
        "  pip install ml_dtypes\n"
    ), done.stderr


# ---- numpy's that have no type -------------------------------------------------------------------


STRINGS = np.dtypes.StringDType()


@pytest.mark.parametrize(
    ("dtype", "shown", "why"),
    [
        (">f8", ">f8", "of the other byte order than this machine's, and DLPack's types are nat"),
        (">i2", ">i2", 'as NumPy does: x.astype(x.dtype.newbyteorder("=")).'),
        (">M8[s]", ">M8[s]", "is of the other byte order than this machine's, and DLPack's types"),
        (">m8[s]", ">m8[s]", 'newbyteorder("=")), then its view("int64"): DLPack has no type for '),
        ("datetime64[ns]", "datetime64[ns]", "DLPack has no type for dates and times.\n  Hand ove"),
        ("timedelta64[s]", "timedelta64[s]", "DLPack has no type for time differences."),
        ("O", "object", "DLPack has no type for elements that are Python objects."),
        ("U3", "<U3", "DLPack has no type for text."),
        ("S3", "|S3", "DLPack has no type for text."),
        ("V3", "|V3", "DLPack has no type for structured or untyped elements."),
        ([("a", "i4")], "[('a', '<i4')]", "Hand over its fields, or its bytes as uint8."),
        (
            "g",
            str(np.dtype("g")),
            'DLPack has no type for floats of this width.\n  Convert x to "f',
        ),
        ("G", str(np.dtype("G")), "DLPack has no type for complex numbers of this width."),
        (STRINGS, str(STRINGS), "DLPack has no type for such elements.\n  Convert x to a num"),
    ],
)
def test_it_is_refused_by_its_name(dtype: Any, shown: str, why: str) -> None:
    x = np.zeros(2, dtype)
    text = re.escape(f"this numpy array has elements of type {shown}: ") + ".*" + re.escape(why)
    for _ in range(2):
        with pytest.raises(BufferError, match=re.compile(text, re.DOTALL)):
            anystream.from_dlpack(x)
        with pytest.raises(BufferError, match=re.compile(text, re.DOTALL)):
            anystream.handoff(x, to="numpy")
        anystream.from_dlpack(np.zeros(2))  # the class is remembered by now, and its way in


@pytest.mark.parametrize("dtype", [">M8[s]", ">m8[s]", "<M8[s]", "<m8[s]"])
def test_the_advice_for_dates_gives_their_numbers(dtype: str) -> None:
    x = np.array([1, -2, 2**40]).astype(dtype)
    with pytest.raises(BufferError) as refused:
        anystream.from_dlpack(x)
    advice = str(refused.value).partition("\n")[2]
    if ".astype(x.dtype.newbyteorder(" in advice:
        x = x.astype(x.dtype.newbyteorder("="))
    assert 'view("int64")' in advice
    assert anystream.handoff(x.view("int64"), to="numpy").tolist() == [1, -2, 2**40]


@pytest.mark.parametrize("dtype", ["<f8", "=f8", "f8", "|b1", "?", "<i2", "F", "e"])
def test_native_ones_are_taken_however_they_are_spelt(dtype: str) -> None:
    x = np.zeros(3, dtype)
    assert str(anystream.from_dlpack(x).dtype) == x.dtype.name
