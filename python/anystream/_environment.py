# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Switches of the environment: ANYSTREAM_STRICT, ANYSTREAM_LOG."""

import os

_SWITCH = {"": False, "0": False, "1": True}


def switched_on(variable: str, means: str) -> bool:
    """Read a switch; ``means`` says what 1 does. Raises ValueError for any other value."""
    value = os.environ.get(variable, "")
    if value in _SWITCH:
        return _SWITCH[value]
    raise ValueError(f"{variable} takes 1 or 0; got {value!r}.\n  1 {means}; 0 is the default.")
