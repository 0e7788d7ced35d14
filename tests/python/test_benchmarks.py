# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run: each section once, with what is installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "benchmarks/bench.py"
TIMED = r" +\d+ ns +\d+ ns +\d+\.\d\d x$"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


def smoke(section: str) -> str:
    """Return what a section prints; skip if it says that it cannot run here."""
    done = bench("--smoke", section)
    assert done.returncode == 0, done.stderr
    without = re.search(r"(?m)^.*(?:is not installed|not counted|not measured: ).*$", done.stdout)
    if without:
        pytest.skip(without.group().strip())
    return done.stdout


@pytest.mark.parametrize(
    ("section", "row"),
    [
        ("import", r"(?m)^  nanobind" + TIMED),
        ("export", r"(?m)^  of an anystream\.Array" + TIMED),
        ("onward", r"(?m)^  torch\.from_numpy" + TIMED),
        ("order", r"(?m)^  dpctl: two submit_barrier" + TIMED),
        ("order-cpp", r"(?m)^  dpctl's two calls( +\d+){3}$"),
        ("resolve", r"(?m)^  an object with __cuda_stream__" + TIMED),
        ("copy", r"(?m)^  torch +\d+\.\d\d GB/s +\d+\.\d\d x$"),
        ("instructions", r"(?m)^  import of a DLManagedTensorVersioned, and release +\d+$"),
    ],
)
def test_a_section_runs(section: str, row: str) -> None:
    printed = smoke(section)
    assert re.search(row, printed), printed
    assert "–" not in "".join(re.findall(r"(?m)^  anystream.*$", printed))


def test_a_target_is_a_line() -> None:
    printed = smoke("export")
    line = (
        r"(?m)^  numpy\.from_dlpack, against of a numpy\.ndarray +\d+\.\d\d x   at most 1\.00 x   "
    )
    assert re.search(line + "(?:not )?reached$", printed), printed


def test_no_route_is_lazy() -> None:
    printed = smoke("whole")
    rows = re.findall(
        r"(?m)^  (\S+) +by '.*' +facts as its own, .*owner held, then released$", printed
    )
    assert rows == ["numpy", "torch", "jax", "tvm_ffi", "cuda.core", "mlx", "dpnp"], printed


def test_imports_and_exports_do_not_grow_the_process() -> None:
    line = r"(?m)^  in all +\d+ times +(-?\d+\.\d\d) MiB   under 1\.00 MiB   reached$"
    [grown] = re.findall(line, smoke("growth"))
    assert float(grown) < 1.0


def test_an_unknown_section_lists_the_known() -> None:
    done = bench("imports")
    assert done.returncode == 2
    known = re.findall(r'(?m)^    "([a-z-]+)": bench_', BENCH.read_text(encoding="utf-8"))
    assert f"the sections are {', '.join(known)}." in done.stderr


def test_a_page_takes_a_whole_run() -> None:
    done = bench("--smoke", "--write", "benchmarks.md")
    assert done.returncode == 2
    assert "a page has the figures of one run" in done.stderr
