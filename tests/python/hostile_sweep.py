# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole corpus of hostile producers in one process, and says which case it is at.

usage: hostile_sweep.py [debug]. With "debug" Python's allocator marks and checks its memory.
"""

import gc
import sys
from contextlib import suppress

import anystream
import hostile
import hostile_buffers
import hostile_interfaces
import hostile_objects
import hostile_tables

CASES = [
    *hostile.STRUCTURES,
    *hostile.DEVICES,
    *hostile.CAPSULES,
    *hostile_objects.OBJECTS,
    *hostile_tables.TABLES,
    *hostile_buffers.BUFFERS,
    *hostile_interfaces.DICTS,
]


def main() -> None:
    for case in CASES:
        print(case, flush=True)
        hostile.refused(case, anystream.from_dlpack)
        # A copy from a device that nobody here copies from is refused before x is asked.
        with suppress(anystream.DriverUnavailable):
            hostile.refused(case, lambda x: anystream.from_dlpack(x, copy=True))
    gc.collect()
    print(f"refused {len(CASES)}", flush=True)


if __name__ == "__main__":
    main()
    sys.exit(0)
