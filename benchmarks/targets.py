# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be reached: ratios to a competitor of the same run, as those move least with machines.

In every table the first row is anystream's.
"""

from collections.abc import Sequence
from typing import NamedTuple

import exports
import ordering
from imports import title
from rotation import Table


class Target(NamedTuple):
    """A table, one of its rows, and what anystream may cost of it at most."""

    table: str
    other: str
    at_most: float


class Verdict(NamedTuple):
    """A target, and what this run says of it; without a ratio it was not measured."""

    target: Target
    ratio: float | None

    @property
    def word(self) -> str:
        """Say whether it is reached."""
        if self.ratio is None:
            return "not measured"
        return "reached" if self.ratio <= self.target.at_most else "not reached"


TARGETS = (
    Target(title("numpy"), "nanobind", 0.30),
    Target(title("torch"), "tvm_ffi", 0.55),
    Target(title("jax"), "nanobind", 0.15),
    Target(title("tvm_ffi"), "nanobind", 0.85),
    Target(title("cuda.core"), "nanobind", 0.75),
    Target(title("mlx"), "nanobind", 0.65),
    Target(title("dpnp"), "nanobind", 0.05),
    Target(exports.EXPORT, exports.THEIRS, 0.75),
    Target(exports.onto("numpy"), exports.THEIRS, 1.0),
    Target(exports.onto("tvm_ffi"), exports.THEIRS, 1.0),
    Target("numpy to torch", "torch.from_numpy", 0.80),
    Target("torch to numpy", "Tensor.numpy()", 0.25),
    Target("jax to numpy", "numpy.asarray", 0.75),
    Target("tvm_ffi to numpy", "numpy.from_dlpack", 1.10),
    Target(ordering.DIFFERENT, ordering.DPCTL, 0.80),
)


def judge(tables: Sequence[Table]) -> list[Verdict]:
    """Return what the tables of a run say of each target."""
    return [Verdict(target, _ratio(target, tables)) for target in TARGETS]


def _ratio(target: Target, tables: Sequence[Table]) -> float | None:
    for table in tables:
        _, _, ratio = table.figures(target.other)
        if table.title == target.table and ratio is not None:
            return 1 / ratio
    return None


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    """Print a line for each target."""
    print("\ntargets: anystream's minimum over that of another")
    for target, ratio in verdicts:
        what = f"{target.table}, against {target.other}"
        got = "       –" if ratio is None else f"{ratio:6.2f} x"
        word = Verdict(target, ratio).word
        print(f"  {what:66}{got}   at most {target.at_most:.2f} x   {word}")
