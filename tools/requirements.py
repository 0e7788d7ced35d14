# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the dependency groups of pyproject.toml, the one place where requirements are written."""

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def project(root: Path = ROOT) -> dict[str, Any]:
    """Return pyproject.toml as it stands."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(group: str, groups: dict[str, list[Any]] | None = None) -> list[str]:
    """Return the requirements of a group, those of the groups that it includes first."""
    groups = project()["dependency-groups"] if groups is None else groups
    if group not in groups:
        raise ValueError(f"no dependency group {group!r}; pyproject.toml has {', '.join(groups)}.")
    found: dict[str, None] = {}
    for entry in groups[group]:
        names = [entry] if isinstance(entry, str) else requirements(entry["include-group"], groups)
        found.update(dict.fromkeys(names))
    return list(found)
