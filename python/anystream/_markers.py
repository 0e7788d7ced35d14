# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A marker for each platform: what ``Array`` and ``Stream`` are generic over."""

from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,  # noqa: F401 - named in the strings below
    TypeGuard,
    TypeVar,
    overload,
)

from anystream._arguments import got
from anystream._core import Array, Stream
from anystream._not_made import NotMade

if TYPE_CHECKING:
    from anystream.typing import (  # noqa: F401 - named in the strings below
        CpuStream,
        CudaStream,
        MetalStream,
        OneAPIStream,
        OpenCLStream,
        RocmStream,
        SimulatedStreams,
        SupportsDLPackStream,
    )

StreamT = TypeVar("StreamT")


class Platform(NotMade, Generic[StreamT]):
    """Where arrays and streams are, for type checkers: ``StreamT`` is what ``stream`` may be there.

    Markers are never made. One of your own, for a platform that you have registered, names the
    device types that it stands for, and the platform where that shares its device type:

        class Hexagon(Platform["MyQueue | Stream[Hexagon]"]):
            device_types = (16,)
    """

    device_types: ClassVar[tuple[int, ...]] = ()
    platform: ClassVar[str] = ""

    _instead = "Write Array[{0}] in an annotation, or is_on(array, {0})."


class Cpu(Platform["CpuStream"]):
    """kDLCPU: there are no streams."""

    device_types: ClassVar[tuple[int, ...]] = (1,)


class Cuda(Platform["CudaStream"]):
    """CUDA: device memory (kDLCUDA), and pinned and managed memory, which have its streams too."""

    device_types: ClassVar[tuple[int, ...]] = (2, 3, 13)


class CudaHost(Cuda):
    """kDLCUDAHost: pinned memory of the host."""

    device_types: ClassVar[tuple[int, ...]] = (3,)


class CudaManaged(Cuda):
    """kDLCUDAManaged: memory that device and host share."""

    device_types: ClassVar[tuple[int, ...]] = (13,)


class Rocm(Platform["RocmStream"]):
    """ROCm: device memory (kDLROCM), and pinned memory, which has its streams too."""

    device_types: ClassVar[tuple[int, ...]] = (10, 11)


class RocmHost(Rocm):
    """kDLROCMHost: pinned memory of the host."""

    device_types: ClassVar[tuple[int, ...]] = (11,)


class OneAPI(Platform["OneAPIStream"]):
    """kDLOneAPI: SYCL's unified shared memory, of all kinds."""

    device_types: ClassVar[tuple[int, ...]] = (14,)


class OpenCL(Platform["OpenCLStream"]):
    """kDLOpenCL: a cl_mem, or shared virtual memory."""

    device_types: ClassVar[tuple[int, ...]] = (4,)


class Metal(Platform["MetalStream"]):
    """kDLMetal: an MTLBuffer."""

    device_types: ClassVar[tuple[int, ...]] = (8,)


class Simulated(Platform["SimulatedStreams"]):
    """The simulated accelerator of ``anystream.testing``, which shares kDLExtDev."""

    device_types: ClassVar[tuple[int, ...]] = (12,)
    platform: ClassVar[str] = "simulated"


class ExtDev(Platform["Literal[-1] | SupportsDLPackStream[Literal[12]] | Stream[ExtDev]"]):
    """kDLExtDev, where no other platform claims the memory."""

    device_types: ClassVar[tuple[int, ...]] = (12,)


class Vulkan(Platform["Literal[-1] | SupportsDLPackStream[Literal[7]] | Stream[Vulkan]"]):
    """kDLVulkan, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (7,)


class Vpi(Platform["Literal[-1] | SupportsDLPackStream[Literal[9]] | Stream[Vpi]"]):
    """kDLVPI, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (9,)


class WebGpu(Platform["Literal[-1] | SupportsDLPackStream[Literal[15]] | Stream[WebGpu]"]):
    """kDLWebGPU, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (15,)


class Hexagon(Platform["Literal[-1] | SupportsDLPackStream[Literal[16]] | Stream[Hexagon]"]):
    """kDLHexagon, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (16,)


class Maia(Platform["Literal[-1] | SupportsDLPackStream[Literal[17]] | Stream[Maia]"]):
    """kDLMAIA, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (17,)


class Trn(Platform["Literal[-1] | SupportsDLPackStream[Literal[18]] | Stream[Trn]"]):
    """kDLTrn, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (18,)


class Tpu(Platform["Literal[-1] | SupportsDLPackStream[Literal[19]] | Stream[Tpu]"]):
    """kDLTPU, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (19,)


class TpuHost(Platform["Literal[-1] | SupportsDLPackStream[Literal[20]] | Stream[TpuHost]"]):
    """kDLTPUHost, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (20,)


class Ascend(Platform["Literal[-1] | SupportsDLPackStream[Literal[21]] | Stream[Ascend]"]):
    """kDLAscend, which a registered platform orders on."""

    device_types: ClassVar[tuple[int, ...]] = (21,)


PlatformT = TypeVar("PlatformT", bound=Platform[Any])


@overload
def is_on(x: Stream[Any], platform: type[PlatformT], /) -> TypeGuard[Stream[PlatformT]]: ...
@overload
def is_on(x: Array[Any], platform: type[PlatformT], /) -> TypeGuard[Array[PlatformT]]: ...
def is_on(x: Any, platform: Any, /) -> bool:
    """Tell whether an Array, or a Stream, is on a platform, and type checkers that it is.

    By its device type, and by the platform's name where device types are shared. A Stream that
    does not know its platform yet is on none. Raises TypeError for other arguments. Any thread.
    """
    if not (isinstance(platform, type) and issubclass(platform, Platform)):
        raise TypeError(
            "is_on(x, platform) takes a marker of anystream.typing, as anystream.typing.Cuda; got "
            f"{got(platform)}."
        )
    if not isinstance(x, Array | Stream):
        raise TypeError(
            f"is_on(x, platform) takes an anystream.Array or anystream.Stream; got {got(x)}.\n  "
            "anystream.from_dlpack(x) makes an Array of any library's array."
        )
    device = x.device
    if device is None:
        return False
    kind, _ = device.__dlpack_device__()
    return kind in platform.device_types and device.platform == platform.platform
