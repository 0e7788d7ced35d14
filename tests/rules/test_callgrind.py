# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The count of instructions reads callgrind's files, and says why it cannot count."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import callgrind
from callgrind import CannotCountError
from hot_paths import FEW, HOT_PATHS, MANY, HotPath
from sources import ROOT, sources

TOOL = [sys.executable, str(ROOT / "tools/callgrind.py")]


def dump(folder: Path, number: int, name: str, times: int, total: int) -> None:
    text = f"desc: Trigger: Client Request: {name}: {times}\n\nevents: Ir\n\nsummary: {total}\n\n"
    (folder / f"out.{number}").write_text(text, encoding="utf-8")


def test_two_counts_of_a_loop_are_subtracted(tmp_path: Path) -> None:
    dump(tmp_path, 1, "export", FEW, 7000 + 250 * FEW)
    dump(tmp_path, 2, "export", MANY, 7000 + 250 * MANY)
    (tmp_path / "out").write_text("desc: Trigger: Program termination\n\nsummary: 9\n")
    assert callgrind.read_counts(tmp_path) == {"export": 250.0}


def test_half_a_count_is_none(tmp_path: Path) -> None:
    dump(tmp_path, 1, "export", MANY, 100)
    assert callgrind.read_counts(tmp_path) == {}


def test_there_are_ten_paths_each_with_a_name_of_its_own() -> None:
    assert len({path.name for path in HOT_PATHS}) == len(HOT_PATHS) == 10


def test_paths_of_one_library_share_a_process() -> None:
    groups = [{path.name for path in group} for group in callgrind.groups(HOT_PATHS)]
    assert {"import from torch", "numpy to torch", "torch to numpy"} in groups
    assert sum(map(len, groups)) == len(HOT_PATHS)


def test_what_is_not_installed_is_named() -> None:
    path = HotPath("import from nothing", ("no_such_library.inside",), lambda library: library)
    assert callgrind.missing(path) == "no_such_library is not installed"
    assert callgrind.missing(HotPath("order", ("anystream.testing",), lambda it: it)) == ""


def test_an_unknown_path_lists_the_known() -> None:
    done = subprocess.run([*TOOL, "imports"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the paths are import from numpy, export, " in done.stderr


def test_a_missing_program_is_named() -> None:
    nowhere = dict(os.environ) | {"PATH": "nowhere"}
    done = subprocess.run(TOOL, capture_output=True, text=True, check=False, env=nowhere)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "not counted: valgrind is not on PATH\n"


def test_the_working_tree_is_copied_whole(tmp_path: Path) -> None:
    callgrind.copy_tree(tmp_path)
    copied = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert copied == set(sources())


def test_an_unknown_commit_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotCountError, match="git has no 'no-such-commit': "):
        callgrind.check_out("no-such-commit", tmp_path / "base")
