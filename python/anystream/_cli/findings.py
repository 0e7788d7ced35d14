# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the doctor found, as plain data: the terminal and the JSON file are both made from it."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Driver:
    """One vendor library, and what a hand-off does without it."""

    name: str
    library: str
    available: bool
    has_backend: bool
    orders: bool
    reason: str
    otherwise: str


@dataclass(frozen=True)
class RaceRow:
    """One way to hand an array over while work on it is pending, tried many times."""

    name: str
    code: str
    must_be_right: bool
    trials: int
    wrong_trials: int
    wrong_elements: int
    elements: int
    host_us_median: float
    host_us_max: float
    still_running: int


@dataclass(frozen=True)
class Race:
    """The ways of handing over, side by side, on one device."""

    platform: str
    device: str
    pending: str
    reader: str
    why_here: str
    rows: tuple[RaceRow, ...]


@dataclass(frozen=True)
class Answer:
    """What one `__dlpack__(stream=value)` did."""

    array: str
    value: str
    accepted: bool
    text: str


@dataclass(frozen=True)
class Arguments:
    """What every value came to on every array, and why an array could not be had."""

    answers: tuple[Answer, ...]
    absent: dict[str, str]


@dataclass(frozen=True)
class Cell:
    """One producer handed to one consumer. right is None where the pair cannot work."""

    producer: str
    consumer: str
    right: bool | None
    memory: str
    ordering: str
    host_us: float
    reason: str


@dataclass(frozen=True)
class Matrix:
    """Every installed peer to every installed peer, and why a peer is not among them."""

    peers: tuple[str, ...]
    absent: dict[str, str]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Findings:
    """The whole visit."""

    about: dict[str, str]
    drivers: tuple[Driver, ...]
    race: Race
    arguments: Arguments
    matrix: Matrix

    def wrong(self) -> list[str]:
        """Where a value was wrong that had to be right; one line each."""
        race = [
            f"race, {row.name}: {row.wrong_elements} wrong elements in {row.wrong_trials} trials"
            for row in self.race.rows
            if row.must_be_right and row.wrong_elements
        ]
        cells = [
            f"{cell.producer} to {cell.consumer}: wrong values"
            for cell in self.matrix.cells
            if cell.right is False
        ]
        return race + cells

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `wrong` is the verdict that decides the exit status."""
        return {**asdict(self), "wrong": self.wrong()}
