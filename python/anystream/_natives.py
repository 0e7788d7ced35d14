# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of a library's own, in C or C++, by which the quick ways ask it sooner than by Python.

The rows of the peers table name them. Nothing is loaded: they are looked for in the library that an
extension module is, and in those that it was linked with.
"""

import sys
from typing import TYPE_CHECKING, Any

from anystream._core import _find_function
from anystream._peer import Producer, follow

if TYPE_CHECKING:
    from anystream._core import _Natives


def natives_of(row: Producer, x: Any) -> "_Natives | None":
    """Give the address of x's own tensor and those of the functions; 0 where there is none."""
    if not row.handle:
        return None
    try:
        handle = follow(x, row.handle)
    except AttributeError:  # another version of the library
        return None
    file = getattr(sys.modules.get(row.library), "__file__", None) or ""
    questions = {
        native.forbids: (_find_function(file, native.symbol), native.by_reference)
        for native in row.natives
    }
    return (handle, questions, _find_function(file, row.exporter) if row.exporter else 0)
