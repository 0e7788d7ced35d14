# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor's race and its verdict: counted right, and status 1 when a value was wrong."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import anystream
from anystream._cli import doctor, matrix
from anystream._cli.app import app
from anystream._cli.findings import Arguments, Matrix
from anystream._cli.race import Way, run_race
from anystream._cli.race_simulated import SimulatedScene
from anystream._cli.samples import SAMPLES
from anystream._cli.scenes import choose_scene


class Played:
    """A scene whose ways hand over what they are told to, and whose work is never done."""

    platform = device = pending = reader = why_here = "played"

    def __init__(self, unordered: int, ours: int) -> None:
        """Say how many of four elements are wrong in each way."""
        self.value = 0
        self.ways: Sequence[Way] = (
            Way("unordered", "", lambda: self.array(unordered), must_be_right=False),
            Way("ours", "", lambda: self.array(ours), must_be_right=True),
        )

    def array(self, wrong: int) -> list[int]:
        return [0] * wrong + [self.value] * (4 - wrong)

    def start(self, value: int) -> None:
        self.value = value

    def running(self) -> bool:
        return True

    def read(self, handed: Any) -> Sequence[int]:
        return list(handed)

    def finish(self) -> None: ...


def test_trials_and_elements_are_counted() -> None:
    ticks: list[None] = []
    race = run_race(Played(unordered=3, ours=0), 5, lambda: ticks.append(None))
    unordered, ours = race.rows
    assert (unordered.wrong_trials, unordered.wrong_elements, unordered.elements) == (5, 15, 20)
    assert (ours.wrong_trials, ours.wrong_elements, ours.still_running) == (0, 0, 5)
    assert 0 < ours.host_us_median <= ours.host_us_max
    assert len(ticks) == 10


class Examined(NamedTuple):
    """One run of the command: its exit status, what it printed, and its file."""

    status: int
    printed: str
    found: Any


def examined(
    monkeypatch: pytest.MonkeyPatch, folder: Path, scene: Played, *options: str
) -> Examined:
    """Run `anystream doctor` on one scene only."""
    file = folder / "findings.json"
    monkeypatch.setattr(doctor, "choose_scene", lambda *_: scene)
    monkeypatch.setattr(doctor, "ask_all", lambda *_: Arguments((), {}))
    monkeypatch.setattr(doctor, "run_matrix", lambda _: Matrix((), {}, ()))
    command = ["doctor", "--json", str(file), *options]
    run = CliRunner().invoke(app, command, env={"COLUMNS": "80"})
    return Examined(run.exit_code, run.output, json.loads(file.read_text() or "null"))


def test_a_lost_race_of_the_unordered_way_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = examined(monkeypatch, tmp_path, Played(unordered=4, ours=0))
    assert run.status == 0
    assert "Every value that had to be right was right." in run.printed
    assert run.found["wrong"] == []


def test_one_wrong_element_where_it_had_to_be_right_is_status_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = examined(monkeypatch, tmp_path, Played(unordered=4, ours=1))
    assert run.status == 1
    line = "race, ours: 20 wrong elements in 20 trials"
    assert line in run.printed
    assert run.found["wrong"] == [line]


def test_more_trials_are_run_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = examined(monkeypatch, tmp_path, Played(unordered=4, ours=0), "--trials", "21")
    assert [row["trials"] for row in run.found["race"]["rows"]] == [21, 21]


@pytest.mark.parametrize("trials", ["19", "0", "-1"])
def test_fewer_than_20_trials_are_refused(trials: str) -> None:
    run = CliRunner().invoke(app, ["doctor", "--trials", trials], env={"COLUMNS": "80"})
    assert run.exit_code == 2
    assert "20" in run.output


def test_a_wrong_value_in_the_matrix_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    monkeypatch.setattr(matrix, "installed", lambda: [SAMPLES[0]])
    right = matrix.run_matrix(lambda: None).cells[0]
    assert (right.right, right.memory) == (True, "view")

    monkeypatch.setattr(anystream, "handoff", lambda *_, **__: numpy.zeros(64, dtype="float32"))
    wrong = matrix.run_matrix(lambda: None).cells[0]
    assert (wrong.right, wrong.memory) == (False, "copy")


def test_a_pair_that_cannot_work_says_why_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")

    def refuse(*_: object, **__: object) -> object:
        raise BufferError("numpy takes host arrays; got the moon.\n  Copy it first.")

    monkeypatch.setattr(matrix, "installed", lambda: [SAMPLES[0]])
    monkeypatch.setattr(anystream, "handoff", refuse)
    cell = matrix.run_matrix(lambda: None).cells[0]
    assert cell.right is None
    assert cell.reason == "BufferError: numpy takes host arrays; got the moon."


def test_the_bar_is_for_terminals_only() -> None:
    terminal, file = StringIO(), StringIO()
    for console in (Console(file=terminal, force_terminal=True), Console(file=file)):
        with doctor._bar(console) as bar:
            doctor._ticker(bar, "the race", 60)()
    assert "the race" in terminal.getvalue()
    assert "1/60" in terminal.getvalue()
    assert file.getvalue() == ""


def test_the_race_on_the_simulated_device() -> None:
    race = run_race(SimulatedScene(""), 5, lambda: None)
    today, right, ours = race.rows
    assert (today.wrong_trials, today.wrong_elements) == (5, today.elements)
    assert (right.wrong_elements, right.still_running) == (0, 0)
    assert (ours.wrong_elements, ours.still_running) == (0, 5)


def test_without_sycl_the_simulated_device_takes_over() -> None:
    scene = choose_scene("auto", "not installed: dpctl")
    assert (scene.platform, scene.why_here) == ("simulated", "Not on SYCL: not installed: dpctl")
    with pytest.raises(typer.BadParameter, match="not installed: dpctl"):
        choose_scene("sycl", "not installed: dpctl")
