# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the Python that can build the extension, and where it has a package.

usage: builder.py PACKAGE

The Makefile has the build tools in an environment of their own, apart from what is tested; its
programs come second on PATH in tests, first elsewhere.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WHERE = (
    "import sys; from importlib.util import find_spec; found = find_spec(sys.argv[1]);"
    "print(*(found.submodule_search_locations if found else ()))"
)


def _interpreters() -> Iterator[str]:
    yield sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if (python := Path(folder, "python")).is_file():
            yield str(python)


def folder_of(package: str, python: str) -> Path | None:
    """Return the folder of a package of a Python, without importing it."""
    command = [python, "-c", WHERE, package]
    told = subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
    return Path(told) if told else None


def interpreter() -> str | None:
    """Return the first that has what a build needs."""
    for python in _interpreters():
        if folder_of("nanobind", python) and folder_of("tvm_ffi", python):
            return python
    return None


if __name__ == "__main__":
    found = interpreter()
    print((found and folder_of(sys.argv[1], found)) or "")
