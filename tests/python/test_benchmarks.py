# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run: each section once, with what is installed."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from peer_rig import LIBRARIES

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "benchmarks/bench.py"
TIMED = r" +\d+ ns +\d+ ns +\d+\.\d\d x$"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


def smoke(section: str, absent: str) -> str:
    """Return what a section prints; skip if one of its lines says that it cannot run here."""
    done = bench("--smoke", section)
    assert done.returncode == 0, done.stderr
    without = re.search(rf"(?m)^ *(?:{absent}).*$", done.stdout)
    if without:
        pytest.skip(without.group().strip())
    return done.stdout


# A section, a row of it, and the line that is there instead where what the row needs is not.
SECTIONS = [
    (
        "import",
        "nanobind" + TIMED,
        r"(?:import of a numpy array: .*|nanobind +–  RuntimeError: .*) (?:not installed|on PATH)$",
    ),
    ("export", r"of an anystream\.Array" + TIMED, "export: numpy is not installed"),
    ("onward", r"torch\.from_numpy" + TIMED, r"numpy to torch: \w+ is not installed"),
    ("order", "dpctl: two submit_barrier" + TIMED, "ordering: dpctl is not installed"),
    ("order-cpp", r"dpctl's two calls( +\d+){3}$", "not measured: "),
    ("order-opencl", r"bare: marker, flush, barrier, release( +\d+){3}$", "not measured: "),
    ("resolve", "an object with __cuda_stream__" + TIMED, "not measured: "),
    ("copy", r"numpy +\d+\.\d\d GB/s +\d+\.\d\d x$", "copies: numpy is not installed"),
    (
        "instructions",
        r"import of a DLManagedTensorVersioned, and release +\d+$",
        "not counted: ",
    ),
]


@pytest.mark.parametrize(("section", "row", "absent"), SECTIONS, ids=[row[0] for row in SECTIONS])
def test_a_section_runs(section: str, row: str, absent: str) -> None:
    printed = smoke(section, absent)
    assert re.search(rf"(?m)^  {row}", printed), printed
    assert "–" not in "".join(re.findall(r"(?m)^  anystream.*$", printed))


def test_a_target_is_a_line() -> None:
    printed = smoke("export", "export: numpy is not installed")
    line = (
        r"(?m)^  numpy\.from_dlpack, against of a numpy\.ndarray +\d+\.\d\d x   at most 1\.00 x   "
    )
    assert re.search(line + "(?:not )?reached$", printed), printed


def is_missing(library: str) -> bool:
    if library in LIBRARIES:
        return LIBRARIES[library].missing
    package, _, _ = library.partition(".")
    return find_spec(package) is None or find_spec(library) is None


def test_no_route_is_lazy() -> None:
    printed = bench("--smoke", "whole").stdout
    whole = r"(?m)^  (\S+) +by '.*' +facts as its own, .*owner held, then released$"
    libraries = ["numpy", "torch", "jax", "tvm_ffi", "cuda.core", "mlx", "dpnp"]
    missing = [library for library in libraries if is_missing(library)]
    assert re.findall(r"(?m)^  (\S+) +\1 is not installed$", printed) == missing, printed
    assert re.findall(whole, printed) == [x for x in libraries if x not in missing], printed


def test_imports_and_exports_do_not_grow_the_process() -> None:
    line = r"(?m)^  in all +\d+ times +(-?\d+\.\d\d) MiB   under 1\.00 MiB   reached$"
    [grown] = re.findall(line, smoke("growth", "not measured: "))
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
