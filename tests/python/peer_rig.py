# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The real libraries that hand-offs are tested with: how to make and to read arrays of each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest

import anystream


def _numpy() -> Any:
    import numpy as np

    return np


def _tvm_read(tensor: Any) -> Any:
    if tensor.__dlpack_device__()[0] == 1:
        return _numpy().from_dlpack(tensor)
    # The hand-off that made it has waited, and nothing was queued since.
    return anystream.handoff(tensor, to="numpy", ordering="none")


def _dpctl_make(values: Any) -> Any:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMDevice(values.nbytes)
    memory.copy_from_host(values.reshape(-1).view("uint8"))
    return memory


def _torch_make(values: Any) -> Any:
    import torch

    return torch.tensor(values.tolist(), dtype=getattr(torch, values.dtype.name))


def _jax_make(values: Any) -> Any:
    import jax.numpy

    return jax.numpy.array(values)


def _dpnp_make(values: Any) -> Any:
    import dpnp

    return dpnp.array(values)


def _tvm_make(values: Any) -> Any:
    import tvm_ffi

    return tvm_ffi.from_dlpack(values.copy())


def _mlx_make(values: Any) -> Any:
    import mlx.core

    return mlx.core.array(values)


def _view_make(values: Any) -> Any:
    from cuda.core.utils import StridedMemoryView

    return StridedMemoryView.from_dlpack(values.copy(), stream_ptr=-1)


def _view_read(view: Any) -> Any:
    return _numpy().from_dlpack(view)


@dataclass(frozen=True)
class Library:
    """One library. `read` gives numpy's view or copy of an array; `host`: its arrays are there."""

    name: str
    module: str
    array_class: str
    make: Callable[[Any], Any]
    read: Callable[[Any], Any]
    host: bool = True

    @property
    def missing(self) -> bool:
        """Not installed."""
        root, _, rest = self.module.partition(".")
        return find_spec(root) is None or (rest != "" and find_spec(self.module) is None)

    def require(self) -> "Library":
        """Skip, with the reason, if it is not installed."""
        if self.missing:
            pytest.skip(f"{self.module} is not installed (PEERS=all installs it)")
        return self


LIBRARIES = {
    library.name: library
    for library in (
        Library("numpy", "numpy", "ndarray", lambda v: v.copy(), lambda x: x),
        Library("torch", "torch", "Tensor", _torch_make, lambda x: x.numpy()),
        Library("jax", "jax", "ArrayImpl", _jax_make, lambda x: _numpy().asarray(x)),
        Library("mlx", "mlx", "array", _mlx_make, lambda x: _numpy().array(x)),
        Library("tvm_ffi", "tvm_ffi", "Tensor", _tvm_make, _tvm_read),
        Library("cuda.core", "cuda.core", "StridedMemoryView", _view_make, _view_read),
        Library("dpnp", "dpnp", "dpnp_array", _dpnp_make, lambda x: x.asnumpy(), host=False),
        Library(
            "dpctl",
            "dpctl",
            "MemoryUSM",
            _dpctl_make,
            lambda x: _numpy().frombuffer(x.copy_to_host().tobytes(), "float32"),
            host=False,
        ),
    )
}


def address(array: Any) -> int:
    """Where an array's first element is, in whatever memory."""
    ours: anystream.Array = anystream.from_dlpack(array, ordering="none")
    return ours.data_ptr + ours.byte_offset
