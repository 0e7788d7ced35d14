# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Elements of less than a byte: which library packs them, which gives each a byte, who has none."""

import ctypes
import gc
from typing import Any

import pytest

import anystream
import value_rig as rig
from ctypes_tensors import PADDED, Retyped
from dtype_rig import SMALL
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

PACKED = {
    "int1": (0, 1, 1),
    "int2": (0, 2, 1),
    "int4": (0, 4, 1),
    "uint1": (1, 1, 1),
    "uint2": (1, 2, 1),
    "uint4": (1, 4, 1),
    "float6_e2m3fn": (15, 6, 1),
    "float6_e3m2fn": (16, 6, 1),
    "float4_e2m1fn": (17, 4, 1),
}


def packed_bytes(x: Any) -> bytes:
    """The bytes of elements in row-major order, several to a byte, by a capsule's own fields."""
    taken = rig.taken(x)
    try:
        assert taken.flags & PADDED == 0
        dense = np.zeros(taken.shape, "uint8")
        assert taken.strides == dense.strides or not dense.size
        count = (int(np.prod(taken.shape)) * taken.dtype[1] + 7) // 8
        return ctypes.string_at(taken.data + taken.byte_offset, count)
    finally:
        taken.delete()


def of_ml_dtypes(name: str, shape: tuple[int, ...] = rig.SHAPE) -> Any:
    """A byte for each element, every value among them."""
    kind = rig.numpy_dtype(name)
    values = np.arange(np.prod(shape)) % 2 ** anystream.DType(name).bits
    small = values.astype("uint8").view(kind) if name.startswith("float") else values.astype(kind)
    return small.reshape(shape)


# ---- numpy: a byte for each ----------------------------------------------------------------------


@pytest.mark.parametrize("layout", rig.layouts_of("numpy"))
@pytest.mark.parametrize("name", SMALL)
def test_numpy_in_and_back(name: str, layout: str) -> None:
    x = rig.laid_out("numpy", layout, of_ml_dtypes(name))
    wanted, where = x.tobytes(), x.ctypes.data
    array = anystream.from_dlpack(x)
    assert (str(array.dtype), array.shape, array.nbytes) == (name, x.shape, x.nbytes)
    kind = x.dtype
    del x
    gc.collect()
    blocks = rig.press("numpy", len(wanted))
    back = anystream.handoff(array, to="numpy")
    assert (back.dtype, back.ctypes.data) == (kind, where)
    assert back.tobytes() == wanted
    assert blocks


@pytest.mark.parametrize("consumer", ["torch", "jax", "mlx", "dpnp"])
@pytest.mark.parametrize("name", SMALL)
def test_numpy_to_libraries_that_have_no_such_elements(
    request: Any, name: str, consumer: str
) -> None:
    if not LIBRARIES[consumer].require().host:
        request.getfixturevalue("sycl")
    x = of_ml_dtypes(name)
    for given in (x, anystream.from_dlpack(x)):
        with pytest.raises(BufferError, match=rf"{consumer} has no elements of type {name}\b"):
            anystream.handoff(given, to=consumer)


@pytest.mark.parametrize("name", SMALL)
def test_numpy_to_a_library_that_packs_them(name: str) -> None:
    LIBRARIES["tvm_ffi"].require()
    x = of_ml_dtypes(name)
    text = (
        f"tvm_ffi takes elements of type {name} packed, several to a byte; got elements that have "
        "a byte each.\n  Convert x first, with the library that it is of: x.astype("
    )
    for given in (x, anystream.from_dlpack(x)):
        for call in (anystream.handoff, anystream.explain):
            with pytest.raises(BufferError) as refused:
                call(given, to="tvm_ffi")
            assert str(refused.value).startswith(text)
    wider = x.astype(str(refused.value).split('"')[1])
    assert wider.astype(x.dtype).tobytes() == x.tobytes()  # what it advises loses nothing
    there = anystream.handoff(wider, to="tvm_ffi")
    assert rig.bits_of(there) == wider.tobytes()


# ---- tvm_ffi: packed -----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [4, 7, 8])
@pytest.mark.parametrize("name", PACKED)
def test_tvm_ffi_in_and_back(name: str, count: int) -> None:
    tvm_ffi, torch = (
        pytest.importorskip(module, reason=f"{module} is not installed (PEERS=all installs it)")
        for module in ("tvm_ffi", "torch")
    )
    size = (count * PACKED[name][1] + 7) // 8
    wanted = bytes(range(0x5A, 0x5A + size))
    carrier = torch.tensor(list(wanted), dtype=torch.uint8)
    x = tvm_ffi.from_dlpack(Retyped(carrier, PACKED[name], (count,)))
    array = anystream.from_dlpack(x)
    assert (str(array.dtype), array.shape, array.nbytes) == (name, (count,), size)
    del x, carrier
    gc.collect()
    blocks = rig.press("torch", size)
    assert packed_bytes(array) == wanted
    back = anystream.handoff(array, to="tvm_ffi")
    del array
    gc.collect()
    assert packed_bytes(back) == wanted
    assert packed_bytes(anystream.handoff(back, to="tvm_ffi")) == wanted
    assert blocks


# ---- jax: float4 packed, and integers that it exports to nobody ----------------------------------


@pytest.fixture
def jax() -> Any:
    return pytest.importorskip("jax", reason="jax is not installed (PEERS=all installs it)")


@pytest.mark.parametrize("shape", [(5,), (2, 8), (0, 3), ()])
def test_jax_float4_comes_in_packed(jax: Any, shape: tuple[int, ...]) -> None:
    """And goes where packed ones are taken; into numpy, as the refusal says, by a copy."""
    values = of_ml_dtypes("float4_e2m1fn", shape)
    raw = values.reshape(-1).view("uint8")
    raw = np.append(raw, [0] * (raw.size % 2)).astype("uint8")
    wanted = (raw[::2] | raw[1::2] << 4).tobytes()
    array = anystream.from_dlpack(jax.device_put(values))
    gc.collect()
    assert (str(array.dtype), array.shape, array.nbytes) == ("float4_e2m1fn", shape, len(wanted))
    assert array.readonly
    assert packed_bytes(array) == wanted
    with pytest.raises(BufferError, match="numpy has a byte for each element"):
        anystream.handoff(array, to="numpy")
    assert np.asarray(array).tobytes() == values.tobytes()
    with pytest.raises(BufferError, match="jax has no elements of type float4_e2m1fn"):
        anystream.handoff(array, to="jax")


def test_jax_float4_goes_on_to_tvm_ffi(jax: Any) -> None:
    LIBRARIES["tvm_ffi"].require()
    x = jax.device_put(of_ml_dtypes("float4_e2m1fn"))
    wanted = packed_bytes(x)
    there = anystream.handoff(x, to="tvm_ffi")
    del x
    gc.collect()
    assert packed_bytes(there) == wanted


@pytest.mark.parametrize("name", [name for name in SMALL if "int" in name])
def test_jax_says_itself_that_it_does_not_export_small_integers(jax: Any, name: str) -> None:
    x = jax.device_put(of_ml_dtypes(name))
    for _ in range(2):
        with pytest.raises(jax.errors.JaxRuntimeError, match="has no DLPack equivalent"):
            anystream.from_dlpack(x)
        with pytest.raises(jax.errors.JaxRuntimeError, match="has no DLPack equivalent"):
            anystream.handoff(x, to="numpy")
        anystream.from_dlpack(jax.device_put(np.zeros(3, "float32")))  # its usual way in is known
