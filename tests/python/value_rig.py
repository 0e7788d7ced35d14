# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every library's arrays in every element type and layout that it has, and their very bits.

The bits are read from a capsule of the library's own by ctypes: nothing of anystream is in them.
"""

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from ctypes_tensors import Producer, Retyped, Taken
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")

# Bytes of an element, and whether its name is one of numpy's own.
_PLAIN = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "float16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
_NARROW = {
    "bfloat16": 2,
    "float8_e3m4": 1,
    "float8_e4m3": 1,
    "float8_e4m3b11fnuz": 1,
    "float8_e4m3fn": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2": 1,
    "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1,
}
_HALVES = {"complex32": 4, "bcomplex32": 4}
ITEMSIZE = _PLAIN | _NARROW | _HALVES | {"float4_e2m1fnx2": 1}
WIDE = {"int64", "uint64", "float64", "complex128"}

# DLPack's numbers of the types that torch has not.
_NOT_IN_TORCH = {
    "float8_e3m4": (7, 8, 1),
    "float8_e4m3": (8, 8, 1),
    "float8_e4m3b11fnuz": (9, 8, 1),
    "bcomplex32": (18, 32, 1),
}
DTYPES: dict[str, tuple[str, ...]] = {
    "numpy": tuple(_PLAIN | _NARROW | _HALVES),
    "torch": tuple(name for name in ITEMSIZE if name not in _NOT_IN_TORCH),
    "jax": tuple(_PLAIN | _NARROW),
    "mlx": (*(name for name in _PLAIN if name != "complex128"), "bfloat16"),
    "tvm_ffi": tuple(ITEMSIZE),
    "dpnp": tuple(_PLAIN),
}
# Those of them that a library takes: mlx makes float32 of float64 that it imports.
TAKES = DTYPES | {"mlx": tuple(name for name in DTYPES["mlx"] if name != "float64")}

SHAPE = (4, 6)
_DEEP = (1,) * 62 + SHAPE
_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "rows": lambda x: x[1:3],
    "columns": lambda x: x[:, 1::2],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-2],
    "scalar": lambda x: x[1, 2, ...],
    "empty": lambda x: x[:0],
    "ones": lambda x: x[1:2, None, :, None],
    "deep": lambda x: x.reshape(_DEEP),
}


def _broadcast(name: str) -> Callable[[Any], Any]:
    return {
        "numpy": lambda x: np.broadcast_to(x[0], (3, 6)),
        "torch": lambda x: x[0].expand(3, 6),
        "mlx": lambda x: _module("mlx").broadcast_to(x[0], (3, 6)),
        "dpnp": lambda x: _module("dpnp").broadcast_to(x[0], (3, 6)),
    }[name]


def layouts_of(name: str) -> tuple[str, ...]:
    """The layouts that a library's arrays can have; jax's are made afresh, so always dense."""
    every = [*_LAYOUTS, "broadcast"]
    missing = {"torch": {"reversed"}, "tvm_ffi": {"reversed"}, "jax": {"broadcast"}}
    return tuple(layout for layout in every if layout not in missing.get(name, ()))


def _module(name: str) -> Any:
    import importlib

    return importlib.import_module({"mlx": "mlx.core"}.get(name, name))


def pattern(dtype: str) -> Any:
    """Bits of all kinds (not-a-numbers among them), as unsigned numbers; bools are 0 or 1."""
    count = SHAPE[0] * SHAPE[1] * ITEMSIZE[dtype]
    raw = np.random.default_rng(len(dtype) + count).integers(0, 256, count, dtype="uint8")
    if dtype == "bool":
        raw &= 1
    carrier = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}
    return raw.view(carrier[ITEMSIZE[dtype]]).reshape(SHAPE)


def numpy_dtype(dtype: str) -> Any:
    """numpy's type of that name, by ml_dtypes where it has none of its own."""
    if dtype in _PLAIN:
        return np.dtype(dtype)
    reason = "ml_dtypes is not installed (PEERS=all installs it)"
    ml_dtypes = pytest.importorskip("ml_dtypes", reason=reason)
    if not hasattr(ml_dtypes, dtype):
        pytest.skip(f"this version of ml_dtypes has no {dtype}")
    return np.dtype(getattr(ml_dtypes, dtype))


def _whole(name: str, dtype: str, bits: Any) -> Any:
    match name:
        case "numpy" | "jax":
            return bits.copy().view(numpy_dtype(dtype))
        case "torch" | "tvm_ffi":
            torch = _module("torch")
            flat = torch.frombuffer(bytearray(bits.tobytes()), dtype=torch.uint8)
            kind = getattr(torch, _in_torch(dtype, bits))
            return flat.clone().view(kind).reshape(SHAPE)
        case "mlx":
            mx = _module("mlx")
            kind = mx.bool_ if dtype == "bool" else getattr(mx, dtype)
            return mx.array(bits.view("uint8")).view(kind)
    return _module("dpnp").array(bits.view(dtype))


def _in_torch(dtype: str, bits: Any) -> str:
    """Name torch's type, or where it has none the unsigned one of that width."""
    if dtype in _NOT_IN_TORCH:
        return str(bits.dtype.name)
    return dtype.replace("fnx2", "fn_x2")


def _in_tvm(made: Any, dtype: str) -> Any:
    """Import torch's array into tvm_ffi, which has types that torch has not."""
    strange = _NOT_IN_TORCH.get(dtype)
    return _module("tvm_ffi").from_dlpack(Retyped(made, strange) if strange else made)


def laid_out(name: str, layout: str, whole: Any) -> Any:
    """A view of a library's array of the rig's shape, in that layout."""
    return (_broadcast(name) if layout == "broadcast" else _LAYOUTS[layout])(whole)


def make(name: str, dtype: str, layout: str) -> Any:
    """An array of a library, which owns its memory."""
    bits = pattern(dtype)
    whole = _whole(name, dtype, bits)
    if name == "jax":  # it compiles each step, and copies: its arrays are dense in any case
        return _module("jax").device_put(np.array(_LAYOUTS[layout](whole)))
    made = laid_out("torch" if name == "tvm_ffi" else name, layout, whole)
    return _in_tvm(made, dtype) if name == "tvm_ffi" else made


def expected(dtype: str, layout: str) -> Any:
    """What `make` puts in an array of that layout, as numpy has it."""
    return laid_out("numpy", layout, pattern(dtype))


def element_bytes(tensor: Taken) -> bytes:
    """The bytes of all elements in row-major order, read by the fields of a capsule on the host."""
    assert tensor.device == (1, 0)
    size = tensor.dtype[1] * tensor.dtype[2] // 8
    if 0 in tensor.shape:
        return b""
    strides = tensor.strides or (1,) * len(tensor.shape)
    spans = [(extent - 1) * stride for extent, stride in zip(tensor.shape, strides, strict=True)]
    low = size * sum(span for span in spans if span < 0)
    high = size * (1 + sum(span for span in spans if span > 0))
    start = tensor.data + tensor.byte_offset + low
    memory = (ctypes.c_ubyte * (high - low)).from_address(start)
    view = np.ndarray(
        tensor.shape, f"V{size}", memory, offset=-low, strides=[s * size for s in strides]
    )
    return bytes(view.tobytes())


def taken(x: Any) -> Taken:
    """The fields of an array's own capsule, which must be given back by `delete`."""
    return Taken.of(x.__dlpack__(max_version=(1, 3)))


def bits_of(x: Any) -> bytes:
    """The bytes of an array of any library, or of ours, wherever it is."""
    if isinstance(x, np.ndarray):
        return bytes(x.tobytes())
    if x.__dlpack_device__()[0] != 1:
        dpnp = _module("dpnp")
        return bytes(dpnp.from_dlpack(x).asnumpy().tobytes())
    tensor = taken(x)
    try:
        return element_bytes(tensor)
    finally:
        tensor.delete()


def press(name: str, nbytes: int, dtype: str = "uint8") -> list[Any]:
    """Take, and overwrite, whatever memory of that size has just been let go."""
    blocks: list[Any] = [np.full(max(nbytes, 1), 0xDD, "uint8") for _ in range(8)]
    if name in ("torch", "tvm_ffi"):
        torch = _module("torch")
        blocks += [torch.full((max(nbytes, 1),), 0xDD, dtype=torch.uint8) for _ in range(32)]
    elif name != "numpy":
        make_block = LIBRARIES[name].make
        blocks += [make_block(np.full(max(nbytes, 1), 0xDD, "uint8")) for _ in range(8)]
    return blocks


def wide_jax(*names: str, dtype: str) -> Any:
    """A context in which jax, if it takes part, has 64-bit types."""
    if "jax" in names and dtype in WIDE:
        return _module("jax").enable_x64(True)
    return nullcontext()


@contextmanager
def quick_collections() -> Iterator[None]:
    """Leave what libraries made at import out of collections, which are then quick."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def fill(producer: Producer, content: bytes) -> None:
    """Put bytes at the start of a hand-made producer's memory."""
    ctypes.memmove(producer.memory, content, len(content))


def attempt(call: Callable[[], Any]) -> tuple[Any, str]:
    """What a call gives, and the words of the BufferError if it is refused."""
    try:
        return call(), ""
    except BufferError as error:
        return None, str(error)
