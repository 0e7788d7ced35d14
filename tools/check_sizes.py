# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks how long files and functions are.

usage: check_sizes.py [--list]

--list prints every function with its lines of code, the longest first.
"""

import statistics
import sys
from pathlib import Path

from functions import Function, cpp_functions, python_functions
from sources import ROOT, Finding, report, sources

FILE_LINES = 500
TEST_FILE_LINES = 400
FUNCTION_LINES = 50
MEDIAN = 6
P90 = 15

# Data with a row a fact: as long as the facts are many.
TABLES = {
    Path("include/anystream/c_api.h"),
    Path("python/anystream/_core.pyi"),
    Path("python/anystream/_peers.py"),
}


def file_findings(path: Path, text: str) -> list[Finding]:
    """Return a finding if the file is too long."""
    most = TEST_FILE_LINES if path.parts[0] == "tests" else FILE_LINES
    lines = text.count("\n")
    if path in TABLES or lines <= most:
        return []
    return [Finding(path, lines, f"{lines} lines; {most} at most: split it by its concepts")]


def functions(path: Path, text: str) -> list[Function]:
    """Return the functions of a file, whatever its language."""
    found = python_functions(text) if path.suffix in (".py", ".pyi") else cpp_functions(text)
    return list(found)


def function_findings(path: Path, text: str) -> list[Finding]:
    """Return a finding for each function that is too long."""
    return [
        Finding(path, f.line, f"{f.name}: {f.lines} lines of code; {FUNCTION_LINES} at most")
        for f in functions(path, text)
        if f.lines > FUNCTION_LINES
    ]


def tree(root: Path = ROOT) -> dict[Path, str]:
    """Return the C++ and Python files of the tree with their text."""
    paths = sources("c++", root) + sources("python", root)
    return {path: (root / path).read_text(encoding="utf-8") for path in paths}


def spread(files: dict[Path, str]) -> tuple[float, float]:
    """Return the median and the 90th percentile of the lengths of all functions but tests'."""
    lengths = [
        function.lines
        for path, text in files.items()
        if path.parts[0] != "tests" and path not in TABLES
        for function in functions(path, text)
    ]
    if len(lengths) < 2:
        return (0.0, 0.0)
    return statistics.median(lengths), statistics.quantiles(lengths, n=10)[-1]


def findings(root: Path = ROOT) -> list[Finding]:
    """Return what is too long in the tree."""
    files = tree(root)
    found = [f for path, text in files.items() for f in file_findings(path, text)]
    found += [f for path, text in files.items() for f in function_findings(path, text)]
    median, p90 = spread(files)
    if median > MEDIAN or p90 > P90:
        limits = f"{MEDIAN} and {P90} at most"
        found.append(Finding(Path(), 0, f"functions: median {median}, 90 % {p90}; {limits}"))
    return found


def main() -> int:
    """List the functions, or check the tree."""
    if sys.argv[1:] != ["--list"]:
        return report(findings())
    rows = [(f.lines, path, f) for path, text in tree().items() for f in functions(path, text)]
    for lines, path, function in sorted(rows, key=lambda row: row[0], reverse=True):
        print(f"{lines:4} {path}:{function.line} {function.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
