# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to import an array of each library, against other importers.

An import is whole: the tensor is taken, its shape and strides are copied, pointer, dtype, device
and flags are read, and it is freed. whole.py holds anystream's to that in the same run.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anystream
import native
from producers import PRODUCERS, Producer, is_installed
from rotation import Competitor, Effort, measure, pinned, print_table


@dataclass(frozen=True)
class Consumer:
    """A library's importer: the name of its row, where it is, and how it is called."""

    name: str
    module: str
    path: str
    statement: str = "call(argument)"

    def competitor(self, array: Any) -> Competitor | None:
        """Return it with an array to import, where it is installed."""
        if not is_installed(self.module):
            return None
        call: Any = importlib.import_module(self.module)
        for name in self.path.split("."):
            call = getattr(call, name)
        return Competitor(self.name, call, array, statement=self.statement)


CONSUMERS = (
    Consumer("numpy", "numpy", "from_dlpack"),
    Consumer("torch", "torch", "from_dlpack"),
    Consumer("tvm_ffi", "tvm_ffi", "from_dlpack"),
    Consumer("cuda.core", "cuda.core.utils", "StridedMemoryView.from_dlpack", "call(argument, -1)"),
    Consumer("jax", "jax.dlpack", "from_dlpack"),
)

# consumers.cpp: what is compiled here and now, and the name of its function
COMPILED = (("nanobind", "take"), ("an empty C function", "empty"))


def rows() -> list[str]:
    """Return the names of the rows of every table of imports."""
    return ["anystream", *(c.name for c in CONSUMERS), *(name for name, _ in COMPILED)]


def title(library: str) -> str:
    """Return the title of a library's table."""
    return f"import of a {library} array"


def _compiled(array: Any) -> list[Competitor]:
    why = native.why_no_extension()
    if why:
        return [Competitor(name, _refusing(why), array) for name, _ in COMPILED]
    module = native.extension("consumers")
    return [Competitor(name, getattr(module, function), array) for name, function in COMPILED]


def _refusing(why: str) -> Callable[[object], object]:
    def refuse(_array: object) -> object:
        raise RuntimeError(why)

    return refuse


def competitors(array: Any) -> list[Competitor]:
    """Return what can import an array here, anystream first."""
    found = [consumer.competitor(array) for consumer in CONSUMERS]
    own = Competitor("anystream", anystream.from_dlpack, array)
    return [own, *filter(None, found), *_compiled(array)]


def _bench(producer: Producer, effort: Effort) -> None:
    if why := producer.why_not():
        print(f"\n{title(producer.library)}: {why}")
        return
    running = competitors(producer.make())
    with pinned():
        print_table(title(producer.library), measure(running, effort))


def bench_import(effort: Effort) -> None:
    """Print a table for each library's array."""
    for producer in PRODUCERS:
        _bench(producer, effort)
