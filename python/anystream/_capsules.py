# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A type for each capsule name, which a type checker cannot see: given by a function that looks."""

from typing import Any, Literal, NoReturn, final, overload

from anystream import _core
from anystream._arguments import got
from anystream._not_made import NotMade


class _Named(NotMade):
    """A capsule that ``named_capsule`` has looked at; at run time it is the capsule itself."""

    _instead = "Write named_capsule(capsule, name), which looks at the name."


@final
class CudaStreamCapsule(_Named):
    """A capsule named "cudaStream_t"."""


@final
class CUstreamCapsule(_Named):
    """A capsule named "CUstream"."""


@final
class HipStreamCapsule(_Named):
    """A capsule named "hipStream_t"."""


@final
class SyclQueueRefCapsule(_Named):
    """A capsule named "SyclQueueRef"."""


@final
class OpenCLQueueCapsule(_Named):
    """A capsule named "cl_command_queue"."""


@final
class MetalQueueCapsule(_Named):
    """A capsule named "MTLCommandQueue"."""


@final
class SimulatedStreamCapsule(_Named):
    """A capsule named "anystream_simulated_stream"."""


@final
class DLTensorCapsule(_Named):
    """A capsule named "dltensor": a DLManagedTensor that nobody has taken yet."""


@final
class DLTensorVersionedCapsule(_Named):
    """A capsule named "dltensor_versioned": a DLManagedTensorVersioned that nobody has taken."""


NAMES = {
    "cudaStream_t": CudaStreamCapsule,
    "CUstream": CUstreamCapsule,
    "hipStream_t": HipStreamCapsule,
    "SyclQueueRef": SyclQueueRefCapsule,
    "cl_command_queue": OpenCLQueueCapsule,
    "MTLCommandQueue": MetalQueueCapsule,
    "anystream_simulated_stream": SimulatedStreamCapsule,
    "dltensor": DLTensorCapsule,
    "dltensor_versioned": DLTensorVersionedCapsule,
}


@overload
def named_capsule(capsule: object, name: Literal["cudaStream_t"], /) -> CudaStreamCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["CUstream"], /) -> CUstreamCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["hipStream_t"], /) -> HipStreamCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["SyclQueueRef"], /) -> SyclQueueRefCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["cl_command_queue"], /) -> OpenCLQueueCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["MTLCommandQueue"], /) -> MetalQueueCapsule: ...
@overload
def named_capsule(
    capsule: object, name: Literal["anystream_simulated_stream"], /
) -> SimulatedStreamCapsule: ...
@overload
def named_capsule(capsule: object, name: Literal["dltensor"], /) -> DLTensorCapsule: ...
@overload
def named_capsule(
    capsule: object, name: Literal["dltensor_versioned"], /
) -> DLTensorVersionedCapsule: ...
def named_capsule(capsule: Any, name: str, /) -> Any:
    """Give the capsule back, typed by its name, once that has been found to be so.

    Raises TypeError for what is no capsule, or one of another name (a used-up one has another), and
    ValueError for a name that anystream knows no use of. What the pointer points to is not seen.
    """
    if name not in NAMES:
        known = ", ".join(f'"{one}"' for one in NAMES)
        raise ValueError(f"named_capsule(capsule, name) knows {known}; got {got(name)}.")
    if type(capsule) is not type(_core._C_API):  # noqa: SLF001 - the type has no name before 3.13
        _refuse(got(capsule), name)
    found = _core._capsule_name(capsule)  # noqa: SLF001
    if found != name:
        _refuse(f'a capsule named "{found}"' if found else "a capsule without a name", name)
    return capsule


def _refuse(what: str, name: str) -> NoReturn:
    raise TypeError(f'named_capsule(capsule, "{name}") takes a capsule of that name; got {what}.')
