# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, and twice, with every warning an error."""

import subprocess
from pathlib import Path

import pytest

from built import C_COMPILERS, COMPILERS, dlpack_folder, program
from check_includes import ADAPTERS
from sources import ROOT, sources

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
HEADERS = [path for path in sources("c++", under="include") if path.name not in ADAPTERS]


def compile_text(compiler: str, language: str, standard: str, text: str) -> None:
    command = [compiler, f"-x{language}", f"-std={standard}", *WARNINGS, "-fsyntax-only"]
    command += ["-I", str(ROOT / "include"), "-isystem", str(dlpack_folder()), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def including(header: Path) -> str:
    line = f"#include <{header.relative_to('include')}>\n"
    return line + line


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_header_compiles_alone_and_twice(header: Path, compiler: str) -> None:
    path = program(*COMPILERS[compiler])
    compile_text(path, "c++", "c++20", including(header))


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_the_c_header_is_c(compiler: str) -> None:
    path = program(*C_COMPILERS[compiler])
    use = "int probe(void) { return anystream_get_api(ANYSTREAM_ABI_MAJOR, 0) == 0; }\n"
    compile_text(path, "c", "c11", including(Path("include/anystream/c_api.h")) + use)


def test_a_warning_fails() -> None:
    with pytest.raises(AssertionError, match="unused"):
        compile_text(
            program(*COMPILERS["g++"]),
            "c++",
            "c++20",
            "inline int f() { int unused = 1; return 2; }\n",
        )


def test_every_header_is_in_the_umbrella() -> None:
    umbrella = (ROOT / "include/anystream/anystream.hpp").read_text(encoding="utf-8")
    own = {path.name for path in HEADERS if "detail" not in path.parts} - {"anystream.hpp"}
    missing = {name for name in own if f"<anystream/{name}>" not in umbrella}
    assert missing == {"c_api.h", "testing.hpp"}  # the C border; what only tests want
