# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""How fast host memory is copied when a copy is asked for, against numpy and torch.

Every copy is made in new memory, and what that costs is part of it. Each may use all cores.
"""

from dataclasses import replace
from typing import Any

import anystream
from producers import is_installed
from rotation import Competitor, Effort, Timing, measure, print_note

SIDE = 4096
NBYTES = SIDE * SIDE * 4  # of float32: 64 MiB
MOST_ROUNDS = 20  # a call takes as long as many batches elsewhere
WHOLE = "a copy of 64 MiB that lie side by side"
TURNED = "a copy of 4096 x 4096 float32, transposed"


def _competitors(array: Any) -> list[Competitor]:
    """Return anystream first; each gives a row-major array of its own."""
    own = Competitor(
        "anystream", anystream.from_dlpack, array, statement="call(argument, copy=True)"
    )
    found = [own, Competitor("numpy", lambda x: x.copy("C"), array)]
    if is_installed("torch"):
        import torch

        row_major = torch.contiguous_format
        tensor = torch.from_numpy(array)
        found.append(Competitor("torch", lambda x: x.clone(memory_format=row_major), tensor))
    return found


def _lines(timings: list[Timing]) -> list[str]:
    """Say how many GB/s, and how many times as long as anystream each takes."""
    own = timings[0].least
    lines = []
    for timing in timings:
        if timing.least is None or own is None:
            lines.append(f"{timing.name:42} –  {timing.why[:90]}")
        else:
            speed = f"{NBYTES / timing.least:7.2f} GB/s"
            lines.append(f"{timing.name:42}{speed}{timing.least / own:8.2f} x")
    return lines


def bench_copies(effort: Effort) -> None:
    """Print a table for a contiguous array and one for a transposed one."""
    if not is_installed("numpy"):
        print("\ncopies: numpy is not installed")
        return
    import numpy as np

    array: Any = np.ones((SIDE, SIDE), "float32")
    least = replace(effort, rounds=min(effort.rounds, MOST_ROUNDS))
    for title, given in ((WHOLE, array), (TURNED, array.T)):
        print_note(title, _lines(measure(_competitors(given), least)))
