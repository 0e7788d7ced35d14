# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a type checker takes as ``stream`` is a subset of what the run time takes, on every type."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anystream import _core
from process_rig import child
from static_oracle import BEYOND, CLASSES, IMPORTS, STATIC, UNSEEN
from stream_oracle import OUTCOMES, WHERE
from stream_values import VALUES
from type_checkers import CheckerMissing, Said, basedpyright, mypy
from typing_table import marker_of

Checker = Callable[[Path], list[Said]]
PAGE = Path(__file__).parents[2] / "docs" / "typing.md"

# Types that DLPack has not named have no marker: their arrays are Array[Any].
TYPED = {
    marker_of(where.type, where.platform): where for where in WHERE if where.type not in (5, 6, 77)
}
CELLS = [(marker, name) for marker in TYPED for name in STATIC]


def program() -> list[str]:
    """Write every value as the stream of an array of every marker, a line each, at the end."""
    arrays = ", ".join(f"on_{marker}: Array[{marker}]" for marker in TYPED)
    values = ", ".join(f"v{i}: {value.type}" for i, value in enumerate(STATIC.values()))
    numbers = {name: i for i, name in enumerate(STATIC)}
    calls = [f"    on_{marker}.__dlpack__(stream=v{numbers[name]})" for marker, name in CELLS]
    head = [*IMPORTS.splitlines(), "from values import *"]
    return [*head, f"def use({arrays}, {values}) -> None:", *calls, ""]


def write(folder: Path) -> Path:
    (folder / "values.pyi").write_text(IMPORTS + CLASSES)
    file = folder / "use.py"
    file.write_text("\n".join(program()))
    return file


def cells(lines: list[int]) -> set[tuple[str, str]]:
    first = len(program()) - len(CELLS)  # as lines are counted, from 1
    assert all(line >= first for line in lines), lines
    return {CELLS[line - first] for line in lines}


def by_mypy(file: Path) -> list[Said]:
    return mypy([file], sys.executable, file.parent / "cache", beside=[file.parent])


def by_basedpyright(file: Path) -> list[Said]:
    return basedpyright([file], sys.executable, beside=[file.parent])


# The rule by which each says that an argument has another type than the parameter.
ARGUMENT: dict[Checker, str] = {by_mypy: "arg-type", by_basedpyright: "reportArgumentType"}
by_both = pytest.mark.parametrize("checker", ARGUMENT, ids=lambda one: one.__name__)


def wrong(checker: Checker, file: Path) -> list[int]:
    """List the lines with an argument of a wrong type; there is nothing else to find."""
    try:
        found = [one for one in checker(file) if one.rule != "reportMissingModuleSource"]
    except CheckerMissing as missing:
        pytest.skip(str(missing))
    assert [one for one in found if one.rule != ARGUMENT[checker]] == []
    return sorted({one.line for one in found})


@by_both
def test_what_a_checker_takes_is_what_is_written(checker: Checker, tmp_path: Path) -> None:
    for library in ("numpy", "torch"):
        pytest.importorskip(library, reason=f"{library}'s types are not installed")
    found = cells(wrong(checker, write(tmp_path)))
    expected = {
        (marker, name)
        for marker, name in CELLS
        if not STATIC[name].on(TYPED[marker].column, marker)
    }
    assert found - expected == set(), "refused, and should be taken"
    assert expected - found == set(), "taken, and should be refused"


def taken() -> list[tuple[str, str]]:
    return [
        (marker, name) for marker, name in CELLS if STATIC[name].on(TYPED[marker].column, marker)
    ]


@pytest.mark.parametrize(("marker", "name"), taken(), ids="-".join)
def test_what_a_checker_takes_the_run_time_takes(marker: str, name: str) -> None:
    where = TYPED[marker]
    if name == "ours, on Vulkan":
        pytest.skip("there are streams of Vulkan where a platform is registered: see below")
    value = BEYOND[name]() if name in BEYOND else VALUES[name]().passed
    if name in UNSEEN and refused(name, where.column):
        with pytest.raises((TypeError, ValueError)):
            _core.resolve_stream(value, where.type, 0, platform=where.platform)
    else:
        form, _ = _core.resolve_stream(value, where.type, 0, platform=where.platform)
        assert form in {"stream", "default", "unordered", "foreign"}


def test_a_stream_of_a_registered_platform() -> None:
    """There are streams of Vulkan once a platform is registered, which stays for the process."""
    out = child(
        "import anystream\n"
        "from anystream.typing import Vulkan, is_on\n"
        "how = {'stream': object, 'handle': 'attr:ptr', 'integers': True}\n"
        "anystream.register_platform('vulkan', 'engine', **how)\n"
        "stream = anystream.Stream.from_handle('vulkan:0', 4096)\n"
        "print(is_on(stream, Vulkan))\n"
        "found = anystream.resolve_stream('vulkan:0', stream)\n"
        "print(found.form, found.stream == stream)\n"
    )
    assert out.splitlines() == ["True", "stream True"]


def refused(name: str, column: str) -> bool:
    return OUTCOMES[name][column].kind in ("T", "V")


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_not_seen_is_so(name: str) -> None:
    """It is taken by a checker and refused at run time, somewhere: else it need not be told of."""
    assert any(refused(name, TYPED[marker].column) for marker, one in taken() if one == name)
    assert UNSEEN[name] in PAGE.read_text(encoding="utf-8")


# ---- the page


@by_both
@pytest.mark.parametrize("block", [0, 1])
def test_the_code_of_the_page_says_which_lines_are_wrong(
    block: int, checker: Checker, tmp_path: Path
) -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[block]
    file = tmp_path / "use.py"
    file.write_text(code)
    marked = [i for i, line in enumerate(code.splitlines(), 1) if "# error" in line]
    assert marked
    assert wrong(checker, file) == marked
    exec(code, {"__name__": "page"})
