# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Both type checkers take the lines that must pass and refuse those that must fail, as written."""

import sys
from pathlib import Path

import pytest

from expected_errors import ACCEPTED, REFUSED, Expected, expected, rewrite, spoken
from type_checkers import CHECKERS, Said, says

Told = dict[str, list[Said]]


@pytest.fixture(scope="module", params=["nothing installed", "all installed"])
def told(request: pytest.FixtureRequest, bare: str, cache: Path) -> Told:
    alone = request.param == "nothing installed"
    place = cache / ("alone" if alone else "installed")
    return says([ACCEPTED, REFUSED], bare if alone else sys.executable, place)


def test_what_must_pass_passes(told: Told) -> None:
    files = list(ACCEPTED.glob("*.py"))
    assert sum(path.read_text().count("assert_type(") for path in files) > 20
    assert [error for error in spoken(told) if error.path.parent != REFUSED] == []


@pytest.mark.parametrize("checker", CHECKERS)
def test_what_must_fail_fails_with_the_error_that_is_written(told: Told, checker: str) -> None:
    said = [error for error in spoken({checker: told[checker]}) if error.path.parent == REFUSED]
    wanted = [error for error in expected(REFUSED) if error.checker == checker]
    assert len(wanted) > 50
    assert said == wanted


def test_both_refuse_the_same_lines() -> None:
    lines = [
        {(error.path, error.line) for error in expected(REFUSED) if error.checker == checker}
        for checker in CHECKERS
    ]
    assert lines[0] == lines[1]


def test_what_is_expected_is_read_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "lines.py"
    file.write_text("def f() -> None:\n    f(1)\n    # a comment\n    f()\n")
    long = "word " * 40 + '"end"'
    errors = [
        Expected("mypy", file, 1, "misc", "short"),
        Expected("basedpyright", file, 2, "reportCallIssue", long),
        Expected("mypy", file, 2, "arg-type", long),
        Expected("mypy", file, 2, "arg-type", "again"),
    ]
    rewrite(file, errors)
    once = file.read_text()
    found = expected(tmp_path)
    assert max(map(len, once.splitlines())) <= 100
    numbered = once.splitlines()
    about = {"def f() -> None:": 1, "    f(1)": 2}
    as_given = [error._replace(line=about[numbered[error.line - 1]]) for error in found]
    assert sorted(as_given) == sorted(errors)
    rewrite(file, found)
    assert file.read_text() == once
