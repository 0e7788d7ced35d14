# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every installed library handed to every installed library, the values compared."""

from typing import Any

import pytest

import anystream
from peer_rig import LIBRARIES, Library, address

np = pytest.importorskip("numpy", reason="numpy is not installed")

# jax's and mlx's arrays are read-only, and not all can say so: test_readonly's matter.
pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

VALUES = np.arange(64, dtype="float32") + 0.5


def expected_memory(producer: Library, consumer: Library) -> str:
    if producer.host != consumer.host and consumer.name != "tvm_ffi":
        return "copy"
    if consumer.name == "mlx":
        return "copy"  # it copies whatever it imports from the host
    if producer.name == "mlx" and consumer.name == "jax":
        return "copy"  # its memory is not aligned as jax wants it
    return "view"


@pytest.fixture(params=LIBRARIES)
def producer(request: Any) -> Library:
    return LIBRARIES[request.param].require()


@pytest.fixture(params=LIBRARIES)
def consumer(request: Any) -> Library:
    return LIBRARIES[request.param].require()


def aligned(values: Any) -> Any:
    """The same values in memory that starts at a multiple of 64 bytes, which jax asks for."""
    room = np.empty(values.nbytes + 64, dtype="uint8")
    start = -room.ctypes.data % 64
    made = room[start : start + values.nbytes].view(values.dtype)
    made[:] = values
    return made


def sample(library: Library) -> Any:
    if library.name == "numpy":
        return aligned(VALUES)
    if library.name == "tvm_ffi":
        import tvm_ffi

        return tvm_ffi.from_dlpack(aligned(VALUES))
    if library.name == "cuda.core":
        from cuda.core.utils import StridedMemoryView

        return StridedMemoryView.from_dlpack(aligned(VALUES), stream_ptr=-1)
    return library.make(VALUES)


def test_every_pair(producer: Library, consumer: Library) -> None:
    x = sample(producer)
    y = anystream.handoff(x, to=consumer.name)
    assert consumer.array_class in type(y).__name__
    got = consumer.read(y)
    wanted = VALUES
    if producer.name == "dpctl" and consumer.name != "dpctl":
        wanted = VALUES.view("uint8")  # memory has no element type
    assert got.dtype == wanted.dtype
    assert got.tolist() == wanted.tolist()
    memory = "view" if address(y) == address(x) else "copy"
    assert memory == expected_memory(producer, consumer)
    del x
    assert consumer.read(y).tolist() == wanted.tolist()


def test_every_producer_by_from_dlpack_and_on(producer: Library, consumer: Library) -> None:
    """producer -> Array -> consumer, the producer's array dropped in between."""
    array = anystream.from_dlpack(sample(producer))
    y = anystream.handoff(array, to=consumer.name)
    wanted = VALUES.view("uint8") if producer.name == "dpctl" != consumer.name else VALUES
    del array
    assert consumer.read(y).tolist() == wanted.tolist()


def test_copies_are_new_memory(producer: Library, consumer: Library) -> None:
    x = sample(producer)
    y = anystream.handoff(x, to=consumer.name, copy=True)
    assert address(y) != address(x)
    wanted = VALUES.view("uint8") if producer.name == "dpctl" != consumer.name else VALUES
    assert consumer.read(y).tolist() == wanted.tolist()


def test_copy_false_is_a_view_or_a_buffer_error(producer: Library, consumer: Library) -> None:
    x = sample(producer)
    if expected_memory(producer, consumer) == "view":
        assert address(anystream.handoff(x, to=consumer.name, copy=False)) == address(x)
    else:
        with pytest.raises(BufferError, match="copy=False"):
            anystream.handoff(x, to=consumer.name, copy=False)


def test_a_module_names_its_library(consumer: Library) -> None:
    module = pytest.importorskip(consumer.module)
    y = anystream.handoff(VALUES, to=module)
    assert consumer.read(y).tolist() == VALUES.tolist()


DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]

# What a library has no type for, or makes smaller without a word: refused.
REFUSED = {
    "jax": ("int64", "uint64", "float64", "complex128"),
    "mlx": ("float64", "complex128"),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_from_the_host(consumer: Library, dtype: str) -> None:
    values = np.array([0, 1, 3, 1, 0], dtype=dtype)
    if dtype in REFUSED.get(consumer.name, ()):
        with pytest.raises(BufferError, match=f"takes no {dtype}"):
            anystream.handoff(values, to=consumer.name)
        return
    y = anystream.handoff(values, to=consumer.name)
    got = y.copy_to_host().view(dtype) if consumer.name == "dpctl" else consumer.read(y)
    assert got.dtype == dtype
    assert got.tolist() == values.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_from_sycl(consumer: Library, dtype: str) -> None:
    dpnp = pytest.importorskip("dpnp", reason="dpnp is not installed")
    values = np.array([0, 1, 3, 1], dtype=dtype)
    x = dpnp.array(values)
    if dtype in REFUSED.get(consumer.name, ()):
        with pytest.raises(BufferError, match=f"takes no {dtype}"):
            anystream.handoff(x, to=consumer.name)
    elif consumer.name == "dpctl":
        got = anystream.handoff(x, to="dpctl").copy_to_host()
        assert got.view(dtype).tolist() == values.tolist()
    else:
        got = consumer.read(anystream.handoff(x, to=consumer.name))
        assert got.dtype == dtype
        assert got.tolist() == values.tolist()
