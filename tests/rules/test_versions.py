# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""One version, written in one header: whatever else names it agrees, or reads it there."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from built import package
from sources import ROOT


def header_version() -> str:
    text = (ROOT / "include/anystream/version.hpp").read_text(encoding="utf-8")
    found = re.findall(r'"(\d+\.\d+\.\d+)"', text)
    assert len(found) == 1, "version.hpp names the version once"
    return str(found[0])


def test_pyproject_reads_the_header() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    setting = project["tool"]["scikit-build"]["metadata"]["version"]
    text = (ROOT / setting["input"]).read_text(encoding="utf-8")
    match = re.search(setting["regex"], text, re.MULTILINE)
    assert match is not None
    assert match["value"] == header_version()


def test_cmake_writes_no_version_of_its_own() -> None:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    project = re.search(r"\bproject\(anystream\s+VERSION\s+(\S+)", text)
    assert project is not None
    assert project.group(1).startswith("${")
    assert "include/anystream/version.hpp" in text


def test_the_changelog_begins_with_it() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## \[?v?(\d+\.\d+\.\d+)", text, re.MULTILINE)
    assert first is not None
    assert first.group(1) == header_version()


def test_the_installed_package_has_it() -> None:
    package()
    import anystream

    assert anystream.__version__ == header_version()
    assert anystream._core.__version__ == header_version()


def test_the_metadata_has_it() -> None:
    try:
        version = metadata.version("anystream")
    except metadata.PackageNotFoundError:
        pytest.skip("anystream is used in place, not installed: make test-python")
    assert version == header_version()


def test_the_cmake_package_has_it() -> None:
    places = [package() / "cmake", *Path(ROOT / "build").glob("*/")]
    found = [path for place in places for path in place.glob("anystreamConfigVersion.cmake")]
    if not found:
        pytest.skip("no CMake package was built here: make wheel")
    for path in found:
        text = path.read_text(encoding="utf-8")
        assert f'set(PACKAGE_VERSION "{header_version()}")' in text, path
