# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a type checker makes of every value of the oracle, written out, not computed.

Beside the oracle's values are those that only types have: checked handles and capsules.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from anystream import Stream
from anystream.typing import cuda_handle, hip_handle, named_capsule
from stream_oracle import OUTCOMES
from stream_values import HANDLE, VALUES, capsule, sycl_queue

IMPORTS = """
from enum import IntEnum
from types import EllipsisType, NotImplementedType
from typing import Any, Literal

import numpy
import numpy.typing
import torch
from typing_extensions import CapsuleType

from anystream import Array, Stream
from anystream.testing import SimulatedStream
from anystream.typing import *
"""
# A stub, of what the lines below name the values by: stand-ins where a library has no types.
CLASSES = """
class Which(IntEnum):
    TWO = 2

class Method:
    def __cuda_stream__(self) -> tuple[int, int]: ...
class Attribute:
    __cuda_stream__: tuple[int, int]
class Gives:
    def _get_capsule(self) -> CapsuleType: ...
class GivesNone:
    def _get_capsule(self) -> object: ...
class Both(Method, Gives): ...
class SyclQueue(Gives):
    @property
    def is_in_order(self) -> bool: ...
class OpenCLQueue:
    @property
    def int_ptr(self) -> int: ...
    def finish(self) -> None: ...
    def flush(self) -> None: ...
class HandleOnly:
    handle: int
class TellsCuda:
    def __dlpack_stream__(self) -> tuple[Literal[2], int, CapsuleType | None]: ...
class TellsRocm:
    def __dlpack_stream__(self) -> tuple[Literal[10], int, CapsuleType | None]: ...
class TellsSycl:
    def __dlpack_stream__(self) -> tuple[Literal[14], int, CapsuleType]: ...
class TellsVulkan:
    def __dlpack_stream__(self) -> tuple[Literal[7], int, CapsuleType]: ...
"""

# The name of a value, the type that a program has it as, and the columns where a checker takes it.
TAKEN = """
None                 | None                        | all
-1                   | Literal[-1]                 | all
True                 | Literal[True]               |
False                | Literal[False]              |
0                    | Literal[0]                  | rocm
1                    | Literal[1]                  | cuda
2                    | Literal[2]                  | cuda
3                    | Literal[3]                  |
an address           | Literal[139637976731648]    |
-2                   | Literal[-2]                 |
-2**64               | int                         |
2**63                | int                         |
2**64                | int                         |
2**10000             | int                         |
np.int64(7)          | numpy.int64                 |
np.int64(-1)         | numpy.int64                 |
np.int64(-3)         | numpy.int64                 |
IntEnum 2            | Literal[Which.TWO]          |
np.bool_             | numpy.bool_                 |
np.array(3.5)        | numpy.typing.NDArray[numpy.float64] |
np.array(7)          | numpy.typing.NDArray[numpy.int64] |
np.arange(3)         | numpy.typing.NDArray[numpy.int64] |
a class              | type[int]                   |
1.0                  | float                       |
np.float64(1)        | numpy.float64               |
1j                   | complex                     |
"1"                  | Literal["1"]                |
b"1"                 | bytes                       |
bytearray            | bytearray                   |
...                  | EllipsisType                |
NotImplemented       | NotImplementedType          | all
object()             | object                      |
a list               | list[int]                   |
cudaStream_t         | CapsuleType                 |
CUstream             | CapsuleType                 |
hipStream_t          | CapsuleType                 |
SyclQueueRef         | CapsuleType                 |
cl_command_queue     | CapsuleType                 |
MTLCommandQueue      | CapsuleType                 |
simulated capsule    | CapsuleType                 |
used_cudaStream_t    | CapsuleType                 |
used_CUstream        | CapsuleType                 |
used_hipStream_t     | CapsuleType                 |
used_SyclQueueRef    | CapsuleType                 |
used_cl_command_queue | CapsuleType                |
used_MTLCommandQueue | CapsuleType                 |
used_simulated       | CapsuleType                 |
dltensor             | CapsuleType                 |
unnamed capsule      | CapsuleType                 |
protocol method      | Method                      | cuda rocm
protocol attribute   | Attribute                   |
protocol null        | Method                      | cuda rocm
protocol enum        | Method                      | cuda rocm
protocol version 1   | Method                      | cuda rocm
gives SyclQueueRef   | Gives                       | oneapi
gives CUstream       | Gives                       | oneapi
gives no capsule     | GivesNone                   |
protocol and capsule | Both                        | cuda rocm oneapi
torch.cuda Stream    | torch.cuda.Stream           | cuda rocm
its null handle      | torch.cuda.Stream           | cuda rocm
numba Stream         | Method                      | cuda rocm
numba null           | Method                      | cuda rocm
rmm Stream           | Method                      | cuda rocm
rmm version 1        | Method                      | cuda rocm
hip-python stream    | HandleOnly                  |
hip-python null      | HandleOnly                  |
pyopencl queue       | OpenCLQueue                 | opencl
pyopencl null        | OpenCLQueue                 | opencl
in-order SyclQueue   | SyclQueue                   | oneapi
default SyclQueue    | SyclQueue                   | oneapi
torch.xpu Stream     | torch.xpu.Stream            | oneapi
SimulatedStream      | SimulatedStream             | simulated
ours, on cuda:0      | Stream[Cuda]                | cuda
ours, on rocm:0      | Stream[Rocm]                | rocm
ours, on SYCL        | Stream[OneAPI]              | oneapi
ours, simulated      | Stream[Simulated]           | simulated
ours, unresolved 7   | Stream[Any]                 | any
ours, of a protocol  | Stream[Any]                 | any
cuda_handle(7)       | CudaHandle                  | cuda
hip_handle(0)        | HipHandle                   | rocm
hip_handle(7)        | HipHandle                   | rocm
named cudaStream_t   | CudaStreamCapsule           | cuda
named CUstream       | CUstreamCapsule             | cuda
named hipStream_t    | HipStreamCapsule            | rocm
named SyclQueueRef   | SyclQueueRefCapsule         | oneapi
named cl_command_queue | OpenCLQueueCapsule        | opencl
named MTLCommandQueue | MetalQueueCapsule          | metal
named simulated      | SimulatedStreamCapsule      | simulated
tells cuda           | TellsCuda                   | cuda
tells rocm           | TellsRocm                   | rocm
tells SYCL           | TellsSycl                   | oneapi
tells vulkan         | TellsVulkan                 | Vulkan
ours, on Vulkan      | Stream[Vulkan]              | Vulkan
"""


def telling(device_type: int, make: Callable[[], Any]) -> Any:
    """Make an object that says what stream it is, by the proposed method."""

    class Tells:
        def __dlpack_stream__(self) -> tuple[int, int, Any]:
            return device_type, 0, make()

    return Tells()


def _named(name: Any) -> Callable[[], Any]:
    return lambda: named_capsule(capsule(name), name)


# What only types have: made as a program makes it.
BEYOND: dict[str, Callable[[], Any]] = {
    "cuda_handle(7)": lambda: cuda_handle(7),
    "hip_handle(0)": lambda: hip_handle(0),
    "hip_handle(7)": lambda: hip_handle(7),
    "named cudaStream_t": _named("cudaStream_t"),
    "named CUstream": _named("CUstream"),
    "named hipStream_t": _named("hipStream_t"),
    "named SyclQueueRef": lambda: named_capsule(sycl_queue()._get_capsule(), "SyclQueueRef"),
    "named cl_command_queue": lambda: named_capsule(
        VALUES["cl_command_queue"]().passed, "cl_command_queue"
    ),
    "named MTLCommandQueue": _named("MTLCommandQueue"),
    "named simulated": lambda: named_capsule(
        VALUES["simulated capsule"]().passed, "anystream_simulated_stream"
    ),
    "tells cuda": lambda: telling(2, lambda: capsule("cudaStream_t")),
    "tells rocm": lambda: telling(10, lambda: capsule("hipStream_t")),
    "tells SYCL": lambda: telling(14, lambda: sycl_queue()._get_capsule()),
    "tells vulkan": lambda: telling(7, lambda: capsule("VkQueue")),
    "ours, on Vulkan": lambda: Stream.from_handle("vulkan:0", HANDLE),  # of a registered platform
}

# What a checker takes and the run time refuses, by the value: what cannot be seen. The page has it.
UNSEEN = {
    "NotImplemented": "what `Any` stands for",  # the standard library's stubs have it as one
    "protocol version 1": "the version that `__cuda_stream__` gives",
    "rmm version 1": "the version that `__cuda_stream__` gives",
    "gives CUstream": "the name of the capsule that `_get_capsule` gives",
    "numba Stream": "whose stream a `__cuda_stream__` gives, CUDA's or ROCm's",
    "numba null": "whose stream a `__cuda_stream__` gives, CUDA's or ROCm's",
    "rmm Stream": "whose stream a `__cuda_stream__` gives, CUDA's or ROCm's",
    "pyopencl null": "that a queue's handle is not NULL",
    "ours, unresolved 7": "what `Any` stands for",
    "ours, of a protocol": "what `Any` stands for",
}


class Taken(NamedTuple):
    """The type that a program has a value as, and where a checker takes it."""

    type: str
    columns: tuple[str, ...]

    def on(self, column: str, marker: str) -> bool:
        """Tell whether a checker takes it on a platform: by "all", "any", column or name."""
        streams = "any" if column != "cpu" else "-"  # there is no Stream of a CPU
        return bool({"all", streams, column, marker} & set(self.columns))


def _line(text: str) -> tuple[str, Taken]:
    name, kind, columns = (part.strip() for part in text.split(" | "))
    return name, Taken(kind, tuple(columns.split()))


STATIC = dict(_line(line + " ") for line in TAKEN.strip().splitlines())
assert list(STATIC) == [*OUTCOMES, *BEYOND]
