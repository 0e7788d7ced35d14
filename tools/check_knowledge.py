# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that libraries are known in the table of peers only, and devices in their table only.

usage: check_knowledge.py

Comments and docstrings may name anything: they are for people.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from functions import NOT_CODE, blanked
from sources import ROOT, Finding, report, sources

PACKAGE = Path("python/anystream")
# The table; what shows libraries to people (the doctor's samples, its race, help texts); and what
# finds the package that runs SYCL on the CPU.
ABOUT_LIBRARIES = (PACKAGE / "_peers.py", PACKAGE / "_cli", PACKAGE / "testing/_cpu_sycl.py")
LIBRARY = re.compile(
    r"(?<![\w.])(?:numpy|torch|jax|jaxlib|dpnp|dpctl|tvm_ffi|mlx|ml_dtypes|cupy|numba|numba_cuda"
    r"|warp|rmm|pylibraft|pycuda|paddle|pyopencl|tensorflow)(?!\w)"
)
TABLE = Path("include/anystream/device_types.def")
# One library's C interface, as a driver's is one file.
ABOUT_A_LIBRARYS_ABI = (Path("bindings/numpy_abi.cpp"), Path("bindings/import_usm.cpp"))
ABOUT_DEVICES = (TABLE, Path("src/backends"), Path("src/driver"))
# dlpack.h's spellings in the table; the host is everyone's.
DEVICE = re.compile(
    r"\b(?:" + "|".join(re.findall(r'"(kDL(?!CPU")\w+)"', (ROOT / TABLE).read_text())) + r")\b"
)


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    places = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, places) and node.body and isinstance(node.body[0], ast.Expr)
    }


def _words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    docstrings = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings:
                yield node.lineno, node.value
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""


def library_findings(path: Path, text: str) -> Iterator[Finding]:
    """Yield the places where Python of the package knows a library."""
    if any(path.is_relative_to(place) for place in ABOUT_LIBRARIES):
        return
    for line, words in _words(ast.parse(text)):
        if match := LIBRARY.search(words):
            yield Finding(path, line, f"knows {match.group()}; that belongs in _peers.py")


def device_findings(path: Path, text: str) -> Iterator[Finding]:
    """Yield the places where C++ of the core or of the bindings knows a device."""
    if any(path.is_relative_to(place) for place in ABOUT_DEVICES):
        return
    code = blanked(text)
    for match in DEVICE.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield Finding(path, line, f"knows {match.group()}; that belongs in device_types.def")
    for literal in NOT_CODE.finditer(text):
        word = LIBRARY.search(literal.group())
        statement = max(code.rfind(end, 0, literal.start()) for end in ";{}")
        is_docstring = "_doc" in code[statement + 1 : literal.start()]
        told = is_docstring or path in ABOUT_A_LIBRARYS_ABI
        if word and literal.group().startswith('"') and not told:
            line = text.count("\n", 0, literal.start()) + 1
            yield Finding(path, line, f"knows {word.group()}; that belongs in _peers.py")


def findings(root: Path = ROOT) -> list[Finding]:
    """Return what is known in the wrong place."""
    found: list[Finding] = []
    for path in sources("python", root, str(PACKAGE)):
        if path.suffix == ".py":
            found += library_findings(path, (root / path).read_text(encoding="utf-8"))
    for folder in ("include", "src", "bindings"):
        for path in sources("c++", root, folder):
            found += device_findings(path, (root / path).read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(report(findings()))
