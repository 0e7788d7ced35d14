# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The overloads that infer a platform from a literal: each names the marker of its device type."""

import re
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import typing as markers
from anystream._core import DEVICE_TABLE

PACKAGE = Path(anystream.__file__).parent
# Those that anystream has a backend for. What is registered for another type takes streams of
# classes that no marker knows, so that its arrays stay Array[Any]; and kDLExtDev is shared.
OWN = {row["value"] for row in DEVICE_TABLE if row["backend"]}


def read(file: str) -> str:
    text = (PACKAGE / file).read_text(encoding="utf-8")
    return text.replace("_OnOneAPI", "SupportsDLPackDevice[Literal[14]]").replace('"', "")


def inferred() -> dict[str, dict[int, str]]:
    """Map device types to markers, for each that infers one."""
    arrays = re.findall(
        r"def from_dlpack\(\s*x: SupportsDLPackDevice\[Literal\[(\d+)\]\],[^@]*?-> Array\[(\w+)\]",
        read("_core.pyi"),
    )
    borrowed = re.findall(
        r"self: borrow\[(\w+)\],\s*x: SupportsDLPackDevice\[Literal\[(\d+)\]\]", read("_borrow.py")
    )
    streams = re.findall(r"self: Stream\[(\w+)\],\s*stream: ([^/]*)/", read("_core.pyi"))
    made = [
        (number, marker)
        for marker, given in streams
        for number in re.findall(r"SupportsDLPackStream\[Literal\[(\d+)\]\]", given)
    ]
    return {
        "from_dlpack": {int(number): marker for number, marker in arrays},
        "borrow": {int(number): marker for marker, number in borrowed},
        "Stream": {int(number): marker for number, marker in made},
    }


@pytest.mark.parametrize("name", ["from_dlpack", "borrow"])
def test_arrays(name: str) -> None:
    found = {number: marker for number, marker in inferred()[name].items() if number}
    assert set(found) == OWN
    for number, marker in found.items():
        kind: Any = getattr(markers, marker)
        assert kind.device_types[0] == number
        assert not kind.platform


def test_streams() -> None:
    """A stream is of a platform: pinned and managed memory have those of its devices."""
    found = {number: marker for number, marker in inferred()["Stream"].items() if number}
    have_streams = OWN - {1, 3, 11, 13}
    assert set(found) == have_streams
    for number, marker in found.items():
        assert getattr(markers, marker).device_types[0] == number


@pytest.mark.parametrize("name", ["from_dlpack", "Stream"])
def test_what_tells_nothing_comes_before(name: str) -> None:
    """0 is no device type: only a method whose type tells nothing passes for one of 0."""
    assert 0 not in {row["value"] for row in DEVICE_TABLE}
    text = read("_core.pyi").replace("_Untold, /", "SupportsDLPackDevice[Literal[0]], /")
    protocol = "SupportsDLPackDevice" if name == "from_dlpack" else "SupportsDLPackStream"
    start = text.index("def from_dlpack(" if name == "from_dlpack" else "class Stream(")
    numbers = re.findall(rf"{protocol}\[Literal\[(\d+)\]\]", text[start:])
    assert numbers[0] == "0"
    assert "0" not in numbers[1:]
