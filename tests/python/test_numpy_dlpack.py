# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What numpy's own DLPack tests expect, of anystream.Array: references, elements, layouts, flags.

The same expectations in our own words, wherever Array has the function concerned; those on devices
and copies are those of the array API too, and stand with its. Not applicable:

- arithmetic, slices, views and `newbyteorder` of Array: it has none. Its views are made by the
  library that made it, and the tests here make them there.
- `__dlpack__(stream=1)` is a RuntimeError. Here, as its main branch has it, a ValueError.
- `__dlpack__(copy=np.array([1, 2, 3]))` is a ValueError, of a converter that numpy itself calls too
  lenient. Here a TypeError: an array is no bool.
- memory from capsules without a version is read-only "for backwards compatibility". Here it is what
  its producer says, which for such a capsule is writable (as in torch and cupy).
"""

import sys
from typing import Any

import pytest

import anystream
from ctypes_tensors import IS_COPIED, READ_ONLY, name_of
from export_rig import EXPORTERS, MAX_VERSIONS, fields

np = pytest.importorskip("numpy", reason="numpy is not installed")

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


class OldArray(np.ndarray):  # type: ignore[misc, name-defined]
    """One that knows nothing but `stream`."""

    def __dlpack__(self, stream: Any = None) -> Any:
        return super().__dlpack__(stream=None)


def new() -> Any:
    return np.arange(5)


def old() -> Any:
    return np.arange(5).view(OldArray)


NEW_AND_OLD = pytest.mark.parametrize("make", [new, old])


# -- references ------------------------------------------------------------------------------------


@EXPORTERS
@pytest.mark.parametrize("max_version", MAX_VERSIONS)
def test_an_export_holds_the_array_and_lets_it_go(exporter: Any, max_version: Any) -> None:
    x = np.arange(5)
    before = sys.getrefcount(x)
    array = anystream.from_dlpack(x)
    capsule = exporter(array).__dlpack__(max_version=max_version)
    held = sys.getrefcount(x)
    assert held > before
    del array
    assert sys.getrefcount(x) == held
    del capsule
    assert sys.getrefcount(x) == before


@NEW_AND_OLD
def test_an_import_holds_one_reference(make: Any) -> None:
    x = make()
    y = anystream.from_dlpack(x)
    held = sys.getrefcount(x)
    del y
    assert held - sys.getrefcount(x) == 1


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_a_capsule_is_dropped_while_an_error_passes(max_version: Any) -> None:
    x = np.arange(5)
    before = sys.getrefcount(x)

    def fail() -> None:
        capsule = anystream.from_dlpack(x).__dlpack__(max_version=max_version)
        raise RuntimeError(name_of(capsule))

    with pytest.raises(RuntimeError, match="dltensor"):
        fail()
    assert sys.getrefcount(x) == before


# -- element types, shapes and strides -------------------------------------------------------------


@NEW_AND_OLD
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_element_type_passes_through(make: Any, dtype: str) -> None:
    x = make().astype(dtype)
    y = np.from_dlpack(anystream.from_dlpack(x))
    assert y.dtype == x.dtype
    assert (y == x).all()


@pytest.mark.parametrize(
    "x",
    [
        np.asarray(np.datetime64("2021-05-27")),
        np.arange(5, dtype=np.dtype("=i8").newbyteorder()),
        np.zeros(5, dtype=[("int", np.int32), ("char", np.int8)])["int"],
    ],
    ids=["datetime", "byte-swapped", "strides that are no multiple of the element"],
)
def test_what_dlpack_has_no_words_for_is_a_buffer_error(x: Any) -> None:
    with pytest.raises(BufferError):
        anystream.from_dlpack(x)


def test_views_with_gaps() -> None:
    x = np.arange(25).reshape((5, 5))
    for y in (x[0], x[:, 0], x[1, :], x[1], np.diagonal(x).copy(), x[::2, ::2], x.T, x[::-1]):
        assert (np.from_dlpack(anystream.from_dlpack(y)) == y).all()


@pytest.mark.parametrize("ndim", range(65))
def test_many_dimensions(ndim: int) -> None:
    x = np.zeros((1,) * ndim)
    array = anystream.from_dlpack(x)
    assert array.shape == x.shape
    assert np.from_dlpack(array).shape == x.shape


def test_no_dimension() -> None:
    x = np.array(1.0)
    y = np.from_dlpack(anystream.from_dlpack(x))
    assert y.shape == ()
    assert y == x


def test_strides_of_single_elements_mean_nothing() -> None:
    room = np.ones(1000, dtype=np.uint8)
    x: Any = np.ndarray((10, 5, 1), "f8", room, strides=(8, 80, 4), order="F")
    y = np.from_dlpack(anystream.from_dlpack(x))
    assert (y == x).all()


# -- read-only and writable ------------------------------------------------------------------------


def test_read_only_memory() -> None:
    x = np.arange(5)
    x.flags.writeable = False
    array = anystream.from_dlpack(x)
    with pytest.raises(BufferError):
        array.__dlpack__()
    assert fields(array.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    assert not np.from_dlpack(array).flags.writeable
    assert fields(array.__dlpack__(max_version=(1, 0), copy=True)).flags == IS_COPIED
    assert fields(array.__dlpack__(copy=True)).data != x.ctypes.data


@NEW_AND_OLD
def test_writable_memory_stays_writable(make: Any) -> None:
    x = make()
    array = anystream.from_dlpack(x)
    assert array.readonly is False
    assert np.from_dlpack(array).flags.writeable
