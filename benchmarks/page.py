# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of a run into a page of docs/, between two marks."""

import os
import platform
import re
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import exports
import growth
import imports
import onward
import ordering
import releases
import streams
import whole
from producers import PRODUCERS
from rotation import NOTED, PRINTED, Table
from targets import Verdict

BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->"
TARGETS = "| what | against | ratio | at most | |"
OTHERS = "| what | | minimum | median | ratio |"

# packages whose versions are stated
PACKAGES = (
    "anystream", "numpy", "torch", "jax", "apache-tvm-ffi", "cuda-core", "nanobind", "mlx", "dpnp",
    "dpctl",
)  # fmt: skip

# every table on the page but those of imports, which are one, and the rows of each
ROWS: dict[str, list[str]] = {**exports.ROWS, **onward.ROWS, **ordering.ROWS, **streams.ROWS}
NOTES = (whole.TITLE, growth.TITLE, releases.TITLE)


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"(?m)^model name\s*:\s*(.+)$", text)
    return found.group(1) if found else platform.machine()


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return ""


def machine() -> list[str]:
    """Return what the figures were measured on: the machine, and the versions."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    versions = filter(None, map(_version, PACKAGES))
    return [f"{_processor()}, {os.cpu_count()} cores; {python}", ", ".join(versions)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Keep markdown from reading underscores as stress."""
    return re.sub(r"__\w+__(?:\([^)]*\))?", r"`\g<0>`", text)


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else f"{value:{form}}"


def header_of_imports() -> str:
    """Return the first line of the table of imports: a column for each library."""
    return _row(["", *(producer.library for producer in PRODUCERS)])


def _imports(tables: dict[str, Table]) -> Iterator[str]:
    yield header_of_imports()
    yield _row(["---"] * (len(PRODUCERS) + 1))
    for name in imports.rows():
        found = (tables.get(imports.title(producer.library)) for producer in PRODUCERS)
        yield _row(
            [name, *(_number(table.figures(name)[0] if table else None, ".0f") for table in found)]
        )


def _others(tables: dict[str, Table]) -> Iterator[str]:
    yield OTHERS
    yield _row(["---"] * 5)
    for title, names in ROWS.items():
        table = tables.get(title, Table(title, ()))
        for name in names:
            figures = table.figures(name)
            shown = map(_number, figures, (".0f", ".0f", ".2f"))
            yield _row([_code(title), _code(name), *shown])


def _targets(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield TARGETS
    yield _row(["---"] * 5)
    for verdict in verdicts:
        target = verdict.target
        ratio = _number(verdict.ratio, ".2f")
        yield _row(
            [_code(target.table), target.other, ratio, f"{target.at_most:.2f}", verdict.word]
        )


def _notes() -> Iterator[str]:
    for title in NOTES:
        yield f"\n{title.capitalize()}:\n\n```text"
        yield from NOTED.get(title, ["not run"])
        yield "```"


def figures(verdicts: Sequence[Verdict]) -> str:
    """Return what stands between the marks."""
    tables = {table.title: table for table in PRINTED}
    lines = [f"{line}.\n" for line in machine()]
    lines += ["## Targets\n", *_targets(verdicts)]
    lines += ["\n## Import: nanoseconds a call, minimum\n", *_imports(tables)]
    lines += ["\n## Export, onward, order: nanoseconds a call", *_others(tables)]
    lines += ["\n## Checked in the same run", *_notes()]
    return "\n".join(lines) + "\n"


def write(path: Path, verdicts: Sequence[Verdict]) -> None:
    """Put the figures of this run between the marks of a page."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no lines {BEGIN.strip()!r} and {END!r}")
    path.write_text(before + begin + figures(verdicts) + end + after, encoding="utf-8")
