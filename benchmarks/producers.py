# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays that are imported: one small float32 array of each library that is installed."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

SHAPE = (2, 3)


@dataclass(frozen=True)
class Producer:
    """A library, the modules that its maker is given, and the maker of its array."""

    library: str
    modules: tuple[str, ...]
    maker: Callable[..., Any]

    def why_not(self) -> str:
        """Tell why it makes no array here; nothing if it does."""
        return "" if is_installed(*self.modules) else f"{self.library} is not installed"

    def make(self) -> Any:
        """Return a new array."""
        return self.maker(*map(importlib.import_module, self.modules))


def is_installed(*modules: str) -> bool:
    """Tell whether the packages of these modules are there."""
    try:
        return all(find_spec(name) is not None for name in modules)
    except ImportError:  # the package around it is not there, or not whole
        return False


def _ones(numpy: Any) -> Any:
    return numpy.ones(SHAPE, "float32")


PRODUCERS: tuple[Producer, ...] = (
    Producer("numpy", ("numpy",), _ones),
    Producer("torch", ("torch",), lambda torch: torch.ones(SHAPE)),
    Producer("jax", ("jax.numpy",), lambda jnp: jnp.ones(SHAPE, "float32")),
    Producer(
        "tvm_ffi", ("tvm_ffi", "numpy"), lambda tvm_ffi, numpy: tvm_ffi.from_dlpack(_ones(numpy))
    ),
    Producer(
        "cuda.core",
        ("cuda.core.utils", "numpy"),
        lambda utils, numpy: utils.StridedMemoryView.from_dlpack(_ones(numpy), -1),
    ),
    Producer("mlx", ("mlx.core",), lambda mx: mx.ones(SHAPE)),
    Producer("dpnp", ("dpnp",), lambda dpnp: dpnp.ones(SHAPE, dtype="float32")),
)
