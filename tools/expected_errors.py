# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the lines of tests/typing that must fail against what the type checkers say of them.

usage: expected_errors.py --write

What a checker must say of a line stands below it, its rule first:

    a.__dlpack__(stream=0)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Literal[0]"; expected …
    # basedpyright: [reportArgumentType] Argument of type "Literal[0]" cannot be assigned …

Of basedpyright's messages, which go on to say what it tried, the first line stands there. --write
puts there what the checkers say now, for a reader to judge.
"""

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sources import ROOT
from type_checkers import CHECKERS, Said, says

REFUSED = ROOT / "tests/typing/refused"
ACCEPTED = ROOT / "tests/typing/accepted"
_FIRST = re.compile(rf"\s*# ({'|'.join(CHECKERS)}): \[([\w-]+)\] (.*)")
_NEXT = re.compile(r"\s*#   (.*)")
_WIDTH = 100


class Expected(NamedTuple):
    """One error: what a checker must say of a line."""

    checker: str
    path: Path
    line: int
    rule: str
    message: str


def spoken(told: dict[str, list[Said]]) -> list[Expected]:
    """Put what checkers say as what is expected of them."""
    return sorted(
        Expected(checker, said.path, said.line, said.rule, " ".join(said.message.split()))
        for checker, errors in told.items()
        for said in errors
    )


def written(path: Path) -> Iterator[Expected]:
    """Read the comments of a file: each is about the last line before it that is none of them."""
    about, found = 0, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        first, following = _FIRST.match(line), _NEXT.match(line)
        if found and following and not first:
            found = found._replace(message=f"{found.message} {following[1]}")
            continue
        if found:
            yield found
        found = Expected(first[1], path, about, first[2], first[3]) if first else None
        about = about if first else number
    if found:
        yield found


def expected(folder: Path) -> list[Expected]:
    """Read the comments of all files of a folder."""
    return sorted(row for path in sorted(folder.glob("*.py")) for row in written(path))


def without_comments(path: Path) -> dict[int, str]:
    """Give the lines of a file, by their numbers, without those that say what is expected."""
    kept: dict[int, str] = {}
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        inside = bool(_FIRST.match(line) or (inside and _NEXT.match(line)))
        if not inside:
            kept[number] = line
    return kept


def comments(errors: Iterable[Expected], above: str) -> Iterator[str]:
    """Write the comments that stand below a line."""
    indent = " " * (len(above) - len(above.lstrip()) + 4 * above.endswith(":"))
    for error in sorted(errors, key=lambda row: (CHECKERS.index(row.checker), row)):
        text = f"{error.checker}: [{error.rule}] {error.message}"
        first, then = f"{indent}# ", f"{indent}#   "
        yield from textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=first,
            subsequent_indent=then,
            break_on_hyphens=False,
            break_long_words=False,
        )


def rewrite(path: Path, errors: Iterable[Expected]) -> None:
    """Put the errors of a file below their lines."""
    errors = [error for error in errors if error.path == path]
    text: list[str] = []
    for number, line in without_comments(path).items():
        here = [error for error in errors if error.line == number]
        text += [line, *comments(here, line)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def main() -> int:
    """Write what the checkers say below the lines that must fail."""
    if sys.argv[1:] != ["--write"]:
        print(__doc__, file=sys.stderr)
        return 2
    with TemporaryDirectory() as place:
        errors = spoken(says([REFUSED], sys.executable, Path(place)))
    for path in REFUSED.glob("*.py"):
        rewrite(path, errors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
