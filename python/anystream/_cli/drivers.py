# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor's first section: the vendor libraries of this machine, and registered platforms."""

from typing import Any

from anystream import _core, _platforms
from anystream._cli.findings import Driver
from anystream._entry_points import load_entry_points


def find_drivers() -> tuple[Driver, ...]:
    """Try every driver that anystream knows; the outcome is remembered by the core."""
    load_entry_points()
    return (
        *(Driver(**row) for row in _core.drivers()),
        *(_registered(row) for row in _platforms.rows()),
    )


def _registered(row: dict[str, Any]) -> Driver:
    return Driver(
        name=row["id"],
        library=f"registered for {row['device'] or row['value']}, with "
        f"{', '.join(row['callbacks']) or 'its streams alone'}",
        available=True,
        has_backend=_platforms.can_order(row),
        orders=_platforms.can_order(row),
        reason="",
        otherwise="is refused, unless both streams are one",
    )
