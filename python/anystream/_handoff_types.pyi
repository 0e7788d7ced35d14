# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What handoff(x, to=…) gives, for type checkers; made by tools/handoff_types.py, do not edit.

A library that is not installed, or has no types, gives Any.
"""

# mypy: disable-error-code="import-not-found,import-untyped"

from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, overload

import cuda.core.utils
import cupy
import dpnp
import jax
import mlx.core
import numba.cuda.cudadrv.devicearray
import numpy
import paddle
import pyopencl.array
import torch
import tvm_ffi
import warp

from anystream._device import DeviceLike
from anystream._handoff import Ordering
from anystream._release import Release

_Key = TypeVar("_Key")
_Given = TypeVar("_Given")
_Given_co = TypeVar("_Given_co", covariant=True)

class _Policies(TypedDict, total=False):
    stream: Any
    producer_stream: Any
    ordering: Ordering
    copy: bool | None
    device: DeviceLike | None
    strict: bool | None
    writable: bool
    release: Release | None

# The names of each library, and of its modules.
_Numpy: TypeAlias = Literal["numpy"]
_Torch: TypeAlias = Literal["torch"]
_Jax: TypeAlias = Literal["jax", "jax.numpy"]
_Dpnp: TypeAlias = Literal["dpnp", "dpnp.tensor"]
_Dpctl: TypeAlias = Literal["dpctl", "dpctl.memory"]
_TvmFfi: TypeAlias = Literal["tvm_ffi"]
_Mlx: TypeAlias = Literal["mlx", "mlx.core"]
_Cupy: TypeAlias = Literal["cupy"]
_Numba: TypeAlias = Literal["numba", "numba.cuda"]
_Warp: TypeAlias = Literal["warp"]
_CudaCore: TypeAlias = Literal["cuda.core", "cuda.core.utils", "cuda.core.cu12", "cuda.core.cu13"]
_Paddle: TypeAlias = Literal["paddle"]
_Pyopencl: TypeAlias = Literal["pyopencl", "pyopencl.array"]

# The modules themselves, which are known by the class of arrays that they have.
class _Has_StridedMemoryView(Protocol[_Given_co]):
    @property
    def StridedMemoryView(self) -> type[_Given_co]: ...

class _Has_Tensor(Protocol[_Given_co]):
    @property
    def Tensor(self) -> type[_Given_co]: ...

class _Has_ndarray(Protocol[_Given_co]):
    @property
    def ndarray(self) -> type[_Given_co]: ...

class _Has_Array(Protocol[_Given_co]):
    @property
    def Array(self) -> type[_Given_co]: ...

class _Has_array(Protocol[_Given_co]):
    @property
    def array(self) -> type[_Given_co]: ...

@overload
def handoff(x: list[Any], *, to: _Numpy, **policies: Unpack[_Policies]) -> list[numpy.ndarray]: ...
@overload
def handoff(x: list[Any], *, to: _Torch, **policies: Unpack[_Policies]) -> list[torch.Tensor]: ...
@overload
def handoff(x: list[Any], *, to: _Jax, **policies: Unpack[_Policies]) -> list[jax.Array]: ...
@overload
def handoff(x: list[Any], *, to: _Dpnp, **policies: Unpack[_Policies]) -> list[dpnp.ndarray]: ...
@overload
def handoff(x: list[Any], *, to: _Dpctl, **policies: Unpack[_Policies]) -> list[Any]: ...
@overload
def handoff(
    x: list[Any], *, to: _TvmFfi, **policies: Unpack[_Policies]
) -> list[tvm_ffi.Tensor]: ...
@overload
def handoff(x: list[Any], *, to: _Mlx, **policies: Unpack[_Policies]) -> list[mlx.core.array]: ...
@overload
def handoff(x: list[Any], *, to: _Cupy, **policies: Unpack[_Policies]) -> list[cupy.ndarray]: ...
@overload
def handoff(
    x: list[Any], *, to: _Numba, **policies: Unpack[_Policies]
) -> list[numba.cuda.cudadrv.devicearray.DeviceNDArray]: ...
@overload
def handoff(x: list[Any], *, to: _Warp, **policies: Unpack[_Policies]) -> list[warp.array]: ...
@overload
def handoff(
    x: list[Any], *, to: _CudaCore, **policies: Unpack[_Policies]
) -> list[cuda.core.utils.StridedMemoryView]: ...
@overload
def handoff(x: list[Any], *, to: _Paddle, **policies: Unpack[_Policies]) -> list[paddle.Tensor]: ...
@overload
def handoff(
    x: list[Any], *, to: _Pyopencl, **policies: Unpack[_Policies]
) -> list[pyopencl.array.Array]: ...
@overload
def handoff(
    x: list[Any], *, to: _Has_StridedMemoryView[_Given], **policies: Unpack[_Policies]
) -> list[_Given]: ...
@overload
def handoff(
    x: list[Any], *, to: _Has_Tensor[_Given], **policies: Unpack[_Policies]
) -> list[_Given]: ...
@overload
def handoff(
    x: list[Any], *, to: _Has_ndarray[_Given], **policies: Unpack[_Policies]
) -> list[_Given]: ...
@overload
def handoff(
    x: list[Any], *, to: _Has_Array[_Given], **policies: Unpack[_Policies]
) -> list[_Given]: ...
@overload
def handoff(
    x: list[Any], *, to: _Has_array[_Given], **policies: Unpack[_Policies]
) -> list[_Given]: ...
@overload
def handoff(x: list[Any], *, to: str | ModuleType, **policies: Unpack[_Policies]) -> list[Any]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Numpy, **policies: Unpack[_Policies]
) -> tuple[numpy.ndarray, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Torch, **policies: Unpack[_Policies]
) -> tuple[torch.Tensor, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Jax, **policies: Unpack[_Policies]
) -> tuple[jax.Array, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Dpnp, **policies: Unpack[_Policies]
) -> tuple[dpnp.ndarray, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Dpctl, **policies: Unpack[_Policies]
) -> tuple[Any, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _TvmFfi, **policies: Unpack[_Policies]
) -> tuple[tvm_ffi.Tensor, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Mlx, **policies: Unpack[_Policies]
) -> tuple[mlx.core.array, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Cupy, **policies: Unpack[_Policies]
) -> tuple[cupy.ndarray, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Numba, **policies: Unpack[_Policies]
) -> tuple[numba.cuda.cudadrv.devicearray.DeviceNDArray, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Warp, **policies: Unpack[_Policies]
) -> tuple[warp.array, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _CudaCore, **policies: Unpack[_Policies]
) -> tuple[cuda.core.utils.StridedMemoryView, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Paddle, **policies: Unpack[_Policies]
) -> tuple[paddle.Tensor, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Pyopencl, **policies: Unpack[_Policies]
) -> tuple[pyopencl.array.Array, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Has_StridedMemoryView[_Given], **policies: Unpack[_Policies]
) -> tuple[_Given, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Has_Tensor[_Given], **policies: Unpack[_Policies]
) -> tuple[_Given, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Has_ndarray[_Given], **policies: Unpack[_Policies]
) -> tuple[_Given, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Has_Array[_Given], **policies: Unpack[_Policies]
) -> tuple[_Given, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Has_array[_Given], **policies: Unpack[_Policies]
) -> tuple[_Given, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: str | ModuleType, **policies: Unpack[_Policies]
) -> tuple[Any, ...]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Numpy, **policies: Unpack[_Policies]
) -> dict[_Key, numpy.ndarray]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Torch, **policies: Unpack[_Policies]
) -> dict[_Key, torch.Tensor]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Jax, **policies: Unpack[_Policies]
) -> dict[_Key, jax.Array]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Dpnp, **policies: Unpack[_Policies]
) -> dict[_Key, dpnp.ndarray]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Dpctl, **policies: Unpack[_Policies]
) -> dict[_Key, Any]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _TvmFfi, **policies: Unpack[_Policies]
) -> dict[_Key, tvm_ffi.Tensor]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Mlx, **policies: Unpack[_Policies]
) -> dict[_Key, mlx.core.array]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Cupy, **policies: Unpack[_Policies]
) -> dict[_Key, cupy.ndarray]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Numba, **policies: Unpack[_Policies]
) -> dict[_Key, numba.cuda.cudadrv.devicearray.DeviceNDArray]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Warp, **policies: Unpack[_Policies]
) -> dict[_Key, warp.array]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _CudaCore, **policies: Unpack[_Policies]
) -> dict[_Key, cuda.core.utils.StridedMemoryView]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Paddle, **policies: Unpack[_Policies]
) -> dict[_Key, paddle.Tensor]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Pyopencl, **policies: Unpack[_Policies]
) -> dict[_Key, pyopencl.array.Array]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Has_StridedMemoryView[_Given], **policies: Unpack[_Policies]
) -> dict[_Key, _Given]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Has_Tensor[_Given], **policies: Unpack[_Policies]
) -> dict[_Key, _Given]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Has_ndarray[_Given], **policies: Unpack[_Policies]
) -> dict[_Key, _Given]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Has_Array[_Given], **policies: Unpack[_Policies]
) -> dict[_Key, _Given]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Has_array[_Given], **policies: Unpack[_Policies]
) -> dict[_Key, _Given]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: str | ModuleType, **policies: Unpack[_Policies]
) -> dict[_Key, Any]: ...
@overload
def handoff(x: Any, *, to: _Numpy, **policies: Unpack[_Policies]) -> numpy.ndarray: ...
@overload
def handoff(x: Any, *, to: _Torch, **policies: Unpack[_Policies]) -> torch.Tensor: ...
@overload
def handoff(x: Any, *, to: _Jax, **policies: Unpack[_Policies]) -> jax.Array: ...
@overload
def handoff(x: Any, *, to: _Dpnp, **policies: Unpack[_Policies]) -> dpnp.ndarray: ...
@overload
def handoff(x: Any, *, to: _Dpctl, **policies: Unpack[_Policies]) -> Any: ...
@overload
def handoff(x: Any, *, to: _TvmFfi, **policies: Unpack[_Policies]) -> tvm_ffi.Tensor: ...
@overload
def handoff(x: Any, *, to: _Mlx, **policies: Unpack[_Policies]) -> mlx.core.array: ...
@overload
def handoff(x: Any, *, to: _Cupy, **policies: Unpack[_Policies]) -> cupy.ndarray: ...
@overload
def handoff(
    x: Any, *, to: _Numba, **policies: Unpack[_Policies]
) -> numba.cuda.cudadrv.devicearray.DeviceNDArray: ...
@overload
def handoff(x: Any, *, to: _Warp, **policies: Unpack[_Policies]) -> warp.array: ...
@overload
def handoff(
    x: Any, *, to: _CudaCore, **policies: Unpack[_Policies]
) -> cuda.core.utils.StridedMemoryView: ...
@overload
def handoff(x: Any, *, to: _Paddle, **policies: Unpack[_Policies]) -> paddle.Tensor: ...
@overload
def handoff(x: Any, *, to: _Pyopencl, **policies: Unpack[_Policies]) -> pyopencl.array.Array: ...
@overload
def handoff(
    x: Any, *, to: _Has_StridedMemoryView[_Given], **policies: Unpack[_Policies]
) -> _Given: ...
@overload
def handoff(x: Any, *, to: _Has_Tensor[_Given], **policies: Unpack[_Policies]) -> _Given: ...
@overload
def handoff(x: Any, *, to: _Has_ndarray[_Given], **policies: Unpack[_Policies]) -> _Given: ...
@overload
def handoff(x: Any, *, to: _Has_Array[_Given], **policies: Unpack[_Policies]) -> _Given: ...
@overload
def handoff(x: Any, *, to: _Has_array[_Given], **policies: Unpack[_Policies]) -> _Given: ...
@overload
def handoff(x: Any, *, to: str | ModuleType, **policies: Unpack[_Policies]) -> Any: ...
