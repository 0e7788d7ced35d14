# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The paths whose instructions callgrind.py counts; it runs this under valgrind for each library.

usage: hot_paths.py MARKS NAME...

MARKS is callgrind_marks.cpp compiled. Only what is public is used, so that the anystream that is
found may be an older one.
"""

import ctypes
import importlib
import sys
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SHAPE = (2, 3)
# Two counts of one loop are subtracted, so that what surrounds it drops out.
FEW, MANY, WARM_UP = 100, 600, 300


@dataclass(frozen=True)
class HotPath:
    """A statement, the modules that the maker of its `x` is given, and the maker.

    In the statement `call` is a function of anystream: looking that up is not counted.
    """

    name: str
    modules: tuple[str, ...]
    make: Callable[..., Any]
    statement: str = "call(x)"
    function: str = "from_dlpack"


def _ones(numpy: Any) -> Any:
    return numpy.ones(SHAPE, "float32")


HOT_PATHS = (
    HotPath("import from numpy", ("numpy",), _ones),
    HotPath(
        "export",
        ("numpy", "anystream"),
        lambda numpy, anystream: anystream.from_dlpack(_ones(numpy)),
        "x.__dlpack__(max_version=(1, 0))",
    ),
    HotPath("import from torch", ("torch",), lambda torch: torch.ones(SHAPE)),
    HotPath(
        "torch to numpy",
        ("torch", "numpy"),
        lambda torch, _: torch.ones(SHAPE),
        'call(x, to="numpy")',
        "handoff",
    ),
    HotPath(
        "numpy to torch",
        ("torch", "numpy"),
        lambda _, numpy: _ones(numpy),
        'call(x, to="torch")',
        "handoff",
    ),
    HotPath("import from jax", ("jax.numpy",), lambda jnp: jnp.ones(SHAPE, "float32")),
    HotPath(
        "import from tvm_ffi",
        ("tvm_ffi", "numpy"),
        lambda tvm_ffi, numpy: tvm_ffi.from_dlpack(_ones(numpy)),
    ),
    HotPath("import from mlx", ("mlx.core",), lambda mx: mx.ones(SHAPE)),
    HotPath("import from dpnp", ("dpnp",), lambda dpnp: dpnp.ones(SHAPE, dtype="float32")),
    HotPath(
        "order on one stream",
        ("anystream.testing",),
        lambda testing: testing.SimulatedDevice().stream("hot"),
        "call(producer=x, consumer=x)",
        "order",
    ),
)


def _timer(path: HotPath) -> timeit.Timer:
    x = path.make(*map(importlib.import_module, path.modules))
    call = getattr(importlib.import_module("anystream"), path.function)
    return timeit.Timer(path.statement, globals={"x": x, "call": call})


def main() -> None:
    """Count the paths named on the command line."""
    marks = ctypes.CDLL(sys.argv[1])
    named = set(sys.argv[2:])
    if any("dpnp" in path.modules for path in HOT_PATHS if path.name in named):
        importlib.import_module("anystream.testing").use_cpu_sycl()
    for path in HOT_PATHS:
        if path.name not in named:
            continue
        timer = _timer(path)
        timer.timeit(WARM_UP)
        for times in (FEW, MANY):
            marks.callgrind_begin()
            timer.timeit(times)
            marks.callgrind_end(f"{path.name}: {times}".encode())


if __name__ == "__main__":
    main()
