# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real libraries take an Array through their own from_dlpack, and real ones make it."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream._core import _array_from_capsule
from ctypes_tensors import READ_ONLY
from exchange_rig import Api
from export_rig import EXPORTERS

np = pytest.importorskip("numpy", reason="numpy is not installed")

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def imported(x: Any) -> anystream.Array:
    """Import a NumPy array by its capsule alone."""
    return _array_from_capsule(x.__dlpack__(max_version=(1, 0)), None, None)


def sample(dtype: str, shape: tuple[int, ...] = (3, 4)) -> Any:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "columns": lambda x: x[:, ::2],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[0], (5, 4)),
    "scalar": lambda x: x[1, 2, ...],
    "empty": lambda x: x[:0],
}


@EXPORTERS
@pytest.mark.parametrize("dtype", DTYPES + COMPLEX)
@pytest.mark.parametrize("view", VIEWS)
def test_numpy(exporter: Any, view: str, dtype: str) -> None:
    x = VIEWS[view](sample(dtype))
    array = imported(x)
    assert array.shape == x.shape
    assert str(array.dtype) == dtype
    assert array.readonly is not x.flags.writeable
    y = np.from_dlpack(exporter(array))
    assert y.dtype == x.dtype
    assert y.flags.writeable == x.flags.writeable
    assert (y == x).all()
    assert x.size == 0 or np.shares_memory(x, y)


@pytest.mark.parametrize("copy", [None, True, False])
def test_numpy_with_its_own_keywords(copy: Any) -> None:
    x = sample("float32")
    y = np.from_dlpack(imported(x), device="cpu", copy=copy)
    assert (y == x).all()
    assert np.shares_memory(x, y) is (copy is not True)


@EXPORTERS
@pytest.mark.parametrize("dtype", DTYPES + COMPLEX)
@pytest.mark.parametrize("view", ["whole", "columns", "transposed", "scalar", "empty"])
def test_torch(exporter: Any, view: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = VIEWS[view](sample(dtype).copy())
    y = torch.from_dlpack(exporter(imported(x)))
    assert str(y.dtype) == f"torch.{dtype}"
    assert y.shape == x.shape
    assert (y.numpy() == x).all()
    assert x.size == 0 or y.data_ptr() == x.ctypes.data


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "complex64"])
def test_from_torch_and_back(dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3).to(getattr(torch, dtype))
    array = _array_from_capsule(x.__dlpack__(max_version=(1, 0)), None, None)
    assert str(array.dtype) == dtype
    y = torch.from_dlpack(array)
    assert y.data_ptr() == x.data_ptr()
    assert y.dtype == x.dtype
    assert torch.equal(y.view(torch.uint8), x.view(torch.uint8))


@EXPORTERS
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float32", "complex64"])
def test_jax(exporter: Any, dtype: str) -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    x = sample(dtype)
    y = jax.dlpack.from_dlpack(exporter(imported(x)))
    assert str(y.dtype) == dtype
    assert (np.asarray(y) == x).all()


def test_from_jax_and_back() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    x = jax.numpy.arange(12, dtype="int32").reshape(3, 4)
    array = _array_from_capsule(x.__dlpack__(), None, None, "", True)
    assert array.readonly is True  # its library never writes, but its capsule cannot say so
    assert np.from_dlpack(array).flags.writeable is False
    assert (np.from_dlpack(array) == np.asarray(x)).all()


@EXPORTERS
@pytest.mark.parametrize("dtype", DTYPES)
def test_tvm_ffi(exporter: Any, dtype: str) -> None:
    tvm_ffi = pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed")
    x = sample(dtype)
    y = tvm_ffi.from_dlpack(exporter(imported(x)))
    assert tuple(y.shape) == x.shape
    assert str(y.dtype) == dtype
    assert (np.from_dlpack(y) == x).all()
    assert y.data_ptr() == x.ctypes.data


@EXPORTERS
@pytest.mark.parametrize("dtype", ["int8", "int32", "float16", "float32"])
def test_mlx(exporter: Any, dtype: str) -> None:
    mlx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    x = sample(dtype)
    y = mlx.from_dlpack(exporter(imported(x)))
    assert str(y.dtype) == f"mlx.core.{dtype}"
    assert (np.array(y) == x).all()


@pytest.fixture
def read_only() -> anystream.Array:
    x = sample("float32")
    x.flags.writeable = False
    return imported(x)


def test_read_only_memory_is_not_passed_off_as_writable(read_only: anystream.Array) -> None:
    """A library that asks for no version is refused, rather than told less than is known."""
    jax = pytest.importorskip("jax", reason="jax is not installed (PEERS=all installs it)")
    with pytest.raises(BufferError, match="read-only"):
        jax.dlpack.from_dlpack(read_only)


def test_a_library_that_asks_by_the_table_is_told_that_it_is_read_only(
    read_only: anystream.Array,
) -> None:
    """What can say so does: the tensor's flags, which tvm_ffi gets and does not look at."""
    tvm_ffi = pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed")
    managed = Api.of(anystream.Array).export(read_only)
    assert managed.flags == READ_ONLY
    managed.delete()
    with pytest.raises(BufferError, match="read-only"):  # a DLTensor has no flags to say it
        Api.of(anystream.Array).borrow(read_only)
    assert tvm_ffi.from_dlpack(read_only).data_ptr() == read_only.data_ptr
    assert tvm_ffi.from_dlpack(anystream.from_dlpack(read_only, copy=True)).shape == (3, 4)


def test_from_library_to_library_and_on() -> None:
    """Each holds the one before: the last keeps the first one's memory."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = sample("float32")
    expected, address = x.copy(), x.ctypes.data
    y = torch.from_dlpack(imported(x))
    del x
    z = np.from_dlpack(_array_from_capsule(y.__dlpack__(max_version=(1, 0)), None, None))
    del y
    sample("float32", (1000,))
    assert z.ctypes.data == address
    assert (z == expected).all()
