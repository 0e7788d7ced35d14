# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`anystream doctor`: its sections in order, with a progress bar in a terminal."""

import json
import platform
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

import anystream
from anystream._cli import report
from anystream._cli.arguments import ask_all
from anystream._cli.drivers import find_drivers
from anystream._cli.findings import Findings
from anystream._cli.matrix import run_matrix
from anystream._cli.output import write
from anystream._cli.platforms import why_no_sycl
from anystream._cli.race import run_race
from anystream._cli.scenes import choose_scene


def examine(console: Console, trials: int, on: str, file: Path | None) -> int:
    """Run every section, print each as it is done, write the file; the exit status."""
    with _bar(console) as bar:
        findings = _sections(console, bar, trials, on)
    report.show_verdict(console, findings)
    if file is not None:
        write(file, json.dumps(findings.as_dict(), indent=2, ensure_ascii=False) + "\n")
    return 1 if findings.wrong() else 0


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _sections(console: Console, bar: Progress, trials: int, on: str) -> Findings:
    # First of all: SYCL reads the variable that this sets when its runtime is loaded.
    no_sycl = why_no_sycl()
    scene = choose_scene(on, no_sycl)
    drivers = find_drivers()
    report.show_drivers(console, drivers)
    race = run_race(scene, trials, _ticker(bar, "the race", len(scene.ways) * trials))
    report.show_race(console, race)
    arguments = ask_all(no_sycl, _ticker(bar, "stream arguments", None))
    report.show_arguments(console, arguments)
    matrix = run_matrix(_ticker(bar, "libraries", None))
    report.show_matrix(console, matrix)
    return Findings(_about(), drivers, race, arguments, matrix)


def _ticker(bar: Progress, what: str, total: int | None) -> Callable[[], None]:
    task: TaskID = bar.add_task(what, total=total)
    return lambda: bar.advance(task)


def _about() -> dict[str, str]:
    return {
        "anystream": anystream.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
