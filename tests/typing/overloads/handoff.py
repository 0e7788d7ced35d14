# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What handoff gives, with the libraries that ship their types: numpy, torch, jax, mlx, tvm_ffi."""

from types import ModuleType
from typing import Any, assert_type

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import numpy.typing as npt
import torch
import tvm_ffi

import anystream
from anystream import Array
from anystream.typing import Cpu


def by_name(x: object) -> None:
    assert_type(anystream.handoff(x, to="torch"), torch.Tensor)
    assert_type(anystream.handoff(x, to="numpy"), np.ndarray)
    assert_type(anystream.handoff(x, to="jax"), jax.Array)
    assert_type(anystream.handoff(x, to="jax.numpy"), jax.Array)
    assert_type(anystream.handoff(x, to="mlx"), mx.array)
    assert_type(anystream.handoff(x, to="mlx.core"), mx.array)
    assert_type(anystream.handoff(x, to="tvm_ffi"), tvm_ffi.Tensor)


def by_module(x: object) -> None:
    assert_type(anystream.handoff(x, to=torch), torch.Tensor)
    # The checkers differ in what the module's class is of: Any and Any, or its defaults.
    array: np.ndarray = anystream.handoff(x, to=np)
    assert_type(anystream.handoff(x, to=np).itemsize, int)
    assert_type(anystream.handoff(x, to=jax), jax.Array)
    assert_type(anystream.handoff(x, to=jnp), jax.Array)
    assert_type(anystream.handoff(x, to=mx), mx.array)
    assert_type(anystream.handoff(x, to=tvm_ffi), tvm_ffi.Tensor)
    del array


def many(x: list[object], y: tuple[object, object], z: dict[str, object]) -> None:
    assert_type(anystream.handoff(x, to="torch"), list[torch.Tensor])
    assert_type(anystream.handoff(y, to="torch"), tuple[torch.Tensor, ...])
    assert_type(anystream.handoff(z, to="torch"), dict[str, torch.Tensor])
    assert_type(anystream.handoff(x, to=torch), list[torch.Tensor])
    assert_type(anystream.handoff(y, to=jnp), tuple[jax.Array, ...])
    assert_type(anystream.handoff(z, to=mx), dict[str, mx.array])
    assert_type(anystream.handoff(x, to="engine"), list[Any])
    assert_type(anystream.handoff([torch.ones(3)], to="jax"), list[jax.Array])


def arrays(a: npt.NDArray[np.float64], b: torch.Tensor, c: Array[Cpu], d: jax.Array) -> None:
    assert_type(anystream.handoff(a, to="torch", copy=True), torch.Tensor)
    assert_type(anystream.handoff(b, to="jax", stream=-1), jax.Array)
    assert_type(anystream.handoff(c, to=torch, device="cpu", strict=True), torch.Tensor)
    assert_type(anystream.handoff(d, to="torch", release="host"), torch.Tensor)


def others(x: object, name: str, module: ModuleType, given: Any, to: Any) -> None:
    assert_type(anystream.handoff(x, to=name), Any)
    assert_type(anystream.handoff(x, to=module), Any)
    assert_type(anystream.handoff(x, to="engine"), Any)
    whatever: dict[str, int] = anystream.handoff(x, to=to)
    # Of Any, the answer might be a list of tensors.
    maybe: torch.Tensor = anystream.handoff(given, to="torch")
    perhaps: list[torch.Tensor] = anystream.handoff(given, to="torch")
    del whatever, maybe, perhaps


def platforms(a: npt.NDArray[np.float64], b: torch.Tensor, c: jax.Array, d: mx.array) -> None:
    """Of these, numpy alone says in its types where an array is."""
    assert_type(anystream.from_dlpack(a), Array[Cpu])
    assert_type(anystream.from_dlpack(np.arange(3)), Array[Cpu])
    assert_type(anystream.from_dlpack(b), Array[Any])
    assert_type(anystream.from_dlpack(c), Array[Any])
    assert_type(anystream.from_dlpack(d), Array[Any])


def wrong(x: object) -> None:
    tensor: jax.Array = anystream.handoff(x, to="torch")  # E: assignment
    array: torch.Tensor = anystream.handoff([x], to=torch)  # E: assignment
    anystream.handoff(x, to=torch.Tensor)  # E: call-overload
    anystream.handoff(x, to=7)  # E: call-overload
    anystream.handoff(x)  # E: call-overload
    anystream.handoff(x, to="torch", copy="no")  # E: call-overload
    anystream.handoff(x, to="torch", stram=None)  # E: call-overload
    anystream.handoff(x, "torch")  # E: call-overload
    del tensor, array
