# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The findings in a terminal: tables that are readable at 80 columns."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from anystream._cli.findings import Arguments, Cell, Driver, Findings, Matrix, Race, RaceRow


def heading(console: Console, title: str) -> None:
    """Print a section's title."""
    console.print()
    console.print(Text(title, style="bold"))


def paragraph(console: Console, text: str) -> None:
    """Print prose under a title; text is never read as markup."""
    console.print(Padding(Text(text), (0, 0, 0, 2)))


def table(
    columns: Iterable[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()
) -> Table:
    """Make a plain table; columns whose index is in numbers are set to the right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for index, column in enumerate(columns):
        made.add_column(
            Text(column), justify="right" if index in numbers else "left", overflow="fold"
        )
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


def show_drivers(console: Console, drivers: Iterable[Driver]) -> None:
    """Print what was found; of each one missing, the places tried and what is done without it."""
    heading(console, "1. Drivers")
    rows = [(driver.name, _driver_state(driver)) for driver in drivers]
    console.print(table(("driver", "what was found"), rows))


def _driver_state(driver: Driver) -> str:
    lines = [f"found: {driver.library}" if driver.available else "not found; tried:"]
    if not driver.available:
        lines.append(driver.reason.rstrip())
    if not (driver.available and driver.has_backend):
        lines.append(f"A hand-off there: {driver.otherwise}.")
    return "\n".join(lines)


def show_race(console: Console, race: Race) -> None:
    """Print the ways side by side."""
    heading(console, f"2. The race, on {race.device} ({race.platform})")
    paragraph(console, f"Pending: {race.pending}. Read in every row: {race.reader}.")
    if race.why_here:
        paragraph(console, race.why_here)
    columns = ("way", "wrong trials", "wrong elements", "host time", "still running")
    console.print(table(columns, map(_race_row, race.rows), numbers=(1, 2, 3, 4)))
    for row in race.rows:
        paragraph(console, f"{row.name}: {row.code}")


def _race_row(row: RaceRow) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.wrong_trials} of {row.trials}",
        f"{row.wrong_elements} of {row.elements}",
        duration(row.host_us_median),
        f"{row.still_running} of {row.trials}",
    )


def show_arguments(console: Console, arguments: Arguments) -> None:
    """Print what each value came to, array by array."""
    heading(console, "3. What one __dlpack__(stream=…) takes")
    answers = arguments.answers
    for array in dict.fromkeys(answer.array for answer in answers):
        rows = [(answer.value, answer.text) for answer in answers if answer.array == array]
        console.print(table((f"{array} array", "came to"), rows))
    for array, reason in arguments.absent.items():
        paragraph(console, f"{array} array: {reason}")


def show_matrix(console: Console, matrix: Matrix) -> None:
    """Print every pair, those that cannot work with their reason."""
    heading(console, "4. Every installed library to every installed library")
    for peer, reason in matrix.absent.items():
        paragraph(console, f"{peer}: {reason}")
    columns = ("producer", "consumer", "values", "memory", "ordered by", "time")
    console.print(table(columns, map(_cell, matrix.cells), numbers=(5,)))


def _cell(cell: Cell) -> tuple[str, ...]:
    if cell.right is None:
        return (cell.producer, cell.consumer, "none", "", cell.reason, "")
    values = "right" if cell.right else "WRONG"
    time = duration(cell.host_us)
    return (cell.producer, cell.consumer, values, cell.memory, cell.ordering, time)


def show_verdict(console: Console, findings: Findings) -> None:
    """Print whether a value was wrong that had to be right."""
    wrong = findings.wrong()
    heading(console, "Wrong values" if wrong else "Every value that had to be right was right.")
    for line in wrong:
        paragraph(console, line)


def duration(microseconds: float) -> str:
    """Write a duration in µs or ms, whichever is readable."""
    if microseconds >= 1000:
        return f"{microseconds / 1000:.1f} ms"
    return f"{microseconds:.0f} µs" if microseconds >= 10 else f"{microseconds:.1f} µs"
