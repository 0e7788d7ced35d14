# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Where the things lie that rules are held against: the package, dlpack.h, compilers."""

import functools
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest


@functools.cache
def package() -> Path:
    """Return the folder of the anystream that Python imports, without importing it."""
    spec = find_spec("anystream")
    if spec is None or spec.origin is None:
        pytest.skip("anystream is not installed: make test-python")
    return Path(spec.origin).parent


def library() -> Path:
    """Return the library of that package."""
    return package() / "libanystream.so"


def extension() -> Path:
    """Return its extension module."""
    found = list(package().glob("_core*.so"))
    assert len(found) == 1, f"one extension is expected in {package()}: {found}"
    return found[0]


@functools.cache
def dlpack_folder() -> Path:
    """Return the folder that holds dlpack/dlpack.h: as named, as shipped, or of tvm_ffi."""
    named = os.environ.get("DLPACK_INCLUDE_DIR")
    places = [Path(named)] if named else [package() / "include"]
    spec = find_spec("tvm_ffi")
    if spec is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "include")
    for place in places:
        if (place / "dlpack/dlpack.h").is_file():
            return place
    pytest.skip(f"dlpack.h is in none of {', '.join(map(str, places))}; set DLPACK_INCLUDE_DIR")


def program(*names: str) -> str:
    """Return the first of these programs that is on PATH."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(names)} is on PATH")
    return found


COMPILERS = {"g++": ("g++", "c++"), "clang++": ("clang++-19", "clang++-20", "clang++")}
C_COMPILERS = {"gcc": ("gcc", "cc"), "clang": ("clang-19", "clang-20", "clang")}
