# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A Stream of CUDA or ROCm as what their libraries take, which type checkers do not see in it."""

from typing import TYPE_CHECKING, Any, cast

from anystream._arguments import got
from anystream._core import Stream

if TYPE_CHECKING:
    from anystream._markers import Cuda, Rocm
    from anystream.typing import SupportsCudaStream


def as_cuda_stream(stream: "Stream[Cuda] | Stream[Rocm]", /) -> "SupportsCudaStream":
    """Give a Stream back, typed as an object with ``__cuda_stream__``, which it then has.

    For libraries that take cuda.core's protocol: ``cuda.core.Device().create_stream(…)`` and the
    like. To type checkers no Stream has the method, since it names no platform: it would make each
    a stream of every platform. Raises TypeError for what is no Stream, ValueError for one of
    another platform, or that does not know its device yet. Any thread.
    """
    where = "as_cuda_stream(stream) takes an anystream.Stream of CUDA or ROCm"
    given: Any = stream
    if not isinstance(given, Stream):
        raise TypeError(f"{where}; got {got(given)}.\n  anystream.Stream(s) makes one.")
    if given.device is None:
        raise ValueError(
            f"{where}; got one that does not know its device yet.\n"
            '  Name it: anystream.Stream(s, device="cuda:0").'
        )
    if not hasattr(given, "__cuda_stream__"):
        raise ValueError(
            f"{where}; got one of {given.device}.\n"
            "  The libraries of that platform take it as it is."
        )
    return cast("SupportsCudaStream", given)
