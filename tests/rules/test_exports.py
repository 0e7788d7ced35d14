# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The library shows the C table and nothing else; it links no vendor's library and no Python."""

import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from built import extension, library, package, program
from sources import ROOT

# What any C++ program links.
SYSTEM = re.compile(
    r"(?:libstdc\+\+|libc\+\+|libgcc_s|libm|libc|libpthread|libdl|librt|libatomic"
    r"|ld-linux[\w-]*)\.so"
)


def symbols(path: Path) -> set[str]:
    command = [program("nm"), "--dynamic", "--defined-only", "--format=posix", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.split()[0].partition("@")[0] for line in done.stdout.splitlines()}


def needed(path: Path) -> set[str]:
    command = [program("readelf"), "--dynamic", "--wide", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout))


def test_the_library_exports_the_table_only() -> None:
    assert symbols(library()) == {"anystream_get_api"}


def test_the_extension_exports_its_entry_only() -> None:
    assert symbols(extension()) == {"PyInit__core"}


def test_no_vendor_library_is_linked() -> None:
    for path, own in ((library(), set()), (extension(), {"libanystream.so"})):
        others = {name for name in needed(path) - own if not SYSTEM.match(name)}
        assert others == set(), f"{path.name} needs {others}"


def test_the_library_is_never_unloaded() -> None:
    command = [program("readelf"), "--dynamic", "--wide", str(library())]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "NODELETE" in flags


def test_the_wheel_is_whole() -> None:
    wheels = list((ROOT / "build/wheel").glob("anystream-*.whl"))
    if not wheels or package().is_relative_to(ROOT / "python"):
        pytest.skip("no wheel was built here: make wheel")
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = set(wheel.namelist())
    headers = {f"anystream/{path.relative_to(ROOT)}" for path in ROOT.glob("include/anystream/*")}
    modules = {str(path.relative_to(ROOT / "python")) for path in ROOT.glob("python/**/*.py*")}
    modules = {name for name in modules if "__pycache__" not in name}
    shipped = {"anystream/libanystream.so", "anystream/py.typed", f"anystream/{extension().name}"}
    shipped.add("anystream/include/dlpack/dlpack.h")
    assert (headers | modules | shipped) - names == set()
    assert [name for name in names if "_core" in name and name.endswith(".so")] == [
        f"anystream/{extension().name}"
    ]
