# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The support table of README.md: what the tests show, and no more."""

import pytest

import support
from built import package
from sources import ROOT
from support import SHOWN, Shown


def test_the_readme_has_it() -> None:
    package()
    assert support.written() == support.table(), f"README.md; it should be:\n{support.table()}"


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: f"{row.who}, {row.column}")
def test_what_shows_it_is_there(row: Shown) -> None:
    file, _, function = row.test.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    if function:
        assert f"def {function}(" in text
    if not row.who.startswith("anystream"):
        spellings = {row.who, row.who.replace(".", "_"), row.who.replace("_", "-")}
        rig = "".join(p.read_text() for p in (ROOT / "tests/python").glob("*rig.py"))
        assert any(word in text + rig for word in spellings), f"{file} does not speak of it"


def test_each_is_a_library_that_is_known_and_a_column() -> None:
    package()
    assert {row.who for row in SHOWN} <= set(support.names())
    assert {row.column for row in SHOWN} <= set(support.COLUMNS)


def test_every_device_type_has_a_column() -> None:
    package()
    import anystream

    known = {kind for types in support.COLUMNS.values() for kind in types}
    assert known == {row["value"] for row in anystream._core.DEVICE_TABLE}
