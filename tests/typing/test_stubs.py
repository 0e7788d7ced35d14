# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The typed stub of the extension says what the extension says of itself."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anystream import _core
from built import package
from check_stubs import EXTENSION_ONLY, OF_ANOTHER_KIND, STUB, STUB_ONLY, members, stub_findings
from sources import ROOT
from type_checkers import environment

ALLOWED = ROOT / "tests/typing/stubtest.txt"
STUB_TEXT = (ROOT / STUB).read_text(encoding="utf-8")

Run = Callable[..., subprocess.CompletedProcess[str]]


def _python_with(*modules: str) -> str:
    """Find an interpreter of this one's version that has these, as that of the build tools does."""
    folders = (str(Path(sys.executable).parent), *os.get_exec_path())
    other = f"sys.version_info[:2] != {sys.version_info[:2]}"
    code = f"import sys, {', '.join(modules)}; sys.exit({other})"
    for folder in folders:
        python = Path(folder) / "python"
        command = [str(python), "-c", code]
        if (
            python.exists()
            and not subprocess.run(
                command, check=False, capture_output=True, env=environment()
            ).returncode
        ):
            return str(python)
    pytest.skip(f"no python on PATH has {' and '.join(modules)}: make test-python brings them")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program where anystream is found, and nothing else of what is installed here."""
    python = _python_with("nanobind.stubgen", "mypy.stubtest")
    place = tmp_path_factory.mktemp("package")
    (place / "anystream").symlink_to(package(), target_is_directory=True)

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=place,
            env=environment(PYTHONPATH=str(place)),
        )

    return ran


@pytest.fixture(scope="module")
def told(run: Run) -> str:
    done = run(str(ROOT / "tools/told_stub.py"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_stub_says_what_the_extension_says(told: str) -> None:
    assert [str(finding) for finding in stub_findings(STUB_TEXT, told)] == []


def test_the_extension_tells_its_signatures(told: str) -> None:
    untold = re.findall(r"def (\w+)\(\*args, \*\*kwargs\)", told)
    assert [name for name in untold if f"Stream.{name}" not in EXTENSION_ONLY] == []


def test_what_is_excused_is_there(told: str) -> None:
    stub, extension = (members(ast.parse(text).body) for text in (STUB_TEXT, told))
    assert EXTENSION_ONLY.keys() <= extension.keys() - stub.keys()
    assert STUB_ONLY.keys() <= stub.keys()
    assert OF_ANOTHER_KIND.keys() <= stub.keys() & extension.keys()


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("def dtype_name(code: int", "def dtype_names(code: int", "dtype_name is in the extension"),
        ("def registered_count() -> int", "def registered_count() -> str", "its type is str here"),
        ("bits: int, lanes: int) -> str", "lanes: int, bits: int) -> str", "the extension takes"),
        ('id: int, platform: str = ""', 'id: int, platform: str = "x"', "device_info"),
        ('id: int, platform: str = ""', 'id: int, *, platform: str = ""', "device_info"),
        ("def wait(self, event: Event, /)", "def wait(self, event: Event)", "Stream.wait"),
        (
            "    def ndim(self) -> int: ...",
            "    def rank(self) -> int: ...",
            "Array.rank is not in",
        ),
        ("class OrderingError(BufferError)", "class OrderingError(ValueError)", "its bases"),
        ("EXPLORER_FAULTS: dict[str, str]", "EXPLORER_FAULTS: list[str]", "EXPLORER_FAULTS"),
        ("    @property\n    def size", "    def size", "Array.size is a function here"),
        (
            "    @staticmethod\n    def from_handle",
            "    def from_handle",
            "Stream.from_handle is a",
        ),
        ("def _simulated_hold(handle: int)", "def _simulated_hold(handle: str)", "parameter 0"),
        (
            "def _array_host_view(array: Array, /, plan: Any)",
            "def _array_host_view(array: Array, /)",
            "_array_host_view",
        ),
    ],
)
def test_a_difference_is_found(told: str, before: str, after: str, says: str) -> None:
    assert STUB_TEXT.count(before) == 1, before
    found = [finding.text for finding in stub_findings(STUB_TEXT.replace(before, after), told)]
    assert [text for text in found if says in text], found


def test_stubtest_finds_no_other_difference(run: Run, tmp_path: Path) -> None:
    made = [name for name, value in vars(_core).items() if type(value).__name__ == "nb_func"]
    assert "device_name" in made
    functions = tmp_path / "functions.txt"
    functions.write_text("".join(f"anystream._core.{name}\n" for name in made))
    files = [f"--allowlist={path}" for path in (ALLOWED, functions)]
    done = run("-m", "mypy.stubtest", "anystream._core", "--mypy-config-file=/dev/null", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    without = run("-m", "mypy.stubtest", "anystream._core", files[1])
    assert "anystream._core.Array.__class_getitem__" in without.stdout


def test_every_excuse_for_stubtest_has_its_reason() -> None:
    blocks = ALLOWED.read_text(encoding="utf-8").split("\n\n")[1:]
    assert len(blocks) > 5
    for block in blocks:
        assert block.startswith("# "), block
