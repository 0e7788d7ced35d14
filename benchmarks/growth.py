# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Tells by how much a process grows that imports and exports many times.

usage: growth.py CALLS

The calls are shared by the arrays of all libraries that are installed; bench.py runs this in a
process of its own, where nothing else grows or shrinks.
"""

import sys
from typing import Any

import anystream
from apart import LIMIT, resident, run_apart
from ordering import make_sycl_visible
from producers import PRODUCERS
from rotation import SMOKE, Effort

TITLE = "growth of a process that imports and exports"
CALLS, FEW, WARM_UP = 10_000_000, 10_000, 20_000


def _import_and_export(array: Any, calls: int) -> None:
    take = anystream.from_dlpack
    # Off the host the least that an export can do is to order nothing.
    options: dict[str, Any] = {"max_version": (1, 0)}
    if take(array).__dlpack_device__()[0] != anystream.DeviceType.CPU:
        options["stream"] = -1
    for _ in range(calls):
        take(array).__dlpack__(**options)


def _grown(array: Any, calls: int) -> float:
    """Return by how many MiB the process grows, once it is warm."""
    _import_and_export(array, WARM_UP)
    before = resident()
    _import_and_export(array, calls)
    return (resident() - before) / 2**20


def main() -> None:
    """Print a line for each library, and their sum."""
    make_sycl_visible()
    running = [producer for producer in PRODUCERS if not producer.why_not()]
    arrays = [producer.make() for producer in running]
    share = int(sys.argv[1]) // max(len(running), 1)
    total = 0.0
    for producer, array in zip(running, arrays, strict=True):
        grown = _grown(array, share)
        total += grown
        print(f"{producer.library:10} {share:9} times {grown:8.2f} MiB", flush=True)
    word = "reached" if total < LIMIT else "not reached"
    told = f"{'in all':10} {share * len(running):9} times {total:8.2f} MiB"
    print(f"{told}   under {LIMIT:.2f} MiB   {word}", flush=True)


def bench_growth(effort: Effort) -> None:
    """Run this file, and print what it says."""
    run_apart(TITLE, __file__, FEW if effort is SMOKE else CALLS)


if __name__ == "__main__":
    main()
