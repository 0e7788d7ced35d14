# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run: each section once, with what is installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benchmarks/bench.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.parametrize(
    ("section", "row"),
    [
        ("import", r"(?m)^  anystream +\d+ ns +1\.00 x$"),
        ("export", r"(?m)^  of an anystream\.Array +\d+ ns"),
        ("order", r"(?m)^  dpctl: two submit_barrier +\d+ ns"),
        ("order-cpp", r"(?m)^  dpctl's two calls( +\d+){3}$"),
        ("resolve", r"(?m)^  an object with __cuda_stream__ +\d+ ns"),
        ("instructions", r"(?m)^  import of a DLManagedTensorVersioned, and release +\d+$"),
    ],
)
def test_a_section_runs(section: str, row: str) -> None:
    done = bench("--smoke", section)
    assert done.returncode == 0, done.stderr
    if without := re.search(
        r"(?m)^.*(?:is not installed|not counted|not measured).*$", done.stdout
    ):
        pytest.skip(without.group().strip())
    assert re.search(row, done.stdout), done.stdout
    assert "–" not in "".join(re.findall(r"(?m)^  anystream.*$", done.stdout))


def test_an_unknown_section_lists_the_known() -> None:
    done = bench("imports")
    assert done.returncode == 2
    assert (
        "the sections are import, export, order, order-cpp, resolve, instructions." in done.stderr
    )
