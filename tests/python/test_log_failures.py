# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Logs and traces that fail, or hand arrays over themselves: no hand-off suffers from it."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import HandOff
from anystream.testing import SimulatedDevice


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What goes to sys.unraisablehook: errors, and whose they are in words."""
    found: list[Any] = []
    hook = lambda args: found.append((args.exc_value, repr(args.object)))  # noqa: E731
    monkeypatch.setattr(sys, "unraisablehook", hook)
    yield found
    found.clear()


def handed() -> Any:
    array = anystream.from_dlpack(bytearray(4))
    assert array.shape == (4,)
    return array


@pytest.mark.parametrize(
    "error", [OSError("the disk is full"), asyncio.CancelledError(), GeneratorExit()]
)
def test_a_log_that_fails_is_told_once_and_stops_nothing(told: Any, error: BaseException) -> None:
    def fails(made: HandOff) -> None:
        raise error

    with anystream.log(fails):
        for _ in range(3):
            handed()
    [(raised, whose)] = told
    assert raised is error
    assert raised.__traceback__ is not None
    assert whose.startswith("<anystream.log of hand-offs to <function ")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_comes_through(told: Any, error: type[BaseException]) -> None:
    def ends(made: HandOff) -> None:
        raise error

    device, memory = SimulatedDevice(), bytearray(4)
    with anystream.log(ends):
        with pytest.raises(error):
            anystream.from_dlpack(memory)
        with pytest.raises(error):
            anystream.from_dlpack(device.full(4, 1.0), stream=device.stream())
    memory.append(1)  # the result has been let go
    anystream.synchronize()
    assert told == []


def test_a_function_that_hands_over_is_not_told_of_that(told: Any, tmp_path: Path) -> None:
    made: list[HandOff] = []

    def hands_over(one: HandOff) -> None:
        made.append(one)
        handed()
        anystream.handoff(bytearray(8), to="numpy")

    pytest.importorskip("numpy", reason="numpy is not installed")
    with anystream.log(hands_over), anystream.log(made.append), anystream.trace(tmp_path / "t"):
        handed()
        handed()
    assert len(made) == 4
    assert (tmp_path / "t").read_text().count('"ph": "s"') == 2
    assert told == []


def test_what_a_function_lets_go_is_told(tmp_path: Path) -> None:
    kept: list[Any] = []
    path = tmp_path / "t"
    with anystream.trace(path), anystream.log(lambda made: kept.clear()):
        kept.append(handed())
        handed()
    assert path.read_text().count('"ph": "f"') == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("keep", [anystream.log, anystream.trace])
def test_a_full_disk_is_told_once_and_ends_well(told: Any, keep: Any) -> None:
    with keep("/dev/full"):
        for _ in range(3):
            handed()
    [(error, whose)] = told
    assert isinstance(error, OSError)
    assert whose == f"<anystream.{keep.__name__} of hand-offs to '/dev/full'>"
