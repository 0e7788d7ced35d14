# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""mypy and basedpyright, on a file, as a user runs them: strict, with what is installed here."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = str(Path(__file__).parents[2] / "python")


class Finding(NamedTuple):
    """An error of a checker."""

    line: int
    rule: str
    message: str


Checker = Callable[[Path], list[Finding]]


def run(name: str, *arguments: str, folder: Path) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(file: Path) -> list[Finding]:
    folder = file.parent
    (folder / "mypy.ini").write_text(f"[mypy]\nstrict = true\nmypy_path = {PACKAGE}\n")
    where = ("--python-executable", sys.executable)
    out = run("mypy", *where, "--output=json", file.name, folder=folder)
    found = [json.loads(line) for line in out.splitlines()]
    return [
        Finding(one["line"], one["code"], one["message"])
        for one in found
        if one["severity"] == "error"
    ]


def basedpyright(file: Path) -> list[Finding]:
    folder = file.parent
    settings = {
        "include": [file.name],
        "extraPaths": [PACKAGE],
        "reportMissingModuleSource": False,  # of stubs that a test has written
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    where = ("--pythonpath", sys.executable)
    out = json.loads(run("basedpyright", *where, "--outputjson", folder=folder))
    return [
        Finding(one["range"]["start"]["line"] + 1, one.get("rule", ""), one["message"])
        for one in out["generalDiagnostics"]
        if one["severity"] == "error"
    ]


# The rule by which each says that an argument has another type than the parameter.
ARGUMENT: dict[Checker, str] = {mypy: "arg-type", basedpyright: "reportArgumentType"}
