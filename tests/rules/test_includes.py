# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Dependencies point one way: no vendor, system or Python header in include/, and one loader."""

import re
from pathlib import Path

import pytest

import check_includes
from check_includes import include_findings
from sources import ROOT, sources


def found(name: str, text: str) -> list[str]:
    return [finding.text for finding in include_findings(Path(name), text)]


def test_the_tree_is_clean() -> None:
    assert [str(finding) for finding in check_includes.findings()] == []


@pytest.mark.parametrize("folder", ["include", "src", "src/driver", "bindings"])
def test_the_check_reads_the_tree(folder: str) -> None:
    assert sources("c++", under=folder)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("include/anystream/array.hpp", "#include <vector>"),
        ("include/anystream/array.hpp", "#include <anystream/c_api.h>"),
        ("include/anystream/c_api.h", "#include <stdint.h>"),
        ("include/anystream/c_api.h", "#include <dlpack/dlpack.h>"),
        ("include/anystream/nanobind.hpp", "#include <nanobind/nanobind.h>"),
        ("include/anystream/cuda.hpp", "#include <cuda_runtime_api.h>"),
        ("include/anystream/array.hpp", "// #include <cuda.h> would be wrong"),
        ("src/driver/library.cpp", "#include <dlfcn.h>"),
        ("src/backends/sycl.cpp", "#include <driver/sycl.hpp>"),
        ("bindings/array.cpp", "#include <Python.h>"),
        ("bindings/array.cpp", "#include <anystream/c_api.h>"),
    ],
)
def test_the_right_way_passes(name: str, line: str) -> None:
    assert found(name, line + "\n") == []


@pytest.mark.parametrize(
    ("name", "line", "why"),
    [
        ("include/anystream/array.hpp", "#include <cuda.h>", "a public header takes"),
        ("include/anystream/array.hpp", "#  include <unistd.h>", "a public header takes"),
        (
            "include/anystream/array.hpp",
            '#include "../../src/backend.hpp"',
            "a public header takes",
        ),
        ("include/anystream/array.hpp", "#include <Python.h>", "Python belongs to bindings/"),
        ("src/array.cpp", "#include <nanobind/nanobind.h>", "Python belongs to bindings/"),
        ("tests/cpp/array_test.cpp", "#include <Python.h>", "Python belongs to bindings/"),
        ("src/registry.cpp", "#include <dlfcn.h>", "libraries are opened in"),
        ("bindings/array.cpp", '#include "../src/backend.hpp"', "bindings use the table"),
        ("bindings/array.cpp", "#include <driver/library.hpp>", "bindings use the table"),
        ("src/driver/sycl.cpp", "#include <backends/backends.hpp>", "drivers know no backend"),
        ("src/registry.cpp", "void* handle = dlopen(name, 0);", "opens a library"),
        ("bindings/module.cpp", "LoadLibraryW(name);", "opens a library"),
    ],
)
def test_the_wrong_way_is_found(name: str, line: str, why: str) -> None:
    assert [text for text in found(name, f"// a file\n{line}\n") if why in text]


def test_python_opens_no_library() -> None:
    opening = re.compile(r"\b(?:CDLL|PyDLL|OleDLL|WinDLL|LoadLibrary|cdll|dlopen|cffi)\b")
    for path in sources("python", under="python"):
        match = opening.search((ROOT / path).read_text(encoding="utf-8"))
        assert match is None, f"{path}: {match}"
