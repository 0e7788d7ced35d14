# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles what the benchmarks have in C++: programs without Python, and an extension module."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import anystream

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TESTS = ROOT / "tests/cpp"
BUILT = ROOT / "build/bench"
PACKAGE = Path(anystream.__file__).parent


def _compiler() -> str | None:
    return shutil.which("g++") or shutil.which("c++")


def _headers() -> list[Path]:
    """Return where anystream.h and dlpack.h are: beside an installed package, else in the tree."""
    if (PACKAGE / "include/anystream/c_api.h").is_file():
        return [PACKAGE / "include"]
    spec = importlib.util.find_spec("tvm_ffi")
    folders = spec.submodule_search_locations if spec else None
    found = [Path(folder, "include") for folder in folders or ()]
    return [ROOT / "include", *found] if found else []


def why_not() -> str:
    """Tell why no program can be compiled here; nothing if it can."""
    if not _headers():
        return "anystream is used in place, and no dlpack.h was found: it comes with apache-tvm-ffi"
    return "" if _compiler() else "no g++ on PATH"


def build(source: str, folder: str) -> Path:
    """Return the program of a source file, which uses anystream and no Python."""
    program = Path(folder, Path(source).stem)
    command = [_compiler() or "c++", "-std=c++20", "-O2", str(HERE / source)]
    for headers in _headers():
        command += ["-isystem", str(headers)]
    command += ["-I", str(TESTS), "-L", str(PACKAGE)]
    command += ["-lanystream", "-ldl", "-pthread", f"-Wl,-rpath,{PACKAGE}", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


@cache
def _nanobind() -> Path | None:
    """Return nanobind's folder: of this Python, else of the build tools."""
    command = [sys.executable, str(ROOT / "tools/builder.py"), "nanobind"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return Path(told) if told else None


def why_no_extension() -> str:
    """Tell why no extension can be compiled here; nothing if it can."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        return "Python's headers are not installed"
    if _nanobind() is None:
        return "nanobind is not installed"
    return "" if _compiler() else "no g++ on PATH"


def _compile_extension(source: Path, target: Path) -> None:
    """Compile as nanobind's own build does a release: its part for speed, ours likewise."""
    folder = _nanobind() or Path()
    includes = [
        sysconfig.get_path("include"),
        str(folder / "include"),
        str(folder / "ext/robin_map/include"),
    ]
    command = [_compiler() or "c++", "-std=c++17", "-O3", "-DNDEBUG", "-DNB_COMPACT_ASSERTIONS"]
    command += ["-fvisibility=hidden", "-fno-strict-aliasing", "-fno-stack-protector", "-fPIC"]
    command += ["-ffunction-sections", "-fdata-sections", "-Wl,-s", "-Wl,--gc-sections", "-shared"]
    for include in includes:
        command += ["-isystem", include]
    sources = [str(source), str(folder / "src/nb_combined.cpp")]
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*command, *sources, "-o", str(target)], check=True)


@cache
def extension(name: str) -> ModuleType:
    """Return the module of a source file, compiled if it is not there yet or is older."""
    source, target = HERE / f"{name}.cpp", BUILT / f"{name}{EXTENSION_SUFFIXES[0]}"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        _compile_extension(source, target)
    spec = importlib.util.spec_from_file_location(name, target)
    if spec is None or spec.loader is None:
        raise ImportError(f"{target} is no extension module of this Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sycl_environment() -> dict[str, str]:
    """Return the environment in which a C++ program finds the SYCL that is installed."""
    command = [sys.executable, str(TESTS / "sycl_environment.py")]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    variables = dict(line.split("=", 1) for line in told.splitlines())
    return dict(os.environ) | variables
