# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a call gives, by its arguments' types: both checkers agree with tests/typing/overloads.

Lines that must fail end in "# E: " and mypy's code of the error; basedpyright refuses them, too.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sources import ROOT
from type_checkers import basedpyright, mypy

FOLDER = ROOT / "tests/typing/overloads"
# Stand-ins for libraries without types, and the worked example.
BESIDE = (ROOT / "tests/typing/stubs", ROOT / "examples/python")
NEEDED = {"handoff.py": ("numpy", "torch", "jax", "mlx", "tvm_ffi"), "sycl.py": ("numpy",)}
MARK = re.compile(r"# E: ([\w-]+)$")


def files(*, alone: bool) -> list[Path]:
    """List the files for an environment: what needs libraries is not for one without any."""
    found = sorted(FOLDER.glob("*.py"))
    if alone:
        return [path for path in found if path.name not in NEEDED]
    missing = {n for n, needs in NEEDED.items() if not all(map(find_spec, needs))}
    return [p for p in found if not p.name.startswith("bare_") and p.name not in missing]


def marked(paths: list[Path]) -> dict[tuple[str, int], str]:
    return {
        (path.name, number): found[1]
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := MARK.search(line))
    }


@pytest.fixture(params=["nothing installed", "all installed"])
def place(request: pytest.FixtureRequest, bare: str) -> tuple[list[Path], str]:
    alone = request.param == "nothing installed"
    return files(alone=alone), bare if alone else sys.executable


def test_mypy(place: tuple[list[Path], str], cache: Path) -> None:
    paths, python = place
    found = mypy(paths, python, cache / "overloads", beside=BESIDE)
    assert {(one.path.name, one.line): one.rule for one in found} == marked(paths)


def test_basedpyright(place: tuple[list[Path], str]) -> None:
    paths, python = place
    found = basedpyright(paths, python, beside=BESIDE)
    assert {(one.path.name, one.line) for one in found} == marked(paths).keys()


def test_there_is_something_to_check() -> None:
    for alone in (True, False):
        paths = files(alone=alone)
        assert len(marked(paths)) >= 30
        assert sum(path.read_text().count("assert_type(") for path in paths) >= 30
