# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles the benchmarks written in C++ against the installed package, with no Python in them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anystream

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests/cpp"
PACKAGE = Path(anystream.__file__).parent


def why_not() -> str:
    """Tell why nothing can be compiled here; nothing if it can."""
    if not (PACKAGE / "include/anystream/c_api.h").is_file():
        return "anystream is used in place; the headers lie beside an installed one"
    return "" if shutil.which("g++") or shutil.which("c++") else "no g++ on PATH"


def build(source: str, folder: str) -> Path:
    """Return the program of a source file."""
    program = Path(folder, Path(source).stem)
    command = [shutil.which("g++") or "c++", "-std=c++20", "-O2", str(HERE / source)]
    command += ["-isystem", str(PACKAGE / "include"), "-I", str(TESTS), "-L", str(PACKAGE)]
    command += ["-lanystream", "-ldl", "-pthread", f"-Wl,-rpath,{PACKAGE}", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def sycl_environment() -> dict[str, str]:
    """Return the environment in which a C++ program finds the SYCL that is installed."""
    command = [sys.executable, str(TESTS / "sycl_environment.py")]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    variables = dict(line.split("=", 1) for line in told.splitlines())
    return dict(os.environ) | variables
