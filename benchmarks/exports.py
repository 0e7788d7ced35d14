# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to export an Array, against numpy's own, and what others pay to import ours."""

import importlib
from typing import Any

import anystream
from producers import PRODUCERS, is_installed
from rotation import Competitor, Effort, measure, pinned, print_table

EXPORT = "export by __dlpack__(max_version=…)"
OURS, THEIRS = "of an anystream.Array", "of a numpy.ndarray"

# the importers that take our arrays and numpy's: module of from_dlpack
IMPORTERS = ("numpy", "tvm_ffi")


def onto(library: str) -> str:
    """Return the title of the table of a library's importer."""
    return f"{library}.from_dlpack"


# the tables and their rows
ROWS = {title: [OURS, THEIRS] for title in (EXPORT, *map(onto, IMPORTERS))}


def _against_numpy(title: str, call: Any, statement: str, effort: Effort) -> None:
    theirs = PRODUCERS[0].make()
    competitors = [
        Competitor(OURS, call, anystream.from_dlpack(theirs), statement=statement),
        Competitor(THEIRS, call, theirs, statement=statement),
    ]
    with pinned():
        print_table(title, measure(competitors, effort))


def bench_export(effort: Effort) -> None:
    """Print what `__dlpack__` costs, and what importers pay for what it gives."""
    if why := PRODUCERS[0].why_not():
        print(f"\nexport: {why}")
        return
    _against_numpy(EXPORT, None, "argument.__dlpack__(max_version=(1, 0))", effort)
    for library in IMPORTERS:
        if is_installed(library):
            call = importlib.import_module(library).from_dlpack
            _against_numpy(onto(library), call, "call(argument)", effort)
        else:
            print(f"\n{onto(library)}: {library} is not installed")
