# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What handoff(x, to=…) gives, for type checkers; made by tools/handoff_types.py, do not edit.

A library that is not installed, or has no types, gives Any.
"""

# mypy: disable-error-code="import-not-found,import-untyped,type-var"

from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Unpack, overload

import cuda.core.utils
import cupy
import dpnp
import jax
import mlx.core
import numpy
import paddle
import pyopencl.array
import torch
import tvm_ffi
import warp
from typing_extensions import TypeVar

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

# The classes of their arrays. Each is the default of a variable that nothing else binds: so the
# function's own type is known without the library, too, where only what a call gives is not.
_NumpyT = TypeVar("_NumpyT", bound=numpy.ndarray, default=numpy.ndarray)
_TorchT = TypeVar("_TorchT", bound=torch.Tensor, default=torch.Tensor)
_JaxT = TypeVar("_JaxT", bound=jax.Array, default=jax.Array)
_DpnpT = TypeVar("_DpnpT", bound=dpnp.ndarray, default=dpnp.ndarray)
_TvmFfiT = TypeVar("_TvmFfiT", bound=tvm_ffi.Tensor, default=tvm_ffi.Tensor)
_MlxT = TypeVar("_MlxT", bound=mlx.core.array, default=mlx.core.array)
_CupyT = TypeVar("_CupyT", bound=cupy.ndarray, default=cupy.ndarray)
_WarpT = TypeVar("_WarpT", bound=warp.array, default=warp.array)
_CudaCoreT = TypeVar(
    "_CudaCoreT",
    bound=cuda.core.utils.StridedMemoryView,
    default=cuda.core.utils.StridedMemoryView,
)
_PaddleT = TypeVar("_PaddleT", bound=paddle.Tensor, default=paddle.Tensor)
_PyopenclT = TypeVar("_PyopenclT", bound=pyopencl.array.Array, default=pyopencl.array.Array)

# The modules, which are known by the class of arrays that they have.
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
def handoff(x: list[Any], *, to: _Numpy, **policies: Unpack[_Policies]) -> list[_NumpyT]: ...
@overload
def handoff(x: list[Any], *, to: _Torch, **policies: Unpack[_Policies]) -> list[_TorchT]: ...
@overload
def handoff(x: list[Any], *, to: _Jax, **policies: Unpack[_Policies]) -> list[_JaxT]: ...
@overload
def handoff(x: list[Any], *, to: _Dpnp, **policies: Unpack[_Policies]) -> list[_DpnpT]: ...
@overload
def handoff(x: list[Any], *, to: _Dpctl, **policies: Unpack[_Policies]) -> list[Any]: ...
@overload
def handoff(x: list[Any], *, to: _TvmFfi, **policies: Unpack[_Policies]) -> list[_TvmFfiT]: ...
@overload
def handoff(x: list[Any], *, to: _Mlx, **policies: Unpack[_Policies]) -> list[_MlxT]: ...
@overload
def handoff(x: list[Any], *, to: _Cupy, **policies: Unpack[_Policies]) -> list[_CupyT]: ...
@overload
def handoff(x: list[Any], *, to: _Numba, **policies: Unpack[_Policies]) -> list[Any]: ...
@overload
def handoff(x: list[Any], *, to: _Warp, **policies: Unpack[_Policies]) -> list[_WarpT]: ...
@overload
def handoff(x: list[Any], *, to: _CudaCore, **policies: Unpack[_Policies]) -> list[_CudaCoreT]: ...
@overload
def handoff(x: list[Any], *, to: _Paddle, **policies: Unpack[_Policies]) -> list[_PaddleT]: ...
@overload
def handoff(x: list[Any], *, to: _Pyopencl, **policies: Unpack[_Policies]) -> list[_PyopenclT]: ...
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
) -> tuple[_NumpyT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Torch, **policies: Unpack[_Policies]
) -> tuple[_TorchT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Jax, **policies: Unpack[_Policies]
) -> tuple[_JaxT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Dpnp, **policies: Unpack[_Policies]
) -> tuple[_DpnpT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Dpctl, **policies: Unpack[_Policies]
) -> tuple[Any, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _TvmFfi, **policies: Unpack[_Policies]
) -> tuple[_TvmFfiT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Mlx, **policies: Unpack[_Policies]
) -> tuple[_MlxT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Cupy, **policies: Unpack[_Policies]
) -> tuple[_CupyT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Numba, **policies: Unpack[_Policies]
) -> tuple[Any, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Warp, **policies: Unpack[_Policies]
) -> tuple[_WarpT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _CudaCore, **policies: Unpack[_Policies]
) -> tuple[_CudaCoreT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Paddle, **policies: Unpack[_Policies]
) -> tuple[_PaddleT, ...]: ...
@overload
def handoff(
    x: tuple[Any, ...], *, to: _Pyopencl, **policies: Unpack[_Policies]
) -> tuple[_PyopenclT, ...]: ...
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
) -> dict[_Key, _NumpyT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Torch, **policies: Unpack[_Policies]
) -> dict[_Key, _TorchT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Jax, **policies: Unpack[_Policies]
) -> dict[_Key, _JaxT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Dpnp, **policies: Unpack[_Policies]
) -> dict[_Key, _DpnpT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Dpctl, **policies: Unpack[_Policies]
) -> dict[_Key, Any]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _TvmFfi, **policies: Unpack[_Policies]
) -> dict[_Key, _TvmFfiT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Mlx, **policies: Unpack[_Policies]
) -> dict[_Key, _MlxT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Cupy, **policies: Unpack[_Policies]
) -> dict[_Key, _CupyT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Numba, **policies: Unpack[_Policies]
) -> dict[_Key, Any]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Warp, **policies: Unpack[_Policies]
) -> dict[_Key, _WarpT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _CudaCore, **policies: Unpack[_Policies]
) -> dict[_Key, _CudaCoreT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Paddle, **policies: Unpack[_Policies]
) -> dict[_Key, _PaddleT]: ...
@overload
def handoff(
    x: dict[_Key, Any], *, to: _Pyopencl, **policies: Unpack[_Policies]
) -> dict[_Key, _PyopenclT]: ...
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
def handoff(x: Any, *, to: _Numpy, **policies: Unpack[_Policies]) -> _NumpyT: ...
@overload
def handoff(x: Any, *, to: _Torch, **policies: Unpack[_Policies]) -> _TorchT: ...
@overload
def handoff(x: Any, *, to: _Jax, **policies: Unpack[_Policies]) -> _JaxT: ...
@overload
def handoff(x: Any, *, to: _Dpnp, **policies: Unpack[_Policies]) -> _DpnpT: ...
@overload
def handoff(x: Any, *, to: _Dpctl, **policies: Unpack[_Policies]) -> Any: ...
@overload
def handoff(x: Any, *, to: _TvmFfi, **policies: Unpack[_Policies]) -> _TvmFfiT: ...
@overload
def handoff(x: Any, *, to: _Mlx, **policies: Unpack[_Policies]) -> _MlxT: ...
@overload
def handoff(x: Any, *, to: _Cupy, **policies: Unpack[_Policies]) -> _CupyT: ...
@overload
def handoff(x: Any, *, to: _Numba, **policies: Unpack[_Policies]) -> Any: ...
@overload
def handoff(x: Any, *, to: _Warp, **policies: Unpack[_Policies]) -> _WarpT: ...
@overload
def handoff(x: Any, *, to: _CudaCore, **policies: Unpack[_Policies]) -> _CudaCoreT: ...
@overload
def handoff(x: Any, *, to: _Paddle, **policies: Unpack[_Policies]) -> _PaddleT: ...
@overload
def handoff(x: Any, *, to: _Pyopencl, **policies: Unpack[_Policies]) -> _PyopenclT: ...
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
def handoff(x: Any, *, to: str | ModuleType, **policies: Unpack[_Policies]) -> Any:
    """Give an array of any library to another one, ready to be used on a stream.

    The result is an array of the library ``to``, of the same shape, dtype and values, and a view of
    the same memory wherever the library can take it. What was pending on x when this was called is
    ordered before what is queued on ``stream`` afterwards, on the device, without the host waiting;
    ``explain`` with the same arguments shows how.

    A list, a tuple or a dict of arrays gives one of results: two streams are then ordered once,
    however many of the arrays are theirs.

    Args:
        x: An array of any library; an ``anystream.Array``; an object with ``__dlpack__``, with
            ``__cuda_array_interface__``, ``__sycl_usm_array_interface__``, ``__array_interface__``
            or the buffer protocol; or a DLPack capsule, which is consumed.
        to: The library, by name or as its module: "numpy", "torch", "jax", "dpnp", "dpctl",
            "tvm_ffi", "mlx". It is imported.
        stream: The stream on which the result will be used: an object of any library, a capsule, an
            int where the device type has them, or -1 for no ordering. None: the library's current
            stream (dpnp, dpctl: the default queue of the device).
        producer_stream: The stream, or a list of those, that x's pending work is on. None: x's own
            queue, else its library's current stream on this thread.
        ordering: "device"; "host", to wait on the host; "none", when nothing is pending.
        copy: True for new memory, False for BufferError rather than new memory, None for either.
        device: Where the result shall be, e.g. "oneapi:0"; None: where x is, if the library takes
            that, else where it does.
        strict: True for OrderingError instead of a plan whose order is not proved on the device,
            and BufferError instead of a view of read-only memory in a library that cannot say so.
            None: as ``anystream.strict()`` or ANYSTREAM_STRICT has it, else False.
        writable: The result is to be written to: BufferError instead of a view of read-only memory.
        release: What happens when the last reference to the result's memory goes, on a device with
            streams: "ordered", the producer's stream waits on the device for the streams that used
            it, and only then is it written, reused or freed; "deferred", the memory is kept until
            they are done, and nothing waits; "host", who lets go waits; "none", nothing is ordered.
            None: as ``anystream.releasing()`` has it, else "ordered".

    Warns:
        ReadOnlyWarning: read-only memory goes to a library whose arrays cannot say so; once for
            each pair of libraries.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or out-of-order, or unknown.
        BufferError: the exchange is impossible, or takes a copy that ``copy=False`` forbids; or the
            memory is read-only, and ``writable=True`` or ``strict=True`` refuses that.
        OrderingError: order cannot be had, or (strict) not be proved.
        DriverUnavailable: a driver that ordering needs is missing.
        ModuleNotFoundError: the library ``to`` is not installed.
        Errors of the producer itself come through as they are.

    Any thread, with the GIL; where a plan has the host wait, the GIL is dropped meanwhile.
    """
