# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the core's operations with callgrind: compare a commit with its base.

Two counts of one loop are taken, so that starting the process and the first call drop out.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import native
from rotation import SMOKE, Effort

OPERATIONS = {
    "allocate": "malloc and free of 80 bytes, for scale",
    "import": "import of a DLManagedTensorVersioned, and release",
    "export": "export as a DLManagedTensorVersioned, and its deleter",
    "resolve": "resolving an int on CUDA, and release",
}
FEW, MANY = 100, 1100


def count(program: Path, operation: str, times: int) -> int:
    """Return the instructions of a whole run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*command, str(program), operation, str(times)], check=True, capture_output=True, text=True
    )
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if found is None:
        raise RuntimeError(f"valgrind printed no count: {done.stderr}")
    return int(found.group(1))


def bench_instructions(effort: Effort) -> None:
    """Print a row for each operation."""
    print("\ninstructions a call, in C++")
    why = native.why_not() or ("" if shutil.which("valgrind") else "valgrind is not on PATH")
    if why:
        print(f"  not counted: {why}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = native.build("loop.cpp", folder)
        for operation in ["import"] if effort is SMOKE else OPERATIONS:
            more = count(program, operation, MANY) - count(program, operation, FEW)
            print(f"  {OPERATIONS[operation]:56}{more / (MANY - FEW):8.0f}")
