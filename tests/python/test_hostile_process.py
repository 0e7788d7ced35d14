# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The corpus of hostile producers in processes of their own: a crash shows with its case."""

from pathlib import Path

import pytest

from process_rig import python

SWEEP = Path(__file__).parent / "hostile_sweep.py"


def swept(*options: str, **environment: str) -> list[str]:
    """Run the corpus; the lines that it printed, if it came to the end."""
    done = python(*options, str(SWEEP), timeout=250, **environment)
    lines = done.stdout.splitlines()
    where = lines[-1] if lines else "before the first case"
    assert done.returncode == 0, f"ended at {where}:\n{done.stderr[-4000:]}"
    return lines


@pytest.mark.parametrize("allocator", ["default", "debug"])
def test_nothing_crashes(allocator: str) -> None:
    """With Python's debugging allocator a use after the end meets marked memory."""
    lines = swept(PYTHONMALLOC=allocator)
    assert lines[-1].startswith("refused ")
    assert int(lines[-1].split()[1]) == len(lines) - 1 > 500


def test_an_error_is_never_left_behind() -> None:
    """In its development mode Python checks that no call returns with an error set."""
    assert swept("-X", "dev", "-W", "error")[-1].startswith("refused ")
