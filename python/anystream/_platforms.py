# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of platforms that were registered at run time, by Python or through the C table."""

from typing import Any

from anystream import _core
from anystream._entry_points import load_entry_points

_rows: list[dict[str, Any]] = []


def rows() -> list[dict[str, Any]]:
    """Give the rows, in the order of registration; those of PLATFORM_TABLE have the same keys."""
    global _rows  # noqa: PLW0603 - replaced as a whole, so that no other thread sees half of it
    if len(_rows) != _core.registered_count():
        _rows = _core.registered_platforms()
    return _rows


def find(device_type: int, name: str) -> dict[str, Any] | None:
    """Find a platform by its name on a device type; "" is the one that is the type's own.

    Where there is none, other packages are asked first whether they have one.
    """
    found = _find(device_type, name)
    if found is None and load_entry_points():
        found = _find(device_type, name)
    return found


def _find(device_type: int, name: str) -> dict[str, Any] | None:
    for row in rows():
        if row["value"] == device_type and (name == row["id"] if name else row["own"]):
            return row
    return None


def is_beside(device_type: int, name: str) -> bool:
    """Tell whether a registered platform shares its device type with others."""
    if not _core.registered_count():
        return False
    found = _find(device_type, name) if name else None
    return found is not None and not found["own"]


def names_beside(device_type: int) -> list[str]:
    """List the registered platforms that share a device type with others."""
    return [row["id"] for row in rows() if row["value"] == device_type and not row["own"]]


def can_order(row: dict[str, Any]) -> bool:
    """Tell whether a registered platform has what ordering two of its streams takes."""
    return "order" in row["callbacks"] or {"record", "wait"} <= set(row["callbacks"])


def refuse_missing(row: dict[str, Any], needed: tuple[str, ...], what: str) -> None:
    """Raise DriverUnavailable, naming the callbacks among ``needed`` that a platform has not."""
    missing = [name for name in needed if name not in row["callbacks"]]
    if missing:
        names = " and ".join(f"{name}=…" for name in missing)
        raise _core.DriverUnavailable(
            f'platform "{row["id"]}" was registered without {names}: {what} takes '
            f"{'it' if len(missing) == 1 else 'them'}.\n"
            f"  Give {'it' if len(missing) == 1 else 'them'} to anystream.register_platform("
            f"{row['id']!r}, {', '.join(f'{name}=…' for name in missing)})."
        )
