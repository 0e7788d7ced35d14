# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`anystream devices`: what can be used here, and what every device type takes as a stream."""

from typing import Any

from rich.console import Console

from anystream import _core, _platforms
from anystream._cli.platforms import why_no_sycl
from anystream._cli.report import table
from anystream._entry_points import load_entry_points


def show_devices(console: Console) -> None:
    """List the devices of every driver that could be opened."""
    why_no_sycl()  # makes the CPU's runtime visible, as the other commands do
    load_entry_points()
    rows = [
        (_core.device_name(row["type"], row["id"]), row["platform"], row["kind"], row["name"])
        for row in _core.devices()
    ]
    console.print(table(("device", "platform", "kind", "name"), rows))


def show_types(console: Console) -> None:
    """List the device table: word, DLPack's value, and what `stream` may be."""
    load_entry_points()
    rows = [
        (row["name"], f"{row['dlpack']} {row['value']}", row["backend"] or "none", accepted(row))
        for row in (*_core.DEVICE_TABLE, *_core.PLATFORM_TABLE, *_platforms.rows())
    ]
    console.print(table(("word", "DLPack", "backend", "stream may be"), rows))


def accepted(row: dict[str, Any]) -> str:
    """Say what `stream` may be on a device type, in the words of the check itself."""
    platform = "" if row["device"] == row["id"] else row["id"]
    try:
        _core.resolve_stream("", row["value"], 0, platform=platform)  # a str is never a stream
    except TypeError as refusal:
        return str(refusal).partition(" takes ")[2].partition("; got ")[0]
    raise AssertionError(f"{row['id']} took a str as a stream")
