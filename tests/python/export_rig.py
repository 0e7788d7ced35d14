# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What exports are tried with: the array itself and its carrier, and versions old and new."""

from typing import Any

import pytest

from anystream._core import Carrier
from ctypes_tensors import Taken

EXPORTERS = pytest.mark.parametrize("exporter", [lambda a: a, Carrier], ids=["Array", "Carrier"])
MAX_VERSIONS = [None, (0, 0), (1, 0), (1, 3), (2, 0), (100, 3)]


def fields(capsule: Any) -> Taken:
    """What a capsule holds; the deleter has been called, so its memory is not to be read."""
    taken = Taken.of(capsule)
    taken.delete()
    return taken
