# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The command line where a variable names a driver's library that cannot be used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anystream._cli.platforms import why_no_sycl

VARIABLES = {
    "sycl": "ANYSTREAM_DPCTL_LIBRARY",
    "cuda": "ANYSTREAM_CUDA_LIBRARY",
    "hip": "ANYSTREAM_HIP_LIBRARY",
    "opencl": "ANYSTREAM_OPENCL_LIBRARY",
    "metal": "ANYSTREAM_METAL_LIBRARY",
}
NOWHERE = "/nowhere/library.so"
CONFIGURED = dict.fromkeys(VARIABLES.values(), NOWHERE)


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program with all the variables set."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
        env={**os.environ, **CONFIGURED, "COLUMNS": "80", **environment},
    )


def test_the_doctor_says_so_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "findings.json"
    done = run(
        "import sys\n"
        "from anystream._cli import main, race_simulated\n"
        "race_simulated._HELD_SECONDS = 0.01\n"
        f"sys.argv = ['anystream', 'doctor', '--json', {str(file)!r}]\n"
        "main()"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = json.loads(file.read_text())
    for driver in found["drivers"]:
        assert not driver["available"]
        assert driver["reason"].startswith(f"  {VARIABLES[driver['name']]}={NOWHERE}: ")
    assert found["race"]["platform"] == "simulated"
    if not why_no_sycl():
        text = f"Not on SYCL: SYCL cannot be used: ANYSTREAM_DPCTL_LIBRARY={NOWHERE}: "
        assert found["race"]["why_here"].startswith(text)
        assert found["race"]["why_here"].endswith("no other file is tried while it is set.")
        reasons = {cell["reason"] for cell in found["matrix"]["cells"] if cell["right"] is None}
        assert any(reason.startswith("DriverUnavailable: SYCL") for reason in reasons)


def test_explain_says_so_in_one_line() -> None:
    if why := why_no_sycl():
        pytest.skip(why)
    done = run(
        "import sys\n"
        "from anystream._cli import main\n"
        "sys.argv = ['anystream', 'explain', 'dpnp', 'dpnp', '--stream', 'in-order']\n"
        "main()"
    )
    assert (done.returncode, done.stderr) == (1, "")
    words = " ".join(done.stdout.split())
    assert f"SYCL cannot be used: ANYSTREAM_DPCTL_LIBRARY={NOWHERE}: " in words
    assert "Unset ANYSTREAM_DPCTL_LIBRARY, or have it name a usable libDPCTLSycl" in words


def test_on_sycl_it_is_a_usage_error() -> None:
    if why := why_no_sycl():
        pytest.skip(why)
    done = run(
        "import sys\n"
        "from anystream._cli import main\n"
        "sys.argv = ['anystream', 'doctor', '--on', 'sycl']\n"
        "main()"
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "ANYSTREAM_DPCTL_LIBRARY" in done.stderr
