# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of memory, each in a process of its own, where nothing else grows or shrinks."""

import gc
import subprocess
import sys
from pathlib import Path

from rotation import print_note

STATM = Path("/proc/self/statm")
LIMIT = 1.0  # MiB


def resident() -> int:
    """Return the bytes of memory that this process has."""
    import resource

    gc.collect()
    return int(STATM.read_text().split()[1]) * resource.getpagesize()


def run_apart(title: str, file: str, count: int) -> None:
    """Run a file with a count, and print what it says."""
    if not STATM.exists():
        print_note(title, [f"not measured: this system has no {STATM}"])
        return
    command = [sys.executable, file, str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    print_note(title, done.stdout.splitlines())
