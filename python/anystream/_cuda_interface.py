# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Import by `__cuda_array_interface__`, versions 0 to 3, with the producer's stream.

https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
"""

from typing import Any

from anystream._core import Stream
from anystream._device import Device
from anystream._fields import Fields
from anystream._memory import Memory, itemsize_of
from anystream._peer import Producer
from anystream._place import located

_HANDLES = "None, 1 (legacy default), 2 (per-thread default) or a cudaStream_t handle > 2"


def read(fields: Fields, x: Any, _: Producer) -> Memory:
    """Read the interface. The stream is the producer's, and must be waited for."""
    # What later versions added is read wherever it is: in earlier ones it is not.
    version = fields.version(range(4), "an int from 0 to 3")
    dtype = fields.dtype()
    shape = fields.shape()
    pointer, readonly = fields.data()
    device = located(pointer)
    stream = _stream(fields, x, device)
    return Memory(
        pointer,
        shape,
        fields.strides(shape, itemsize_of(dtype)),
        dtype,
        device,
        owner=(x, fields.value),
        readonly=readonly,
        stream=stream,
        stream_is=f"{fields.interface}[stream]" if stream else "",
        # Before version 3 there was no stream that could be missing.
        idle=stream is None and version == 3,
    )


def _stream(fields: Fields, x: Any, device: Device) -> Stream | None:
    value = fields.get("stream")
    if value is None:
        return None
    handle = fields.whole("stream", value, _HANDLES)
    if handle == 0:
        fix = "0 is ambiguous, so the interface forbids it: its class must say 1 or 2."
        raise fields.refusal("stream", _HANDLES, value, fix)
    return Stream.from_handle(device, handle, owner=x)
