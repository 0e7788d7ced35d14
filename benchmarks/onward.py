# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to give one library's array to another, against the ways that they have."""

from dataclasses import dataclass

import anystream
from imports import Consumer
from producers import PRODUCERS, is_installed
from rotation import Competitor, Effort, measure, pinned, print_table


@dataclass(frozen=True)
class Way:
    """From one library to another, and what else does that."""

    producer: str
    consumer: str
    others: tuple[Consumer, ...]

    @property
    def title(self) -> str:
        """Name the table."""
        return f"{self.producer} to {self.consumer}"


_NUMPY = Consumer("numpy.from_dlpack", "numpy", "from_dlpack")

WAYS = (
    Way(
        "numpy",
        "torch",
        (
            Consumer("torch.from_numpy", "torch", "from_numpy"),
            Consumer("torch.from_dlpack", "torch", "from_dlpack"),
        ),
    ),
    Way(
        "torch",
        "numpy",
        (Consumer("Tensor.numpy()", "torch", "Tensor", "argument.numpy()"), _NUMPY),
    ),
    Way("jax", "numpy", (Consumer("numpy.asarray", "numpy", "asarray"), _NUMPY)),
    Way("tvm_ffi", "numpy", (_NUMPY,)),
)

HANDOFF = "anystream.handoff"


# the tables and their rows
ROWS = {way.title: [HANDOFF, *(other.name for other in way.others)] for way in WAYS}


def _bench(way: Way, effort: Effort) -> None:
    [producer] = [each for each in PRODUCERS if each.library == way.producer]
    missing = "" if is_installed(way.consumer) else f"{way.consumer} is not installed"
    if why := producer.why_not() or missing:
        print(f"\n{way.title}: {why}")
        return
    array = producer.make()
    statement = f'call(argument, to="{way.consumer}")'
    own = Competitor(HANDOFF, anystream.handoff, array, statement=statement)
    others = filter(None, (other.competitor(array) for other in way.others))
    with pinned():
        print_table(way.title, measure([own, *others], effort))


def bench_onward(effort: Effort) -> None:
    """Print a table for each way."""
    for way in WAYS:
        _bench(way, effort)
