# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Our lists of driver functions are the vendors' headers', where one is installed."""

import os
import re
import shutil
from pathlib import Path

import pytest

from sources import ROOT

ROW = re.compile(r'X\((?:required|optional), int, \w+, "(\w+)",[\s\\]*\(([^;]*?)\)\)\s*\\?\n')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)

HEADERS = {"cuda": "cuda.h", "hip": "hip/hip_runtime_api.h"}
VARIABLES = {"cuda": ("CUDA_PATH", "CUDA_HOME"), "hip": ("ROCM_PATH", "HIP_PATH")}
PROGRAMS = {"cuda": "nvcc", "hip": "hipcc"}
PREFIXES = {"cuda": "/usr/local", "hip": "/opt"}
FOLDERS = {"cuda": "cuda*", "hip": "rocm*"}


def ours(driver: str) -> dict[str, list[str]]:
    """Give the symbols of a list, with the types of their arguments."""
    text = (ROOT / f"src/driver/{driver}.hpp").read_text(encoding="utf-8")
    return {symbol: parameters(arguments) for symbol, arguments in ROW.findall(text)}


def parameters(text: str) -> list[str]:
    """Split at the commas that are not within parentheses."""
    words = re.split(r",(?![^(]*\))", text)
    return [word.strip() for word in words if word.strip() not in ("", "void")]


def places(driver: str) -> list[Path]:
    """List the folders in which a vendor's toolkit may be."""
    named = [Path(os.environ[name]) for name in VARIABLES[driver] if os.environ.get(name)]
    program = shutil.which(PROGRAMS[driver])
    beside = [Path(program).resolve().parent.parent] if program else []
    return named + beside + sorted(Path(PREFIXES[driver]).glob(FOLDERS[driver]))


def header(driver: str) -> str:
    """Read the vendor's header without its comments; skip where there is none."""
    for place in places(driver):
        file = place / "include" / HEADERS[driver]
        if file.is_file():
            return COMMENT.sub(" ", file.read_text(encoding="utf-8", errors="replace"))
    variables = " or ".join(VARIABLES[driver])
    pytest.skip(f"no {HEADERS[driver]} is installed: {variables} and {PROGRAMS[driver]} name none")


def exported(text: str, name: str) -> str:
    """Follow the macros by which a header renames a function."""
    renames = rf"^\s*#define\s+{name}\s+(?:__CUDA_API_\w+\()?(\w+)\)?\s*$"
    found = re.search(renames, text, re.MULTILINE)
    return found.group(1) if found else name


def declarations(text: str, names: set[str]) -> dict[str, list[str]]:
    """Give the arguments of each exported function that the header declares."""
    found: dict[str, list[str]] = {}
    code = DIRECTIVE.sub(";", text)
    for name, arguments in re.findall(r"\b(\w+)\s*\(([^;{}]*)\)\s*;", code):
        for symbol in {name, exported(text, name)} & names:
            found.setdefault(symbol, parameters(arguments))
    return found


def test_every_row_is_read() -> None:
    assert len(ours("cuda")) == 36
    assert len(ours("hip")) == 30
    assert ours("cuda")["cuStreamWaitEvent"] == ["cuda_stream_t", "cuda_event_t", "unsigned"]
    assert ours("cuda")["cuCtxSynchronize"] == []


def test_a_renamed_function_is_found() -> None:
    text = (
        "#define cuFree cuFree_v2\n#define cuGet __CUDA_API_PTSZ(cuGet_v3)\n"
        "R cuFree(P a, int (*b)(int, int));\nR cuGet(P a);\nR cuGet_v2(P a, Q *b);\nR cuNone(void);"
    )
    found = declarations(text, {"cuFree_v2", "cuGet_v2", "cuNone", "cuOther"})
    assert {name: len(arguments) for name, arguments in found.items()} == {
        "cuFree_v2": 2,
        "cuGet_v2": 2,
        "cuNone": 0,
    }


@pytest.mark.parametrize("driver", ["cuda", "hip"])
def test_the_list_is_the_headers(driver: str) -> None:
    wanted = ours(driver)
    theirs = declarations(header(driver), set(wanted))
    assert sorted(set(wanted) - set(theirs)) == [], "not declared there"
    counts = {name: len(arguments) for name, arguments in wanted.items()}
    assert {name: len(arguments) for name, arguments in theirs.items()} == counts
