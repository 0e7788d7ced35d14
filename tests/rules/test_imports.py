# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Importing anystream loads the standard library and itself: no peer, no vendor's library."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from built import package

# What a new process knows, and is asked after the import. Files: what is mapped into the process.
PROBE = """
import json, pathlib, sys
maps = pathlib.Path("/proc/self/maps")
def files():
    rows = maps.read_text().split("\\n") if maps.exists() else []
    return {row.split(None, 5)[5] for row in rows if len(row.split(None, 5)) == 6}
modules, mapped = set(sys.modules), files()
IMPORT
new = set(sys.modules) - modules
libraries = sorted(name for name in files() - mapped if ".so" in name)
print(json.dumps({"modules": sorted(new), "libraries": libraries}))
"""

# What any C++ program loads.
CPP_RUNTIME = re.compile(r"/lib(?:stdc\+\+|gcc_s|m|c|pthread|dl|rt|atomic)[.-]")


def after(statement: str) -> dict[str, Any]:
    code = PROBE.replace("IMPORT", statement)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def foreign_modules(seen: dict[str, Any]) -> set[str]:
    tops = {name.partition(".")[0] for name in seen["modules"] if not is_standard(name)}
    return tops - {"anystream"}


def foreign_libraries(seen: dict[str, Any]) -> set[str]:
    """Give what neither we nor the same modules of the standard library load by themselves."""
    standard = ", ".join(filter(is_standard, seen["modules"]))
    theirs = set(after(f"import {standard}" if standard else "")["libraries"])
    own = str(package())
    others = {name for name in seen["libraries"] if not name.startswith(own)}
    return {name for name in others - theirs if not CPP_RUNTIME.search(name)}


@pytest.mark.parametrize(
    "statement",
    [
        "import anystream",
        "import anystream.testing",
        "import anystream; [getattr(anystream, name) for name in anystream.__all__]",
    ],
)
def test_import_loads_no_peer_and_opens_no_library(statement: str) -> None:
    seen = after(statement)
    assert "anystream._core" in seen["modules"]
    assert foreign_modules(seen) == set()
    assert foreign_libraries(seen) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_probe_sees_the_library() -> None:
    assert any(name.endswith("libanystream.so") for name in after("import anystream")["libraries"])


def test_the_probe_sees_a_peer() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed: make test-python")
    seen = after("import numpy")
    assert "numpy" in foreign_modules(seen)
    assert foreign_libraries(seen)
