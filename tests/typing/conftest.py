# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the checkers run with: an environment in which nothing is installed, and this one."""

import subprocess
import sys
from pathlib import Path

import pytest

from type_checkers import CHECKERS, CheckerMissing, program


@pytest.fixture(scope="session", autouse=True)
def checkers() -> dict[str, str]:
    """Name the checkers, or skip."""
    try:
        return {name: program(name) for name in CHECKERS}
    except CheckerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name the interpreter of an environment without any package."""
    place = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    return str(place / "bin/python")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Name the folder that mypy keeps what it knows in: two runs at once may not share one."""
    return tmp_path_factory.mktemp("mypy")
