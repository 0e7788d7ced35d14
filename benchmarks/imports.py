# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to import an array of each library, and to export one, against other importers.

An import is whole: the tensor is taken, its shape and strides are copied, and it is freed.
"""

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import anystream
from rotation import Competitor, Effort, measure, pinned, print_table

SHAPE = (2, 3)

# library, modules that the maker is given, maker of a small float32 array
PRODUCERS: tuple[tuple[str, tuple[str, ...], Callable[..., Any]], ...] = (
    ("numpy", ("numpy",), lambda numpy: numpy.zeros(SHAPE, "float32")),
    ("torch", ("torch",), lambda torch: torch.zeros(SHAPE)),
    ("jax", ("jax.numpy",), lambda jnp: jnp.zeros(SHAPE, "float32")),
    (
        "tvm_ffi",
        ("tvm_ffi", "numpy"),
        lambda tvm_ffi, numpy: tvm_ffi.from_dlpack(numpy.zeros(SHAPE, "float32")),
    ),
    ("mlx", ("mlx.core",), lambda mx: mx.zeros(SHAPE)),
    ("dpnp", ("dpnp",), lambda dpnp: dpnp.zeros(SHAPE, dtype="float32")),
)

# library, module and name of its importer
CONSUMERS = (
    ("numpy", "numpy", "from_dlpack"),
    ("torch", "torch", "from_dlpack"),
    ("tvm_ffi", "tvm_ffi", "from_dlpack"),
    ("jax", "jax.dlpack", "from_dlpack"),
)


def is_installed(*modules: str) -> bool:
    """Tell whether the packages of these modules are there."""
    return all(find_spec(name.partition(".")[0]) is not None for name in modules)


def importers() -> list[tuple[str, Callable[..., object]]]:
    """Return what can import an array here, anystream first."""
    found: list[tuple[str, Callable[..., object]]] = [("anystream", anystream.from_dlpack)]
    for library, module, name in CONSUMERS:
        if is_installed(module):
            found.append((library, getattr(importlib.import_module(module), name)))
    return [*found, ("an empty call (id)", id)]


def bench_import(effort: Effort) -> None:
    """Print a table for each library's array."""
    for library, modules, make in PRODUCERS:
        if not is_installed(*modules):
            print(f"\nimport of a {library} array: {library} is not installed")
            continue
        array = make(*map(importlib.import_module, modules))
        competitors = [Competitor(name, call, array) for name, call in importers()]
        with pinned():
            print_table(f"import of a {library} array", measure(competitors, effort))


def bench_export(effort: Effort) -> None:
    """Print what `__dlpack__` costs, against numpy's own, and what numpy pays to import ours."""
    if not is_installed("numpy"):
        print("\nexport: numpy is not installed")
        return
    import numpy as np

    theirs: Any = np.zeros(SHAPE, "float32")
    ours = anystream.from_dlpack(theirs)
    exports = [
        Competitor("anystream.Array", lambda array: array.__dlpack__(max_version=(1, 0)), ours),
        Competitor("numpy.ndarray", lambda array: array.__dlpack__(max_version=(1, 0)), theirs),
    ]
    onward = [
        Competitor("of an anystream.Array", np.from_dlpack, ours),
        Competitor("of a numpy.ndarray", np.from_dlpack, theirs),
    ]
    with pinned():
        print_table("export: __dlpack__(max_version=(1, 0))", measure(exports, effort))
        print_table("numpy.from_dlpack", measure(onward, effort))
