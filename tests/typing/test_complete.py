# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every public name of the package has a type that all checkers know, whatever is installed."""

import json
import sys
from typing import Any

import pytest

from type_checkers import PACKAGE, answer, environment, program

PUBLIC = {"anystream", "anystream.__main__", "anystream.testing", "anystream.typing"}


@pytest.fixture(scope="module", params=["nothing installed", "all installed"])
def found(request: pytest.FixtureRequest, bare: str) -> dict[str, Any]:
    python = bare if request.param == "nothing installed" else sys.executable
    command = [program("basedpyright"), "--verifytypes", "anystream", "--outputjson"]
    text = answer([*command, "--pythonpath", python], environment(PYTHONPATH=str(PACKAGE)))
    told: dict[str, Any] = json.loads(text)["typeCompleteness"]
    return told


def test_all_public_names_have_known_types(found: dict[str, Any]) -> None:
    unknown = [
        (symbol["name"], [row["message"] for row in symbol["diagnostics"]])
        for symbol in found["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
    ]
    assert unknown == []
    assert found["completenessScore"] == 1


def test_the_public_modules_are_looked_at(found: dict[str, Any]) -> None:
    assert found["packageRootDirectory"] == str(PACKAGE / "anystream")
    assert {module["name"] for module in found["modules"]} == PUBLIC
    assert found["exportedSymbolCounts"]["withKnownType"] > 100
