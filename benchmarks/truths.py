# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What each library itself says of its arrays, without DLPack: whole.py holds ours against it."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

Alive = Callable[[], bool]


@dataclass(frozen=True)
class Truth:
    """How to read a library's array, to make others of its arrays, and to watch their memory.

    `another` and `watched` are given the modules of the library's producer and these here.
    """

    pointer: Callable[[Any], int]
    strides: Callable[[Any], tuple[int, ...]]  # in elements
    readonly: Callable[[Any], bool]
    another: Callable[..., Any]
    watched: Callable[..., tuple[Any, Alive]]
    change: Callable[[Any], object] | None = (
        None  # to another shape, in place, where there is a way
    )
    modules: tuple[str, ...] = ()


def _own_strides(array: Any) -> tuple[int, ...]:
    return tuple(array.strides)


def _row_major(array: Any) -> tuple[int, ...]:
    shape = tuple(array.shape)
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def _in_elements(array: Any) -> tuple[int, ...]:
    return tuple(stride // array.itemsize for stride in array.strides)


def _numpy_pointer(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _never(_array: Any) -> bool:
    return False


def _always(_array: Any) -> bool:
    return True


def _turned(numpy: Any) -> Any:
    return numpy.arange(24, dtype="int16").reshape(2, 3, 4).transpose(2, 0, 1)


def _frozen(numpy: Any) -> Any:
    array = _turned(numpy)
    array.flags.writeable = False
    return array


def _memory(numpy: Any) -> tuple[Any, Alive]:
    """Return an array whose memory can be watched, aligned as jax needs it to share it."""
    memory = numpy.ones(64, "float32")
    first = -memory.ctypes.data % 64 // memory.itemsize
    watch = weakref.ref(memory)
    return memory[first : first + 6].reshape(2, 3), lambda: watch() is not None


def _over_numpy(share: Callable[[Any, Any], Any]) -> Callable[..., tuple[Any, Alive]]:
    """Return a maker of arrays over watched memory of numpy's."""

    def make(library: Any, *others: Any) -> tuple[Any, Alive]:
        memory, alive = _memory(others[-1] if others else library)
        return share(library, memory), alive

    return make


def _mlx_pointer(array: Any) -> int:
    import numpy as np

    return _numpy_pointer(np.asarray(memoryview(array)))


def _mlx_memory(mx: Any) -> tuple[Any, Alive]:
    before = mx.get_active_memory()
    array = mx.ones((1000,))
    mx.eval(array)
    return array, lambda: mx.get_active_memory() > before


def _dpnp_memory(dpnp: Any, memory: Any) -> tuple[Any, Alive]:
    class Watched(memory.MemoryUSMShared):  # type: ignore[misc]
        """Memory that can be referred to weakly."""

    usm = Watched(24)
    watch = weakref.ref(usm)
    flat = dpnp.tensor.usm_ndarray((6,), "f4", buffer=usm)
    array = dpnp.ndarray((2, 3), dtype="float32", buffer=flat)
    return array, lambda: watch() is not None


def _dpnp_reshape(array: Any) -> None:
    array.shape = (3, 2)


TRUTHS = {
    "numpy": Truth(
        pointer=_numpy_pointer,
        strides=_in_elements,
        readonly=lambda array: not array.flags.writeable,
        another=_frozen,
        watched=_over_numpy(lambda _numpy, memory: memory),
        change=lambda array: array.resize((3, 2), refcheck=False),
    ),
    "torch": Truth(
        pointer=lambda array: int(array.data_ptr()),
        strides=lambda array: tuple(array.stride()),
        readonly=_never,
        another=lambda torch, numpy: torch.from_numpy(_turned(numpy)),
        watched=_over_numpy(lambda torch, memory: torch.from_numpy(memory)),
        change=lambda array: array.t_(),
        modules=("numpy",),
    ),
    "jax": Truth(
        pointer=lambda array: int(array.unsafe_buffer_pointer()),
        strides=_row_major,
        readonly=_always,
        another=lambda jnp, _dlpack, _numpy: jnp.arange(24, dtype="int16").reshape(2, 3, 4),
        watched=lambda _jnp, dlpack, numpy: _over_numpy(
            lambda jax, memory: jax.from_dlpack(memory)
        )(dlpack, numpy),
        modules=("jax.dlpack", "numpy"),
    ),
    "tvm_ffi": Truth(
        pointer=lambda array: int(array.data_ptr()),
        strides=_own_strides,
        readonly=_never,
        another=lambda tvm_ffi, numpy: tvm_ffi.from_dlpack(_turned(numpy)),
        watched=_over_numpy(lambda tvm_ffi, memory: tvm_ffi.from_dlpack(memory)),
    ),
    "cuda.core": Truth(
        pointer=lambda array: int(array.ptr),
        strides=_own_strides,
        readonly=lambda array: bool(array.readonly),
        another=lambda utils, numpy: utils.StridedMemoryView.from_dlpack(_frozen(numpy), -1),
        watched=_over_numpy(lambda utils, memory: utils.StridedMemoryView.from_dlpack(memory, -1)),
    ),
    "mlx": Truth(
        pointer=_mlx_pointer,
        strides=_row_major,
        readonly=_always,
        another=lambda mx: mx.ones((2, 3, 4), dtype=mx.int16),
        watched=_mlx_memory,
    ),
    "dpnp": Truth(
        pointer=lambda array: int(array.__sycl_usm_array_interface__["data"][0]),
        strides=_in_elements,
        readonly=lambda array: not array.flags.writable,
        another=lambda dpnp, _memory: dpnp.ones((2, 3, 4), dtype="int16").transpose(2, 0, 1),
        watched=_dpnp_memory,
        change=_dpnp_reshape,
        modules=("dpctl.memory",),
    ),
}
