# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Stream handles of CUDA and ROCm that are more than an int to a type checker."""

from operator import index
from typing import Any, NoReturn, SupportsIndex, cast, final

from anystream._arguments import got
from anystream._not_made import NotMade

_WIDTH = 2**63  # no stream handle is as large, nor could a DLPack consumer pass it on


class _Checked(NotMade, int):
    """An int that a function has looked at; at run time it is a plain int, as torch asks for."""


@final
class CudaHandle(_Checked):
    """The handle of a CUDA stream: a cudaStream_t or CUstream as a number."""

    _instead = "Write cuda_handle(number), which looks at the number."


@final
class HipHandle(_Checked):
    """The handle of a HIP stream: a hipStream_t as a number."""

    _instead = "Write hip_handle(number), which looks at the number."


def cuda_handle(handle: SupportsIndex, /) -> CudaHandle:
    """Give a number back as the handle of a CUDA stream, for ``stream`` of CUDA arrays.

    1 is the legacy default stream, 2 the calling thread's, a larger number a cudaStream_t. Raises
    TypeError for what is no int (a bool is none), ValueError for 0, which may mean either of the
    default streams (array API standard, ``__dlpack__``), and for numbers below 0 or wider than a
    pointer. Whether a stream of that handle lives is not seen.
    """
    number = _number(handle, "cuda_handle")
    if number == 0:
        _refuse("cuda_handle", number, "0 may mean either of the default streams: write 1 or 2")
    return cast("CudaHandle", number)


def hip_handle(handle: SupportsIndex, /) -> HipHandle:
    """Give a number back as the handle of a HIP stream, for ``stream`` of ROCm arrays.

    0 is the default stream, a number above 2 a hipStream_t. Raises TypeError for what is no int (a
    bool is none), ValueError for 1 and 2, which are CUDA's default streams (array API standard,
    ``__dlpack__``), and for numbers below 0 or wider than a pointer. Whether a stream of that
    handle lives is not seen.
    """
    number = _number(handle, "hip_handle")
    if number in (1, 2):
        _refuse("hip_handle", number, "1 and 2 are CUDA's default streams: ROCm's is 0")
    return cast("HipHandle", number)


def _number(handle: Any, where: str) -> int:
    if isinstance(handle, bool) or not hasattr(type(handle), "__index__"):
        raise TypeError(f"{where}(handle) takes the number of a stream, an int; got {got(handle)}.")
    number = int(index(handle))
    if number < 0:
        _refuse(where, number, "-1, which asks for no ordering, is no handle: pass it as it is")
    if number >= _WIDTH:
        _refuse(where, number, "no stream handle is that large")
    return number


def _refuse(where: str, number: int, why: str) -> NoReturn:
    raise ValueError(f"{where}(handle) takes the number of a stream; got {number}.\n  {why}.")
