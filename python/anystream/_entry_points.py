# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What other installed packages know of: their entry points, loaded when something is unknown.

An entry point of the group ``anystream.platforms`` or ``anystream.peers`` is a function without
parameters, which calls ``register_platform``, ``register_stream_type`` and ``register_library``.
All are called once in a process, the first time that anystream meets what it does not know: a
device type without a platform, the class of an array or of a stream, or a name. One that fails is a
warning that names it, and the others go on.
"""

import warnings
from threading import RLock

GROUPS = ("anystream.platforms", "anystream.peers")

# One thread loads, and others that need it wait, as for the import of a module; the thread itself
# may come back while it does, and then sees what there is so far.
_loading = RLock()
_state = {"begun": False, "done": False}


def load_entry_points() -> bool:
    """Call the entry points, if that has not been done; True where this call did it."""
    if _state["done"]:
        return False
    with _loading:
        if not _state["begun"]:
            _state["begun"] = True
            _call_all()
            _state["done"] = True
    return True  # or another thread has just done it: what was not found may be there now


def _call_all() -> None:
    from importlib.metadata import entry_points  # noqa: PLC0415 - it imports much

    for group in GROUPS:
        for point in entry_points(group=group):
            try:
                point.load()()
            except Exception as error:  # noqa: BLE001 - it is another package's, and is told of
                warnings.warn(
                    f"the entry point {point.name!r} = {point.value!r} of {group} failed, and is "
                    f"left out: {type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
