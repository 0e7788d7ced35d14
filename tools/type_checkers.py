# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Runs mypy and basedpyright over folders of files, and gives what they say in one form.

Both see the tree's anystream, and of other packages what a given interpreter would find.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sources import ROOT

CHECKERS = ("mypy", "basedpyright")
PACKAGE = ROOT / "python"
OLDEST = "3.11"  # of the Pythons that anystream runs on


class Said(NamedTuple):
    """An error that a checker found, with what it adds in explanation."""

    path: Path
    line: int
    rule: str
    message: str  # one line
    more: str = ""


class CheckerMissing(Exception):
    """A checker is not installed."""


def program(name: str) -> str:
    """Find a checker: beside this interpreter, else on PATH."""
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    found = shutil.which(name, path=beside)
    if found is None:
        raise CheckerMissing(f"{name} is not on PATH: make test-python brings it")
    return found


def environment(**more: str) -> dict[str, str]:
    """Give this process's environment without what leads a checker to other packages."""
    away = ("MYPYPATH", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in away} | more


def answer(command: Sequence[str], variables: Mapping[str, str]) -> str:
    """Run a checker, which ends with 1 where it found errors; give what it printed."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=dict(variables)
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def mypy(
    folders: Iterable[Path],
    python: str,
    cache: Path,
    release: str = OLDEST,
    *,
    beside: Sequence[Path] = (),
) -> list[Said]:
    """Run ``mypy --strict`` over folders, by none of the tree's own settings.

    ``beside``: folders of further modules. With these, functions may have no body, as stubs have.
    """
    command = [
        program("mypy"),
        *("--config-file=", "--strict", "--output=json", f"--python-version={release}"),
        *(("--disable-error-code=empty-body",) if beside else ()),
        *("--explicit-package-bases", f"--python-executable={python}", f"--cache-dir={cache}"),
        *map(str, folders),
    ]
    found = environment(MYPYPATH=os.pathsep.join(map(str, (PACKAGE, *beside))))
    rows = [json.loads(row) for row in answer(command, found).split("\n") if row]
    return [
        Said(ROOT / row["file"], row["line"], row["code"] or "", row["message"], row["hint"] or "")
        for row in rows
        if row["severity"] == "error"
    ]


def basedpyright(
    folders: Iterable[Path],
    python: str,
    release: str = OLDEST,
    *,
    beside: Sequence[Path] = (),
) -> list[Said]:
    """Run basedpyright over folders, as strictly as pyright's ``strict``.

    ``beside``: folders of further modules. With these, in its ``standard`` mode, and functions may
    have no body.
    """
    settings: dict[str, Any] = {
        "include": [str(folder) for folder in folders],
        "extraPaths": [str(PACKAGE), *map(str, beside)],
        "pythonVersion": release,
        "typeCheckingMode": "standard" if beside else "strict",
    }
    if beside:
        settings["reportReturnType"] = "none"
    with TemporaryDirectory() as place:
        config = Path(place) / "pyrightconfig.json"
        config.write_text(json.dumps(settings), encoding="utf-8")
        command = [program("basedpyright"), "-p", str(config), "--pythonpath", python]
        told = json.loads(answer([*command, "--outputjson"], environment()))
    return [
        _of_basedpyright(row) for row in told["generalDiagnostics"] if row["severity"] == "error"
    ]


def _of_basedpyright(row: Mapping[str, Any]) -> Said:
    message, _, more = row["message"].replace("\u00a0", " ").partition("\n")
    line = row["range"]["start"]["line"] + 1
    return Said(Path(row["file"]), line, row.get("rule", ""), message, more)


def says(
    folders: Sequence[Path], python: str, cache: Path, release: str = OLDEST
) -> dict[str, list[Said]]:
    """Run both checkers over folders, as of a release of Python."""
    return {
        "mypy": mypy(folders, python, cache, release),
        "basedpyright": basedpyright(folders, python, release),
    }
