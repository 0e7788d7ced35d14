# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel is a CMake package as well: someone else's project finds it and runs on it."""

import subprocess
from pathlib import Path

import pytest

from built import package, program
from sources import ROOT


def run(*command: str | Path) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_project_builds_against_the_wheel(tmp_path: Path) -> None:
    cmake, ctest = program("cmake"), program("ctest")
    folder = package() / "cmake"
    if not folder.is_dir():
        pytest.skip("anystream was not installed from a wheel: make test-python")
    run(cmake, "-S", ROOT / "tests/consume/program", "-B", tmp_path, f"-Danystream_DIR={folder}")
    run(cmake, "--build", tmp_path)
    run(ctest, "--test-dir", tmp_path, "--output-on-failure", "--no-tests=error")
