# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/typing.md: what ``stream`` may be for a checker, and what at run time.

    python tools/typing_table.py     # prints the table

The types are those of ``anystream.typing``, the rules those of the device table.
"""

import re
import sys
import typing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- typing table: begin -->", "<!-- typing table: end -->"

INTEGERS = {
    "refused_value": "",
    "refused_type": "",
    "cuda": "1 (legacy default), 2 (per-thread default), a handle > 2",
    "rocm": "0 (default), a handle > 2",
}


def markers() -> dict[str, Any]:
    """Give the platforms of ``anystream.typing`` by name."""
    from anystream import typing as names  # noqa: PLC0415 - the package is built after the tools

    every = {name: getattr(names, name) for name in names.__all__}
    kinds = {name: one for name, one in every.items() if isinstance(one, type)}
    return {
        name: one
        for name, one in kinds.items()
        if issubclass(one, names.Platform) and one is not names.Platform
    }


def marker_of(device_type: int, platform: str) -> str:
    """Name the narrowest marker of a device type."""
    found = {
        name: one
        for name, one in markers().items()
        if device_type in one.device_types and one.platform == platform
    }
    return min(found, key=lambda name: len(found[name].device_types))


def member(one: Any) -> str:
    """Write a type as a program does."""
    inner = typing.get_args(one)
    if typing.get_origin(one) is typing.Literal:
        return f"Literal[{', '.join(map(repr, inner))}]"
    name = one.__name__ if hasattr(one, "__name__") else str(one)
    return f"{name}[{', '.join(map(member, inner))}]" if inner else name


def static(marker: Any) -> str:
    """Write what ``stream`` may be, beside None, on arrays of a marker."""
    from anystream import Stream  # noqa: PLC0415
    from anystream import typing as names  # noqa: PLC0415
    from anystream.testing import SimulatedStream  # noqa: PLC0415

    carrier = next(one for one in marker.__mro__ if names.Platform in one.__bases__)
    [base] = carrier.__orig_bases__
    [reference] = typing.get_args(base)
    known = {**vars(names), "Literal": typing.Literal, "Stream": Stream}
    union = eval(reference.__forward_arg__, known)  # noqa: S307 - a string of the package itself
    parts = typing.get_args(union) if typing.get_origin(union) is not typing.Literal else (union,)
    written = [member(SimulatedStream if one is Any else one) for one in parts]
    return " \\| ".join(written)


def runtime(row: dict[str, Any]) -> str:
    """Write the device table's rule in words."""
    capsules = " or ".join(f'"{name}"' for name in row["capsules"])
    parts = [INTEGERS[row["integers"]], row["takes"], f"a {capsules} capsule" if capsules else ""]
    return "; ".join(part for part in ("-1", *parts) if part)


def table() -> str:
    """Write the table, without its last line end."""
    from anystream import _core  # noqa: PLC0415

    lines = ["| DLPack | marker | for a checker, beside None | at run time, beside None |"]
    lines.append("| --- | --- | --- | --- |")
    by_id = {row["id"]: row for row in _core.DEVICE_TABLE}
    for row in (*_core.DEVICE_TABLE, *_core.PLATFORM_TABLE):
        device = by_id[row["device"]]
        shared = row["id"] if not row["dlpack"] else ""
        name = marker_of(row["value"], shared)
        number = f"{device['dlpack']} {row['value']}{', ' + shared if shared else ''}"
        lines.append(f"| {number} | `{name}` | {static(markers()[name])} | {runtime(row)} |")
    return "\n".join(lines)


def written() -> str:
    """Give the table that docs/typing.md has."""
    text = (ROOT / "docs" / "typing.md").read_text(encoding="utf-8")
    found = re.search(f"{BEGIN}\n(.*?)\n{END}", text, re.DOTALL)
    return found.group(1) if found else ""


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python"))
    print(table())
