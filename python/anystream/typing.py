# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What ``stream`` may be, for type checkers: protocols, handles, capsules and a marker a platform.

An ``Array[Cuda]`` takes as ``stream`` what a CUDA array takes at run time, and no more: a wrong one
is a type error before it is a run-time error. The table of both, side by side, is docs/typing.md.
"""

from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
)

from anystream._capsules import (
    CudaStreamCapsule,
    CUstreamCapsule,
    DLTensorCapsule,
    DLTensorVersionedCapsule,
    HipStreamCapsule,
    MetalQueueCapsule,
    OpenCLQueueCapsule,
    SimulatedStreamCapsule,
    SyclQueueRefCapsule,
    named_capsule,
)
from anystream._core import Stream
from anystream._cuda_stream import as_cuda_stream
from anystream._device import DeviceLike
from anystream._handle_types import CudaHandle, HipHandle, cuda_handle, hip_handle
from anystream._markers import (
    Ascend,
    Cpu,
    Cuda,
    CudaHost,
    CudaManaged,
    ExtDev,
    Hexagon,
    Maia,
    Metal,
    OneAPI,
    OpenCL,
    Platform,
    Rocm,
    RocmHost,
    Simulated,
    Tpu,
    TpuHost,
    Trn,
    Vpi,
    Vulkan,
    WebGpu,
    is_on,
)

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

    from anystream.testing import SimulatedStream
else:
    CapsuleType = Any
    SimulatedStream = Any

__all__ = [
    "Ascend",
    "CUstreamCapsule",
    "Cpu",
    "CpuStream",
    "Cuda",
    "CudaHandle",
    "CudaHost",
    "CudaManaged",
    "CudaStream",
    "CudaStreamCapsule",
    "DLTensorCapsule",
    "DLTensorVersionedCapsule",
    "DeviceLike",
    "ExtDev",
    "Hexagon",
    "HipHandle",
    "HipStreamCapsule",
    "Maia",
    "Metal",
    "MetalQueueCapsule",
    "MetalStream",
    "OneAPI",
    "OneAPIStream",
    "OpenCL",
    "OpenCLQueueCapsule",
    "OpenCLStream",
    "Platform",
    "Rocm",
    "RocmHost",
    "RocmStream",
    "Simulated",
    "SimulatedStreamCapsule",
    "SimulatedStreams",
    "StreamLike",
    "SupportsCExchange",
    "SupportsCudaArrayInterface",
    "SupportsCudaStream",
    "SupportsDLPack",
    "SupportsDLPackDevice",
    "SupportsDLPackStream",
    "SupportsOpenCLQueue",
    "SupportsSyclQueue",
    "SupportsSyclUsmArrayInterface",
    "SupportsXpuStream",
    "SyclQueueRefCapsule",
    "Tpu",
    "TpuHost",
    "Trn",
    "Vpi",
    "Vulkan",
    "WebGpu",
    "as_cuda_stream",
    "cuda_handle",
    "hip_handle",
    "is_on",
    "named_capsule",
]

StreamT_contra = TypeVar("StreamT_contra", contravariant=True)
TypeT_co = TypeVar("TypeT_co", bound=int, covariant=True)


class SupportsDLPack(Protocol[StreamT_contra]):
    """An array whose ``__dlpack__`` takes streams of one type: ``SupportsDLPack[CudaStream]``.

    The method is the array API standard's of 2025.12, section ``__dlpack__``.
    """

    def __dlpack__(
        self,
        *,
        stream: StreamT_contra | None = ...,
        max_version: tuple[int, int] | None = ...,
        dl_device: tuple[int, int] | None = ...,
        copy: bool | None = ...,
    ) -> "CapsuleType":
        """Give a DLPack capsule, ready to be used on the stream."""
        ...


class SupportsDLPackDevice(Protocol[TypeT_co]):
    """An array that says where it is; ``SupportsDLPackDevice[Literal[2]]`` is on CUDA."""

    def __dlpack_device__(self) -> tuple[TypeT_co, int]:
        """Give DLPack's pair: (device type, id)."""
        ...


class SupportsCExchange(Protocol):
    """An array of a class with DLPack's C exchange API (dlpack.h 1.3, DLPackExchangeAPI)."""

    __dlpack_c_exchange_api__: ClassVar["CapsuleType"]


class SupportsCudaStream(Protocol):
    """A stream object of a CUDA or ROCm library, by cuda.core's protocol.

    It gives (version, handle), and the version must be 0. It names no platform: the array's does.
    """

    def __cuda_stream__(self) -> tuple[int, int]:
        """Give (0, handle)."""
        ...


class SupportsSyclQueue(Protocol):
    """A SYCL queue as ``dpctl.SyclQueue`` gives it away: in a capsule named "SyclQueueRef"."""

    def _get_capsule(self) -> "CapsuleType":
        """Give the capsule."""
        ...


class SupportsXpuStream(Protocol):
    """A ``torch.xpu.Stream``: it is taken by its class, of which a checker sees the attributes."""

    @property
    def sycl_queue(self) -> int:
        """The address of the queue."""
        ...

    @property
    def stream_id(self) -> int:
        """Its number."""
        ...


class SupportsOpenCLQueue(Protocol):
    """A ``pyopencl.CommandQueue``: taken by its class, of which a checker sees the attributes."""

    @property
    def int_ptr(self) -> int:
        """The cl_command_queue."""
        ...

    def finish(self) -> object:
        """Wait for all work of the queue."""
        ...

    def flush(self) -> object:
        """Submit all work of the queue."""
        ...


class SupportsDLPackStream(Protocol[TypeT_co]):
    """A stream that says what it is, by the method that docs/proposal.md proposes.

    Where the device type is a literal in the answer's type, arrays of that type take it:
    ``SupportsDLPackStream[Literal[2]]`` is a CUDA stream.
    """

    def __dlpack_stream__(self) -> "tuple[TypeT_co, int, CapsuleType | None]":
        """Give (device type, device id, capsule)."""
        ...


class SupportsCudaArrayInterface(Protocol):
    """An array with ``__cuda_array_interface__``, numba's protocol, version 2 or 3."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The description of its memory."""
        ...


class SupportsSyclUsmArrayInterface(Protocol):
    """An array with ``__sycl_usm_array_interface__``, dpctl's protocol, version 1."""

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        """The description of its memory."""
        ...


CpuStream: TypeAlias = Literal[-1]
CudaStream: TypeAlias = (
    Literal[-1, 1, 2]
    | CudaHandle
    | SupportsCudaStream
    | SupportsDLPackStream[Literal[2]]
    | CudaStreamCapsule
    | CUstreamCapsule
    | Stream[Cuda]
)
RocmStream: TypeAlias = (
    Literal[-1, 0]
    | HipHandle
    | SupportsCudaStream
    | SupportsDLPackStream[Literal[10]]
    | HipStreamCapsule
    | Stream[Rocm]
)
OneAPIStream: TypeAlias = (
    Literal[-1]
    | SupportsSyclQueue
    | SupportsXpuStream
    | SupportsDLPackStream[Literal[14]]
    | SyclQueueRefCapsule
    | Stream[OneAPI]
)
OpenCLStream: TypeAlias = (
    Literal[-1]
    | SupportsOpenCLQueue
    | SupportsDLPackStream[Literal[4]]
    | OpenCLQueueCapsule
    | Stream[OpenCL]
)
MetalStream: TypeAlias = (
    Literal[-1] | SupportsDLPackStream[Literal[8]] | MetalQueueCapsule | Stream[Metal]
)
SimulatedStreams: TypeAlias = (
    Literal[-1] | SimulatedStream | SimulatedStreamCapsule | Stream[Simulated]
)

# What ``Stream(…)`` takes, of whatever platform.
StreamLike: TypeAlias = (
    SupportsIndex
    | CapsuleType
    | SupportsCudaStream
    | SupportsSyclQueue
    | SupportsXpuStream
    | SupportsOpenCLQueue
    | SupportsDLPackStream[int]
    | Stream[Any]
    | SimulatedStream
    | CudaStreamCapsule
    | CUstreamCapsule
    | HipStreamCapsule
    | SyclQueueRefCapsule
    | OpenCLQueueCapsule
    | MetalQueueCapsule
    | SimulatedStreamCapsule
)
