# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every file says what it is, keeps to its columns, and names no place of one machine."""

from pathlib import Path

import pytest

import check_text
from check_text import COPYRIGHT, LICENCE, text_findings
from sources import sources

HEADER = f"# {COPYRIGHT}\n# {LICENCE}\n"
GOOD = HEADER + '"""What this file is, in one sentence."""\n'


def found(name: str, text: str) -> list[str]:
    return [finding.text for finding in text_findings(Path(name), text)]


def test_the_tree_is_clean() -> None:
    assert [str(finding) for finding in check_text.findings()] == []


def test_the_check_reads_the_tree() -> None:
    names = {str(path) for path in sources("all")}
    assert {"Makefile", "pyproject.toml", "include/anystream/c_api.h", ".ci/run"} <= names


def test_a_good_file_passes() -> None:
    assert found("python/anystream/_plan.py", GOOD) == []
    assert found("src/order.cpp", GOOD.replace("#", "//")) == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.py", '"""A file without a header, though with a sentence."""\n', "must begin with"),
        ("a.hpp", "// " + COPYRIGHT + "\n// A sentence on what it is.\n", "must begin with"),
        ("a.py", HEADER, "a sentence on what the file is"),
        ("a.py", GOOD + "x" * 101 + "\n", "101 columns; 100 at most"),
        ("a.py", GOOD + "x \n", "blanks at the end"),
        ("a.py", GOOD + "\tx\n", "a tab"),
        ("a.py", GOOD + "x", "no end of line"),
        ("a.py", GOOD + 'x = "/ro' + 'ot/x"\n', "a path of one machine"),
        ("a.md", "see /ho" + "me/me/x\n", "a path of one machine"),
        ("Makefile", GOOD + "\tpip install -i https://py" + "pi.org/simple x\n", "a host of"),
        ("src/string_utils.cpp", GOOD, "a name that says nothing"),
        ("helpers.py", GOOD, "a name that says nothing"),
    ],
)
def test_a_fault_is_found(name: str, text: str, says: str) -> None:
    assert [finding for finding in found(name, text) if says in finding]


def test_tables_may_be_broad() -> None:
    assert found("docs/devices.md", "| " + "x" * 120 + " |\n") == []
