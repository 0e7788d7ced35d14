# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what every file of the tree must hold to: header, columns, no place of one machine.

usage: check_text.py
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sources import ROOT, Finding, report, sources

COLUMNS = 100
BROAD = {".md", ".def"}  # tables, a row a line
CODE = {".h", ".hpp", ".cpp", ".def", ".py", ".pyi", ".cmake", ".in", ".map"}
CODE_NAMES = {"CMakeLists.txt", "Makefile", "pyproject.toml"}
# Names that say nothing of what is inside.
EMPTY_NAMES = re.compile(r"(?:^|_)(?:utils?|helpers?|common|misc)(?:_|$)")

COPYRIGHT = "SPDX-FileCopyrightText: 2026 The anystream authors"
LICENCE = "SPDX-License-Identifier: Apache-2.0"

# Written so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}~-])/(?:root|home|work|Users|tmp)(?:/|\b)")
REGISTRY = re.compile(
    r"\b(?:[\w-]+\.)?(?:pypi\.org|pythonhosted\.org|debian\.org|anaconda\.org|npmjs\.org)\b"
)


def _header(path: Path, lines: list[str]) -> Iterator[Finding]:
    top = [line.strip('/#*;<!->" \t') for line in lines[:8]]
    if COPYRIGHT not in top or LICENCE not in top:
        yield Finding(path, 1, f"must begin with two lines: {COPYRIGHT!r} and {LICENCE!r}")
        return
    after = top[top.index(LICENCE) + 1 :]
    if not any(len(line.split()) > 2 for line in after):
        yield Finding(path, 1, "the licence lines are followed by a sentence on what the file is")


def _line(path: Path, number: int, line: str) -> Iterator[Finding]:
    if len(line) > COLUMNS and path.suffix not in BROAD:
        yield Finding(path, number, f"{len(line)} columns; {COLUMNS} at most")
    if line != line.rstrip():
        yield Finding(path, number, "blanks at the end of the line")
    if "\t" in line and path.name != "Makefile":
        yield Finding(path, number, "a tab; indent with blanks")
    if MACHINE_PATH.search(line):
        yield Finding(path, number, "a path of one machine; find it at run time")
    if REGISTRY.search(line):
        yield Finding(path, number, "a host of a package registry; give the client names only")


def text_findings(path: Path, text: str) -> Iterator[Finding]:
    """Yield what is wrong in a file of that name with that text."""
    lines = text.splitlines()
    if EMPTY_NAMES.search(path.stem):
        yield Finding(path, 1, "a name that says nothing; name the file by its domain")
    if path.suffix in CODE or path.name in CODE_NAMES:
        yield from _header(path, lines)
    if path.name == "LICENSE":
        return
    for number, line in enumerate(lines, 1):
        yield from _line(path, number, line)
    if text and not text.endswith("\n"):
        yield Finding(path, len(lines), "no end of line at the end of the file")


def findings(root: Path = ROOT) -> list[Finding]:
    """Return what is wrong in the tree."""
    found: list[Finding] = []
    for path in sources("all", root):
        text = (root / path).read_text(encoding="utf-8")
        found += text_findings(path, text)
    return found


if __name__ == "__main__":
    sys.exit(report(findings()))
