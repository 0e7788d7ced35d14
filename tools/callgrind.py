# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a call of each hot path, of this tree and of a commit, in one run.

usage: callgrind.py [--base COMMIT] [PATH...]

Both are built the same way, in a folder that is removed at the end, with the Python on PATH that
has nanobind (`make callgrind` puts the build tools first). What is not installed is left out, with
its reason. Instructions repeat within 2.5 % for one build on one machine; time does not.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import builder
from hot_paths import FEW, HOT_PATHS, MANY, HotPath
from sources import ROOT, sources

HERE = Path(__file__).resolve().parent
MARKS = HERE / "callgrind_marks.cpp"
Counts = dict[str, float]


class CannotCountError(Exception):
    """Why nothing can be counted, in words."""


def copy_tree(target: Path) -> None:
    """Copy what the working tree has, committed or not."""
    for path in sources():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target / path)


def check_out(commit: str, target: Path) -> None:
    """Unpack a commit."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", commit]
    archive = subprocess.run(command, check=False, capture_output=True)
    if archive.returncode != 0:
        raise CannotCountError(f"git has no {commit!r}: {archive.stderr.decode().strip()}")
    target.mkdir()
    subprocess.run(["tar", "-x", "-C", str(target)], input=archive.stdout, check=True)


def build(tree: Path, python: str) -> None:
    """Build the package of a tree inside it, as a release."""
    dlpack = builder.folder_of("tvm_ffi", python)
    configure = ["cmake", "-S", str(tree), "-B", str(tree / "build/callgrind"), "-GNinja"]
    configure += ["-DCMAKE_BUILD_TYPE=Release", "-DANYSTREAM_BUILD_PYTHON=ON"]
    configure += ["-DANYSTREAM_BUILD_TESTS=OFF", "-DANYSTREAM_INPLACE=ON"]
    configure += [f"-DPython_EXECUTABLE={python}", f"-DDLPACK_INCLUDE_DIR={dlpack}/include"]
    make = ["cmake", "--build", str(tree / "build/callgrind"), "--parallel"]
    for command in (configure, [*make, str(os.cpu_count())]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise CannotCountError(f"{tree.name} does not build:\n{done.stdout}{done.stderr}")


def compile_marks(folder: Path) -> Path:
    """Return the library that tells callgrind where to count."""
    library = folder / "marks.so"
    command = ["c++", "-O1", "-shared", "-fPIC", str(MARKS), "-o", str(library)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotCountError(f"{MARKS.name} does not compile; valgrind's headers?\n{done.stderr}")
    return library


def packages(path: HotPath) -> list[str]:
    """Return the packages that a path needs beside the one that is counted."""
    return [name.partition(".")[0] for name in path.modules if not name.startswith("anystream")]


def missing(path: HotPath) -> str:
    """Tell what a path needs that is not installed; nothing if it can run."""
    lacking = [name for name in packages(path) if importlib.util.find_spec(name) is None]
    return f"{', '.join(lacking)} is not installed" if lacking else ""


def groups(paths: Iterable[HotPath]) -> Iterator[list[HotPath]]:
    """Yield the paths that share a process: importing a library takes long under valgrind."""
    found: dict[str, list[HotPath]] = {}
    for path in paths:
        found.setdefault(next(iter(packages(path)), ""), []).append(path)
    return iter(found.values())


def read_counts(folder: Path) -> Counts:
    """Return the instructions of a call of each path that callgrind's files in a folder tell of."""
    totals: dict[tuple[str, int], int] = {}
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        named = re.search(r"(?m)^desc: Trigger: Client Request: (.+): (\d+)$", text)
        total = re.search(r"(?m)^(?:summary|totals): (\d+)", text)
        if named and total:
            totals[named[1], int(named[2])] = int(total[1])
    return {
        name: (totals[name, MANY] - totals[name, FEW]) / (MANY - FEW)
        for name, times in totals
        if times == MANY and (name, FEW) in totals
    }


def count(tree: Path, marks: Path, paths: Sequence[HotPath], reasons: dict[str, str]) -> Counts:
    """Count paths with the package of a tree; say why of those that could not be."""
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
    environment = dict(os.environ) | {"PYTHONPATH": str(tree / "python"), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        command += [
            f"--callgrind-out-file={folder}/out",
            sys.executable,
            str(HERE / "hot_paths.py"),
        ]
        command += [str(marks), *(path.name for path in paths)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        counts = read_counts(Path(folder))
    last = (done.stderr.splitlines() or [""])[-1]
    for path in paths:
        if path.name not in counts:
            reasons[path.name] = f"it does not run under valgrind in {tree.name}: {last}"
    return counts


def prepare(base: str, folder: Path) -> tuple[list[Path], Path]:
    """Return both trees, built, and the library of marks; raise if that cannot be done here."""
    for program in ("valgrind", "cmake", "ninja", "c++", "git"):
        if shutil.which(program) is None:
            raise CannotCountError(f"{program} is not on PATH")
    python = builder.interpreter()
    if python is None:
        raise CannotCountError("no Python on PATH has nanobind and tvm_ffi: make callgrind has one")
    marks = compile_marks(folder)
    trees = [folder / "base", folder / "tree"]
    check_out(base, trees[0])
    copy_tree(trees[1])
    for tree in trees:
        build(tree, python)
    return trees, marks


def print_row(name: str, base: float | None, own: float | None) -> None:
    """Print a path; a dash where a tree has no count of it."""
    cells = "".join(f"{'–':>12}" if cell is None else f"{cell:12.0f}" for cell in (base, own))
    print(f"{name:24}{cells}" + (f"{own / base:10.3f}" if own and base else ""), flush=True)


def main() -> int:
    """Print a row for each path, and why the others have none."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", default="HEAD", metavar="COMMIT", help="to compare with (HEAD)")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="name of a path; all if none is")
    options = parser.parse_args()
    known = {path.name: path for path in HOT_PATHS}
    if unknown := set(options.paths) - set(known):
        parser.error(f"no path {', '.join(unknown)}; the paths are {', '.join(known)}.")
    chosen = [known[name] for name in options.paths or known]
    reasons = {path.name: why for path in chosen if (why := missing(path))}
    with tempfile.TemporaryDirectory() as name:
        try:
            trees, marks = prepare(options.base, Path(name))
        except CannotCountError as error:
            print(f"not counted: {error}")
            return 0
        print(f"{'instructions a call':24}{options.base[:12]:>12}{'this tree':>12}{'ratio':>10}")
        for group in groups(path for path in chosen if path.name not in reasons):
            base, own = (count(tree, marks, group, reasons) for tree in trees)
            for path in group:
                print_row(path.name, base.get(path.name), own.get(path.name))
    for path_name, why in reasons.items():
        print(f"{path_name}: not counted: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
