# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The doctor's first section: the vendor libraries of this machine."""

from anystream import _core
from anystream.cli.findings import Driver


def find_drivers() -> tuple[Driver, ...]:
    """Try every driver that anystream knows; the outcome is remembered by the core."""
    return tuple(Driver(**row) for row in _core.drivers())
