# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks which way C++ depends: bindings -> include <- src, one loader, Python in bindings only.

usage: check_includes.py
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from sources import ROOT, Finding, report, sources

INCLUDE = re.compile(r'^\s*#\s*(?:include|import)\s*[<"]([^>"]+)[>"]', re.MULTILINE)

# The opt-in adapters: each is there for the library or vendor that it is named after.
ADAPTERS = {"nanobind.hpp", "pybind11.hpp", "mdspan.hpp", "cuda.hpp", "sycl.hpp"}
PYTHON = re.compile(r"Python\.h|structmember\.h|nanobind/.*|pybind11/.*|numpy/.*")
C_HEADERS = re.compile(r"std(?:int|def|bool|arg)\.h")  # what c_api.h may take from C
LOADER = Path("src/driver/library.cpp")
PRODUCT = ("include", "src", "bindings")  # a test or an example may open what it likes
LOADING = re.compile(r"\b(?:dlopen|dlmopen|LoadLibrary(?:Ex)?[AW]?)\s*\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def without_comments(text: str) -> str:
    """Return C++ text with its comments blanked, line for line."""
    return COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)


def _is_public(name: str) -> bool:
    standard = re.fullmatch(r"[a-z_0-9]+", name) or C_HEADERS.fullmatch(name)
    return bool(standard) or name.startswith("anystream/") or name == "dlpack/dlpack.h"


def _inside(folder: str) -> Callable[[Path], bool]:
    return lambda path: path.is_relative_to(folder) and path.name not in ADAPTERS


# where a rule holds, what may not be included there, why
RULES: tuple[tuple[Callable[[Path], bool], Callable[[str], object], str], ...] = (
    (
        lambda path: path.parts[0] != "bindings" and path.name not in ADAPTERS,
        PYTHON.fullmatch,
        "Python belongs to bindings/",
    ),
    (
        lambda path: path != LOADER and path.parts[0] in PRODUCT,
        re.compile(r"dlfcn\.h|windows\.h").fullmatch,
        f"libraries are opened in {LOADER} only",
    ),
    (
        _inside("include"),
        lambda name: not _is_public(name),
        "a public header takes the standard library, dlpack.h and anystream/ only",
    ),
    (
        _inside("bindings"),
        re.compile(r"\.\./.*|(?:src|driver|backends)/.*|(?:backend|registry)\.hpp").fullmatch,
        "bindings use the table of include/ like anyone else",
    ),
    (_inside("src"), re.compile(r"(?:.*/)?bindings/.*").fullmatch, "the core knows no Python"),
    (
        _inside("src/driver"),
        re.compile(r"(?:\.\./)?backends?(?:/.*|\.hpp)").fullmatch,
        "drivers know no backend",
    ),
)


def _wrong(path: Path, name: str) -> Iterator[str]:
    return (why for holds, forbidden, why in RULES if holds(path) and forbidden(name))


def include_findings(path: Path, text: str) -> Iterator[Finding]:
    """Yield the includes and calls in a C++ file that go the wrong way."""
    code = without_comments(text)
    for match in INCLUDE.finditer(code):
        line = code.count("\n", 0, match.start(1)) + 1
        for why in _wrong(path, match.group(1)):
            yield Finding(path, line, f"includes {match.group(1)}: {why}")
    if path != LOADER and path.parts[0] in PRODUCT:
        for match in LOADING.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield Finding(path, line, f"opens a library; only {LOADER} does")


def findings(root: Path = ROOT) -> list[Finding]:
    """Return what is wrong in the tree."""
    found: list[Finding] = []
    for folder in ("include", "src", "bindings", "tests/cpp", "examples/cpp"):
        for path in sources("c++", root, folder):
            found += include_findings(path, (root / path).read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(report(findings()))
